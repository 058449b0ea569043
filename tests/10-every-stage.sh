# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: every stage that a kernel has answers every trigger, on all four kernels and
# in both views,
# with a clean kernel log, a table, the identity and the cost printed.
# Runs: beside others
. tests/lib/lib.sh

expect 0 "$IRQSCOPE" run "$TESTS/scenarios/quick.toml" --out "$WORK/run"
says "triggers 300 = 300 complete"
for kernel in 6.1 6.1-rt 6.12 6.12-rt; do
	says "$kernel/idle"
	stages=$(field "$WORK/run/summary.json" "sorted(s['stage'] + ' ' + s['view'] for c in j['cases'] if c['case']=='$kernel/idle' for s in c['stages'] if s['count']==300)")
	for stage in irq softirq tasklet_hi tasklet work_hi work work_unbound thread kthread user; do
		for view in outside inside; do
			echo "$stages" | grep -q "'$stage $view'" || fail "$kernel: no 300 answers of $stage $view in $stages"
		done
	done
done
# work_bh came with 6.9.
[ "$(field "$WORK/run/summary.json" "sorted({c['kernel'] for c in j['cases'] for s in c['stages'] if s['stage']=='work_bh' and s['count']==300})")" = "['6.12', '6.12-rt']" ] ||
	fail "work_bh is not measured on exactly 6.12 and 6.12-rt"
[ "$(field "$WORK/run/manifest.json" "j['complete']")" = True ] || fail "manifest is not complete"
