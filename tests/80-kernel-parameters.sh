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

# 6.1 has preempt=, and none that is called lazy.
expect 2 "$IRQSCOPE" run timers.toml --set 'axes.highres=["on"]' --set boot=preempt=lazy --out lazy
says "does not know these parameters, or not their values: preempt=lazy"

expect 2 "$IRQSCOPE" run timers.toml --set boot=console=tty0
says '`console` is the rig'"'"'s own'
expect 2 "$IRQSCOPE" run demo --rig local --set boot=idle=poll
says "boots nothing"
