# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: in the twin everything that takes an isolated CPU away from its loop is explained, the same each
# time: a function called from another CPU, a timer and a work, each of a known number of instructions,
# are named with the code that asked for them, and 1,000 instructions more in them are 1,000 more; settings
# that keep disturbances away are named, and do so. On a machine that is there the kernel's tracepoints
# name them. A run without such a loop is refused.
# Runs: beside others, early
. tests/lib/lib.sh

scenario=$TESTS/scenarios/isolate/isolate.toml
measure() { # NAME OPTIONS...
	name=$1
	shift
	expect 0 "$IRQSCOPE" run "$scenario" --allow-commands --no-report --out "$WORK/$name" "$@"
	expect 0 "$IRQSCOPE" isolate "$WORK/$name" --json
	cp "$WORK/said" "$WORK/$name.json"
}
kernels=(--kernel 6.12-rt)
if in_soak 6.1; then kernels=(); fi
measure one "${kernels[@]}"
measure again --kernel 6.12-rt
expect 0 "$IRQSCOPE" report "$WORK/again"
for text in 'Isolated CPUs' culprit_called culprit_asks; do
	grep -q "$text" "$WORK/again/report.html" || fail "the report lacks $text"
done
measure more "${kernels[@]}" --set 'modules=["./module instructions=3000"]'
measure before --kernel 6.12 --set 'boot=nowatchdog' --set 'modules=[]'
measure after --kernel 6.12 --set 'boot=isolcpus=1 nohz_full=1 nowatchdog' --set 'modules=[]'

python3 - "$WORK" <<'PY'
import json, sys
def read(name):
    return json.load(open(f"{sys.argv[1]}/{name}.json"))
def with_act(cpu, begin):
    found = [cause for cause in cpu["causes"] if any(act.startswith(begin) for act in cause["acts"])]
    assert found, (cpu["case"], begin, [cause["acts"] for cause in cpu["causes"]])
    return found
def same(cause, cpu):
    return [other for other in cpu["causes"]
            if all(other[key] == cause[key] for key in ("entry", "acts", "from"))]
assert read("one")[-1:] == read("again"), "two runs differ"
for cpu, longer in zip(read("one"), read("more")):
    case = cpu["case"]
    assert cpu["ended"] and cpu["cpu"] == 1 and cpu["unexplained"] == 0 and cpu["count"] > 0, cpu
    assert sum(cause["count"] for cause in cpu["causes"]) == cpu["count"], case
    for act in ["call culprit_called", "timer culprit_expired", "work culprit_worked"]:
        found = with_act(cpu, act)
        count = sum(cause["count"] for cause in found)
        lengths = [(cause["longest_ns"], other["longest_ns"]) for cause in found for other in same(cause, longer)]
        print(f"{case}: {act}: {count}, longest before and after {lengths}")
        assert 8 <= count <= 40, (case, act, count)
    called = with_act(cpu, "call culprit_called")
    assert all(cause["from"]["cpu"] == 0 and cause["from"]["thread"] == "culprit" for cause in called), called
    assert all("culprit_asks" in " ".join(cause["from"]["callers"]) for cause in called), called
    # Two nanoseconds are an instruction: the same way takes 1,000 instructions more.
    most = max(called, key=lambda cause: cause["count"])
    [more] = same(most, longer)
    assert more["longest_ns"] - most["longest_ns"] == 2000, (case, most, more)
    for cause in with_act(cpu, "work culprit_worked"):
        assert any(act.startswith("thread kworker/1:") for act in cause["acts"]), cause
[before], [after] = read("before"), read("after")
remedies = {remedy for cause in before["causes"] for remedy in cause["remedies"]}
assert any(remedy.startswith("nohz_full=1") for remedy in remedies), remedies
print("disturbances before and after:", before["count"], after["count"])
assert before["count"] >= 120 and after["count"] * 20 < before["count"]
assert before["unexplained"] == after["unexplained"] == 0
PY
expect 0 "$IRQSCOPE" isolate "$WORK/one" --top 3
says "to keep away"
python3 -c 'import sys; sys.exit(any(len(line.rstrip("\n")) > 80 for line in open(sys.argv[1])))' "$WORK/said" || fail "a line is longer than 80 columns"
expect 0 "$IRQSCOPE" isolate "$WORK/one" --case 6.12-rt/idle
expect 0 "$IRQSCOPE" gate "$WORK/one" --max 'isolate other cpu1<1ms@max'

cat >"$WORK/real.toml" <<'TOML'
version = 1
about = "A loop on the second CPU of a virtual machine"
rig = "vm"
kernels = ["6.12"]
states = ["idle"]
[bench]
cpu = 1
[bench.isolate]
duration = "2s"
threshold = "2us"
TOML
expect 0 "$IRQSCOPE" run "$WORK/real.toml" --no-report --out "$WORK/real"
expect 0 "$IRQSCOPE" isolate "$WORK/real" --json
python3 - "$WORK/said" <<'PY'
import json, sys
[cpu] = json.load(open(sys.argv[1]))
acts = {act for cause in cpu["causes"] for act in cause["acts"]}
print(cpu["count"], "gaps,", cpu["unexplained"], "that no tracepoint saw;", sorted(acts)[:8])
assert "timer tick_nohz_handler" in acts and cpu["ended"]
PY

expect 2 "$IRQSCOPE" isolate "$WORK/one" --case 6.1/none
says "no case 6.1/none"
expect 0 "$IRQSCOPE" run "$TESTS/scenarios/quick.toml" --kernel 6.1 --no-report --out "$WORK/stages"
expect 2 "$IRQSCOPE" isolate "$WORK/stages"
says "no isolated CPU"
expect 2 "$IRQSCOPE" run "$scenario" --allow-commands --set bench.isolate.duration=1us
says "1ms to 1h"
expect 2 "$IRQSCOPE" run "$scenario" --allow-commands --set bench.isolate.threshold=1ns
says "100ns or more"
expect 2 "$IRQSCOPE" run "$scenario" --allow-commands --kernel 6.1-arm64 --set 'modules=[]' --set 'boot=nowatchdog'
says "x86-64"
