# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: a thread's own sleep is a trigger: to its instant, on every kernel, exactly once for each;
# what delays it is named as surely as with other kinds of triggers; what cannot be asked of it
# is refused, and a run whose thread goes away ends.
# Runs: beside others, early
. tests/lib/lib.sh

need_guest

scenario() {
	printf '%s\n' 'version = 1' 'about = "sleeps"' 'rig = "twin"' "kernels = $2" 'states = ["idle"]' \
		'[trigger]' 'kind = "sleep"' 'period = "1100us"' 'count = 300' "${@:3}" >"$WORK/$1.toml"
}

# Every kernel; and a known delay in front of the timer's stamp is in both stages, to the instruction.
scenario all '["5.10", "6.1", "6.1-rt", "6.12", "6.12-rt", "7.3"]'
scenario none '["6.1", "6.1-rt"]' '[test]' 'stage = "irq"' 'instructions = 0'
scenario delayed '["6.1", "6.1-rt"]' '[test]' 'stage = "irq"' 'instructions = 2000'
for name in all none delayed; do
	expect 0 "$IRQSCOPE" run "$WORK/$name.toml" --out "$WORK/$name"
done
python3 - "$WORK/all/summary.json" <<'PY'
import json, sys
cases = json.load(open(sys.argv[1]))["cases"]
assert len(cases) == 6, cases
for case in cases:
    p50 = {stage["stage"]: stage["p50_ns"] for stage in case["stages"]}
    print(case["case"], p50)
    assert case["triggers"] == case["complete"] == 300, case
    assert set(p50) == {"irq", "user"} and 0 < p50["irq"] < p50["user"], p50
PY
target/venv/bin/python "$TESTS/99-sleeps.py" "$WORK/none" "$WORK/delayed"

# The same thread without any probe, by its own clock: what the probes add is little, and not less than nothing.
printf '%s\n' 'version = 1' 'about = "the same"' 'rig = "twin"' 'kernels = ["6.1", "6.1-rt"]' 'states = ["idle"]' \
	'[bench.sched]' 'period = "1100us"' 'count = 300' >"$WORK/sched.toml"
expect 0 "$IRQSCOPE" run "$WORK/sched.toml" --out "$WORK/sched"
python3 - "$WORK"/{all,sched}/summary.json <<'PY'
import json, sys
sleeps, sched = ({case["case"]: case for case in json.load(open(path))["cases"]} for path in sys.argv[1:])
assert len(sched) == 2, sched.keys()
for name, case in sched.items():
    plain = case["benchmarks"][0]["p50_ns"]
    probed = next(stage["p50_ns"] for stage in sleeps[name]["stages"] if stage["stage"] == "user")
    print(f"{name}: {probed} ns with probes, {plain} ns without")
    assert 0 < probed - plain < 1000, (name, probed, plain)
PY

# The bundled scenario, its own sum of causes, and the same digest again.
for run in first again; do
	expect 0 "$IRQSCOPE" run sleeps --count 500 --out "$WORK/$run"
done
digest() { python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["digest"])' "$WORK/$1/summary.json"; }
[ "$(digest first)" = "$(digest again)" ] || fail "two runs differ"
expect 0 "$IRQSCOPE" explain "$WORK/first"
grep -q "not preempted: load-copy" "$WORK/said" || fail "the load is not named"
grep -q "hrtimer_wakeup" "$WORK/said" && fail "the sleep's own timer is blamed"

# The bundled faults. On RT a thread of priority 80 waits for no softirq, and for no work.
sed -e 's/^count = .*/count = 1500/' -e 's/^kind = .*/kind = "sleep"/' -e 's/"smi",//' \
	scenarios/faults.toml >"$WORK/faults.toml"
expect 0 "$IRQSCOPE" run "$WORK/faults.toml" --out "$WORK/faults"
expect 0 "$IRQSCOPE" explain "$WORK/faults" --truth --json
python3 "$TESTS/lib/found_faults.py" "$WORK/said" 200 rt:bh-off rt:softirq rt:work

# The settings that a sleep refuses.
refused() {
	expect 2 "$IRQSCOPE" scenario check "$WORK/$1.toml"
	grep -qF "$2" "$WORK/said" || fail "$1: no word of $2"
}
scenario open '["6.1"]' 'pacing = "open"'
refused open "leave trigger.pacing out"
scenario bursts '["6.1"]' 'burst = 4' 'interval = "20us"'
refused bursts "once at a time"
scenario others '["6.1"]'
sed -i '1i stages = ["irq", "softirq", "user"]' "$WORK/others.toml"
refused others 'stages = ["user"]'

# The driver by itself: wrong settings, no thread, and a thread that goes away.
mkdir "$WORK/guest"
printf 'cache=%s\n. %s\n. %s\n' "$CACHE" "$TESTS/lib/await.sh" "$TESTS/lib/driver.sh" >"$WORK/guest/script"
cat >>"$WORK/guest/script" <<'SCRIPT'
cd /exchange
insmod "$(built_driver)/irqscope.ko"
scope=/sys/class/misc/irqscope
begin() {
	for setting in "trigger sleep" "stages irq user" "pacing closed" "count 50" "timeout_ms 1000" "$@"; do
		echo "${setting#* }" >"$scope/settings/${setting%% *}"
	done
	echo 1 >"$scope/run"
}
begin 2>said && { echo "FAIL: began without a thread"; exit 1; }
dmesg | grep -q "let it open /dev/irqscope-user" || { echo "FAIL: no word of the thread"; exit 1; }
exec 3<>/dev/irqscope-user
for wrong in "pacing open" "burst 2" "stages irq softirq user" "stages irq" "inside off"; do
	begin "$wrong" 2>said && { echo "FAIL: began with $wrong"; exit 1; }
	echo 1 >$scope/settings/burst
	echo on >$scope/settings/inside
done
begin || { echo "FAIL: does not begin"; exit 1; }
[ "$(cat $scope/state)" = running ] || { echo "FAIL: $(cat $scope/state)"; exit 1; }
exec 3<&-
grep -q "failed: its thread closed" $scope/state || { echo "FAIL: $(cat $scope/state)"; exit 1; }
# One that reads and never sleeps makes no trigger, and can be stopped.
exec 3<>/dev/irqscope-user
begin || { echo "FAIL: does not begin again"; exit 1; }
dd bs=32 count=20 <&3 >calls 2>/dev/null
[ "$(stat -c %s calls)" = 640 ] || { echo "FAIL: $(stat -c %s calls) bytes of calls"; exit 1; }
[ "$(cat $scope/counters/triggers)" = 0 ] || { echo "FAIL: a trigger without a sleep"; exit 1; }
echo 0 >$scope/run
[ "$(cat $scope/state)" = stopped ] || { echo "FAIL: $(cat $scope/state) instead of stopped"; exit 1; }
exec 3<&-
timeout 20 rmmod irqscope || { echo "FAIL: cannot unload"; exit 1; }
echo "all ended"
SCRIPT
for kernel in 6.1 6.1-rt; do
	run_guest 200 "$kernel" "$WORK/guest" cpus=2
	grep -q "all ended" "$WORK/guest/script.output" || fail "$kernel: not to the end"
done
nothing_left "qemu-system-x86_64.*$WORK"
