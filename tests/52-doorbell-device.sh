# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: on every kernel (two, until make soak) the doorbell's module is loaded, used and unloaded again
# and again; it is in use while a run is on; its device, removed in the middle of
# a run, goes when the run has ended, and can be used again when it is back. All
# that with a clean kernel log. On the virtual clock, where a busy host delays
# nothing.
# Runs: beside others
. tests/lib/lib.sh

need_guest

on_kernel() {
	kernel=$1
	mkdir "$WORK/$kernel"
	cat >"$WORK/$kernel/script" <<SCRIPT
cache=$CACHE
. $TESTS/lib/await.sh
. $TESTS/lib/driver.sh
SCRIPT
	cat >>"$WORK/$kernel/script" <<'SCRIPT'
cd /exchange
driver=$(built_driver)
scope=/sys/class/misc/irqscope

failed() {
	echo "FAIL: $*"
	exit 1
}

within() {
	await "$@" || failed "not within its time: $* (state $(cat $scope/state))"
}

is() { [ "$(cat $scope/state)" = $1 ]; }

load() {
	insmod "$driver/irqscope.ko" && insmod "$driver/irqscope_ivshmem.ko" || failed "load"
	echo "irq softirq tasklet work" >$scope/settings/stages
	echo ivshmem >$scope/settings/line
}

unload() {
	rmmod irqscope_ivshmem && rmmod irqscope || failed "unload"
}

for _ in $(seq 10); do
	load
	echo 5 >$scope/settings/count
	echo closed >$scope/settings/pacing
	echo 1 >$scope/run || failed "no run"
	within 20 is done
	[ "$(cat $scope/counters/complete)" = 5 ] || failed "not 5 complete"
	unload
done

load
echo line >$scope/settings/trigger
echo 1 >$scope/run || failed "no run"
is running || failed "not running"
grep -q "MSI.*irqscope" /proc/interrupts || failed "no MSI: $(grep irqscope /proc/interrupts)"
rmmod irqscope_ivshmem 2>/dev/null && failed "unloaded under a run"
device=$(realpath /sys/bus/pci/drivers/irqscope_ivshmem/0000:*)
(echo 1 >"$device/remove"; echo >removed) &
remover=$!
# It gets as far as the driver, which makes it wait for the end of the run.
waits_in_driver() { grep -q irqscope_ivshmem /proc/$remover/stack; }
within 20 waits_in_driver
[ ! -e removed ] || failed "the device went under a run"
is running || failed "not running any more"
echo 0 >$scope/run
within 20 test -e removed
echo 1 >$scope/run 2>/dev/null && failed "a run without a device"
echo 1 >/sys/bus/pci/rescan
within 20 test -e /sys/bus/pci/drivers/irqscope_ivshmem/"${device##*/}"
echo 1 >$scope/run || failed "no run when the device was back"
echo 0 >$scope/run
unload
echo "PASS on $(uname -r)"
SCRIPT
	run_guest 420 "$kernel" "$WORK/$kernel" virtual doorbell
	grep -E "WARNING:|BUG:|Oops|Call Trace" "$WORK/$kernel/console" && fail "$kernel: the kernel complained"
	grep -q "^PASS" "$WORK/$kernel/script.output" || fail "$kernel: did not pass"
}

kernels="6.1 6.12-rt"
if in_soak "6.1-rt and 6.12"; then kernels="$kernels 6.1-rt 6.12"; fi
for kernel in $kernels; do
	on_kernel $kernel
done
nothing_left "(qemu-system-x86_64|irqscope-vm).*$WORK"
