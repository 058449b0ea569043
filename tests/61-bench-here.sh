# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: benchmarks run on this machine, as root and as user `nobody`, without a driver
# and without leaving anything behind; a user who may not use real-time policies is warned in the
# output and in the manifest; wrong options say what would be right.
# Runs: alone
. tests/lib/lib.sh
agent=${IRQSCOPE_AGENT:-target/x86_64-unknown-linux-musl/release/irqscope-agent}

expect 0 "$IRQSCOPE" bench sched gtod async -l 200 --out "$WORK/run"
says "sched: "
# A busy machine may wake a thread after its next point: skipped, never dropped.
says "samples 2,400 = "
says "+ 0 dropped"
[ "$(field "$WORK/run/summary.json" "j['cases'][0]['identity_holds']")" = True ] || fail "no identity"
[ "$(field "$WORK/run/manifest.json" "j['complete']")" = True ] || fail "not complete"
grep -q '^\[bench.sched\]' <(field "$WORK/run/manifest.json" "j['scenario_toml']") ||
	fail "the scenario is not in the manifest"
# Such a run is reproducible from its scenario alone.
field "$WORK/run/manifest.json" "j['scenario_toml']" >"$WORK/again.toml"
expect 0 "$IRQSCOPE" run "$WORK/again.toml" --out "$WORK/again"
expect 0 "$IRQSCOPE" report "$WORK/run" --json
grep -q '"benchmark": "async"' "$WORK/said" || fail "no async in the summary"

# The same as a user with no rights at all, from where such a user may look.
if [ "$(id -u)" = 0 ]; then
	here=$(mktemp -d /tmp/irqscope-nobody.XXXXXX)
	trap 'rm -rf "$here"' EXIT
	chmod 777 "$here"
	install -m 755 "$agent" "$here/agent"
	install -m 755 "$IRQSCOPE" "$here/program"
	expect 0 env HOME="$here" TMPDIR="$here" IRQSCOPE_AGENT="$here/agent" \
		setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all \
		"$here/program" bench sched inversion -l 50 --out "$here/run"
	says "real-time policies are refused"
	says "inversion none-bounded was not run"
	grep -q "ran as SCHED_OTHER" "$here/run/manifest.json" || fail "manifest is silent"
	[ "$(field "$here/run/summary.json" \
		"[b['class'] for b in j['cases'][0]['benchmarks'] if b['benchmark']=='sched']")" = "['other']" ] ||
		fail "the summary does not say how sched was scheduled"
	[ -z "$(ls -d "$here"/irqscope.* 2>/dev/null)" ] || fail "a directory was left behind"
	nothing_left "$here/"
fi

# The agent by itself, as on a bare target.
expect 0 "$agent" bench sched sleep -l 100 -i 1000
says "sched fifo 80 cpu0"
says "sleep fifo 80"
expect 0 "$agent" bench gtod --variant counter -l 10 --frames "$WORK/frames"
[ -s "$WORK/frames" ] || fail "no frames"

expect 2 "$IRQSCOPE" bench shced
says "sched"
expect 2 "$IRQSCOPE" bench gtod --threads 2
says "--threads is a setting of sched"
expect 2 "$IRQSCOPE" bench sched --period 1us
says "period is 10us to 1h"
expect 2 "$IRQSCOPE" bench sched --variant dedline
says 'or "deadline"'
expect 2 "$agent" bench spin --threshold 1ns
says "threshold is 100ns or more"
