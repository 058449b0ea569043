# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: what a real-time thread waits for while the scheduler keeps real-time threads off the CPU is called so:
# by real-time throttling before Linux 6.12, by the fair server since then, which acts for ordinary threads only.
# On RT kernels, where such a loop keeps timers and RCU from going on for good, it is ended and named.
# Runs: beside others, early
. tests/lib/lib.sh

expect 0 "$IRQSCOPE" run tests/scenarios/throttled/throttled.toml --allow-commands --no-report --out "$WORK/run"
expect 0 "$IRQSCOPE" explain "$WORK/run"
says "throttled: the scheduler kept real-time threads off the CPU"
says "  6.1: sysctl kernel.sched_rt_runtime_us=-1"
says "  6.12: 0 in /sys/kernel/debug/sched/fair_server/cpu*/runtime"
expect 0 "$IRQSCOPE" explain "$WORK/run" --json
python3 - "$WORK/said" <<'PY'
import json, sys
LATE = 1_000_000  # later than anything else makes a thread of this scenario
found = json.load(open(sys.argv[1]))
assert len(found) == 12, len(found)
for one in found:
    kernel, state = one["case"].split("/")
    assert one["violations"] == 0, one
    held_up = {(held["kind"], held["name"]): held["longest_ns"] for held in one["held_up"]}
    late = {cause: ns for cause, ns in held_up.items() if ns > LATE}
    throttled = {name: ns for (kind, name), ns in held_up.items() if kind == "throttled"}
    where = f"{one['case']} {one['stage']}: {held_up}"
    assert {kind for kind, _ in late} <= {"throttled"}, where
    to_set = [text for held in one["held_up"] if held["kind"] == "throttled" for text in held["settings"]]
    setting = {"6.1": "sched_rt_runtime_us", "6.12": "fair_server"}[kernel]
    assert all(setting in text for text in to_set) and bool(to_set) == bool(throttled), (where, to_set)
    if state == "idle" or (state, kernel) == ("alone", "6.12"):
        # No ordinary thread is ready for longer than the server lets one wait.
        assert not late, where
        assert state != "idle" or not throttled, where
    else:
        name = "loop.sh" if state == "beside" else "swapper/0"
        # It is stopped for 50 ms, and the first trigger in these comes after at most one period.
        assert 44_000_000 < throttled[name] < 56_000_000, where
        print(f"{one['case']} {one['stage']}: throttled for {throttled[name]} ns")
PY

for kernel in 6.1-rt 6.12-rt; do
	run=$WORK/starved-$kernel
	expect 4 "$IRQSCOPE" run tests/scenarios/throttled/throttled.toml --kernel $kernel --state alone --allow-commands \
		--no-report --out "$run"
	says "load real-time was ended: it kept"
	says "real-time (fifo 1)"
	says "kthread_prio"
done
