# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: benchmarks run on this machine, as root and as user `nobody`, without a driver
# and without leaving anything behind; a user who may not use real-time policies is warned in the
# output and in the manifest; wrong options say what would be right.
# Runs: alone
. tests/lib/lib.sh
agent=$PARTS/irqscope-agent-x86_64

expect 0 "$IRQSCOPE" bench sched gtod async -l 200 --out "$WORK/run"
says "sched: "
# A busy machine may wake a thread after its next point: skipped, never dropped.
holds "$WORK/run/summary.json" "sum(b['count'] + b['skipped'] for b in c['benchmarks']) == 2400" "not 2,400 samples"
holds "$WORK/run/summary.json" "not any(b['dropped'] for b in c['benchmarks'])" "samples were dropped"
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
	install -m 755 "$agent" "$here"
	install -m 755 "$IRQSCOPE" "$here/program"
	expect 0 env HOME="$here" TMPDIR="$here" \
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

# Work takes the times that were asked for. The guard ends an unbounded round after its limit, by the
# clock. Everything else is turns of a loop, as fast as this machine is at the moment: four times the
# work takes at least twice as long.
asked() { # directory and times
	local where=$1
	shift
	expect 0 "$IRQSCOPE" bench inversion jitter spin async --cpu 1 --from-cpu 0 "$@" --limit 5ms \
		--duration 50ms --load busy --idle-states -l 30 --out "$where"
}
asked "$WORK/asked" --hold 300us --middle 2ms --work 40us
asked "$WORK/fourfold" --hold 1200us --middle 8ms --work 160us
python3 - "$WORK/asked/summary.json" "$WORK/fourfold/summary.json" <<'PY'
import json, sys

def read(path):
    [case] = json.load(open(path))["cases"]
    assert case["case"].endswith("/load"), case["case"]
    return [b for b in case["benchmarks"] if b["count"]]

def least(benchmarks):
    return {(b["benchmark"], b["variant"], b["series"]): b["min_ns"] for b in benchmarks}

real_time = any(b["class"].startswith("fifo") for b in read(sys.argv[1]))
asked, fourfold = (least(read(path)) for path in sys.argv[1:])
longer = [name for name in asked if name[0] == "jitter" and name[2] == "work"]
assert len(longer) == 1, longer
if real_time:
    longer += [("inversion", "inherit-bounded", "wait"), ("inversion", "none-bounded", "wait")]
    assert asked["inversion", "none-unbounded", "wait"] > 5_000_000, asked
for name in longer:
    print(name, asked[name], fourfold[name])
    assert fourfold[name] > 2 * asked[name], (name, asked[name], fourfold[name])
PY
holds "$WORK/asked/manifest.json" "c['plan']['idle_states']" "deep idle states were left out"
expect 0 "$IRQSCOPE" bench sched --variant deadline --runtime 200us -l 30 --out "$WORK/deadline"
grep -q 'runtime = "200us"' <(field "$WORK/deadline/manifest.json" "j['scenario_toml']") || fail "another budget"

# The agent by itself, as on a bare target.
expect 0 "$agent" bench sched sleep -l 100 -i 1000us
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
