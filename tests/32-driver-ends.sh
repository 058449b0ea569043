# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: every run ends, whatever was asked of it: counted triggers of which some are
# merged before their handler (a hard handler that takes longer than the period), runs
# that wait for a late answer and are stopped meanwhile, runs that end while another
# CPU writes to the user stage's device, and writes that answer nothing make no edge. The
# module can be unloaded after each, and the kernel's log is clean.
# Runs: alone
. tests/lib/lib.sh

need_guest
gcc -O2 -static -pthread -I kernel/irqscope/include -o "$WORK/user-edges" "$TESTS/lib/user-edges.c"

on_kernel() {
	kernel=$1
	mkdir "$WORK/$kernel"
	cp "$WORK/user-edges" "$WORK/$kernel"
	printf 'cache=%s\n. %s\n. %s\n' "$CACHE" "$TESTS/lib/await.sh" "$TESTS/lib/driver.sh" >"$WORK/$kernel/script"
	cat >>"$WORK/$kernel/script" <<'SCRIPT'
cd /exchange
module=$(built_driver)/irqscope.ko
scope=/sys/class/misc/irqscope

unload() {
	timeout 20 rmmod irqscope || { echo "FAIL: cannot unload after $1"; exit 1; }
}

insmod "$module"
for setting in "trigger inject" "compensate counter" "period_ns 200000" "count 2000" \
	"timeout_ms 1000" "execution irq fixed 700000" "stages irq softirq work kthread"; do
	echo "${setting#* }" >"$scope/settings/${setting%% *}"
done
echo 1 >"$scope/run"
await 60 grep -qE "done|stopped|failed" "$scope/state" || { echo "FAIL: the run does not end: $(cat "$scope/state")"; exit 1; }
sum=0
for counter in complete missing coalesced overrun; do
	sum=$((sum + $(cat "$scope/counters/$counter")))
done
merged=$(cat "$scope/counters/coalesced")
echo "counted: $(cat "$scope/state"), 2000 = $sum, $merged merged"
[ "$sum" = 2000 ] || { echo "FAIL: not every trigger is accounted for"; exit 1; }
[ "$merged" -gt 0 ] || { echo "FAIL: none was merged, so this shows nothing"; exit 1; }
unload "a counted run"

# An opener of the user stage's device that never answers: the run waits for it, for
# longer than this test lasts.
insmod "$module"
exec 3<>/dev/irqscope-user
for setting in "stages irq user" "count 1" "timeout_ms 600000"; do
	echo "${setting#* }" >"$scope/settings/${setting%% *}"
done
echo 1 >"$scope/run"
draining() { [ "$(cat "$scope/state")" = draining ]; }
await 20 draining || { echo "FAIL: no answer is waited for: $(cat "$scope/state")"; exit 1; }
[ "$(timeout 5 cat "$scope/kthread_pid")" = 0 ] || { echo "FAIL: cannot read while a run drains"; exit 1; }
timeout 5 sh -c "echo 0 >$scope/run" || { echo "FAIL: a run that drains cannot be stopped"; exit 1; }
[ "$(cat "$scope/state")" = stopped ] || { echo "FAIL: $(cat "$scope/state") instead of stopped"; exit 1; }
[ "$(cat "$scope/counters/missing")" = 1 ] || { echo "FAIL: the missing answer is not counted"; exit 1; }
exec 3<&-
echo "a run that drains was stopped"
unload "a run that was stopped while it drained"

insmod "$module"
timeout 120 ./user-edges || exit 1
unload "writes"
SCRIPT
	run_guest 300 "$kernel" "$WORK/$kernel" cpus=2
	grep -q "200 runs ended" "$WORK/$kernel/script.output" || fail "$kernel: not to the end"
}

for kernel in 6.1 6.1-rt; do on_kernel "$kernel"; done
nothing_left "qemu-system-x86_64.*$WORK"
