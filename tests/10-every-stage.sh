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
done
python3 - "$WORK/run/summary.json" <<'PY'
import itertools, json, sys
everywhere = "irq softirq tasklet_hi tasklet work_hi work work_unbound thread kthread user".split()
for case in json.load(open(sys.argv[1]))["cases"]:
    stages = everywhere + ["work_bh"] * (case["kernel"] in ("6.12", "6.12-rt")) # it came with 6.9
    answers = {(stage["stage"], stage["view"]): stage["count"] for stage in case["stages"]}
    assert answers == dict.fromkeys(itertools.product(stages, ("outside", "inside")), 300), (case["case"], answers)
PY
[ "$(field "$WORK/run/manifest.json" "j['complete']")" = True ] || fail "manifest is not complete"
