# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: kernel parameters of a scenario are in force in the guest and in the manifest, levels of an axis are cases of
# their own that differ as they must, and what a kernel does not know, or a rig does not boot, is refused.
# Runs: beside others
. tests/lib/lib.sh
cd "$WORK"

cat >timers.toml <<'TOML'
version = 1
about = "A periodic thread with and without high-resolution timers"
kernels = ["6.1"]
states = ["idle"]
boot = "threadirqs"
[axes]
highres = ["on", "off"]
[bench.sched]
period = "5ms"
count = 50
TOML
expect 0 "$IRQSCOPE" scenario show timers.toml
says "#   6.1/idle/highres-off: 50 samples"
expect 0 "$IRQSCOPE" run timers.toml --out timers
python3 - <<'PY' || fail "the parameters are not in force"
import json
cases = json.load(open("timers/manifest.json"))["cases"]
for case, level in zip(cases, ["on", "off"], strict=True):
    boot = f"threadirqs highres={level}"
    print(case["case"], case["target"]["cmdline"])
    assert case["case"] == f"6.1/idle/highres-{level}"
    assert case["boot"] == boot and case["levels"] == {"highres": level}
    assert case["target"]["cmdline"].endswith(" " + boot)
# Without such timers a thread wakes at ticks, which on this kernel are 4 ms apart.
ns = [case["benchmarks"][0]["p50_ns"] for case in json.load(open("timers/summary.json"))["cases"]]
print(ns)
assert ns[0] < 50_000 and 500_000 < ns[1] < 4_100_000
PY
expect 0 "$IRQSCOPE" compare timers#6.1/idle/highres-on timers#6.1/idle/highres-off
says "highres=off"

# A report puts the levels of an axis beside each other, on the terminal and on its page.
expect 0 "$IRQSCOPE" report timers --by highres
python3 - "$WORK/said" timers/summary.json <<'PY' || fail "not by the axis"
import json, sys
lines = open(sys.argv[1]).read().splitlines()
head = next(line.split() for line in lines if line.startswith("stage"))
assert head[-3:] == ["on", "off", "x"], head
median = next(line.split() for line in lines if " p50 " in line)
on, off = (case["benchmarks"][0]["p50_ns"] for case in json.load(open(sys.argv[2]))["cases"])
assert [float(text.replace(",", "")) for text in median[-3:-1]] == [round(ns / 1000, 2) for ns in (on, off)], median
assert abs(float(median[-1]) - off / on) < 0.006, median
PY
grep -q 'id="by-highres"' timers/report.html || fail "the report has no table by the axis"
expect 2 "$IRQSCOPE" report timers --by state
says "no two levels of \`state\`: there are highres"

# 6.1 has preempt=, and none that is called lazy.
expect 2 "$IRQSCOPE" run timers.toml --set 'axes.highres=["on"]' --set boot=preempt=lazy --out lazy
says "does not know these parameters, or not their values: preempt=lazy"

expect 2 "$IRQSCOPE" run timers.toml --set boot=console=tty0
says '`console` is the rig'"'"'s own'
expect 2 "$IRQSCOPE" run demo --rig local --set boot=idle=poll
says "boots nothing"
