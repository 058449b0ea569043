# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: whatever is asked of the driver, in whatever order and by how many threads at
# once, the kernel has nothing to complain of: settings, devices and mappings are used
# rightly and wrongly while the module, those of response lines (parallel port, doorbell,
# GPIO), their devices and a CPU go and come, by numbers that follow
# from a seed. Afterwards the module unloads, nothing of it is leaked on a kernel that
# looks for leaks, and a measurement is complete. FUZZ_KERNEL names kernels that see more (kasan,
# source:6.12-rt+lockdep+kcsan+kcsan-modules), some of which let allocations fail; FUZZ_SECONDS
# and FUZZ_SEED say how long and what.
# Runs: beside others, early
. tests/lib/lib.sh

KERNELS=${FUZZ_KERNEL:-6.1 6.1-rt}
SECONDS_EACH=${FUZZ_SECONDS:-20}
SEED=${FUZZ_SEED:-$(date +%s)}
limit=$((SECONDS_EACH * 3 + 420))
need_guest
gcc -O2 -Wall -static -pthread -I kernel/irqscope/include -o "$WORK/driver-fuzz" \
	"$TESTS"/lib/driver-fuzz/*.c
gcc -O2 -static -o "$WORK/load-cycles" "$TESTS/lib/load-cycles.c"

on_kernel() {
	kernel=$1
	label=${kernel#source:}
	exchange=$WORK/${label//\//-}
	mkdir "$exchange"
	case $kernel in *kasan | kcsan | lockdep | source:*) "$IRQSCOPE" kernel build "$kernel" ;; esac
	cp "$WORK/driver-fuzz" "$WORK/load-cycles" "$exchange"
	cp -r kernel/gpio-double "$exchange/double"
	read -r release image < <("$IRQSCOPE" kernel list | awk -v name="$kernel" '$1 == name { print $2, $3 }')
	make -s -C "${image%/*}/usr/src/linux-headers-$release" M="$exchange/double" modules
	printf 'cache=%s seconds=%s seed=%s\n. %s\n' "$CACHE" "$SECONDS_EACH" "$SEED" "$TESTS/lib/driver.sh" >"$exchange/script"
	cat >>"$exchange/script" <<'SCRIPT'
cd /exchange
# In memory: the host's file system does not stand it when an allocation fails.
drivers=/run/drivers
mkdir $drivers
cp "$(built_driver)"/irqscope*.ko $drivers || exit 1
debug=/sys/kernel/debug
# No word of the driver's about a bad value: there are thousands.
echo 4 >/proc/sys/kernel/printk
[ -e /proc/sys/kernel/hung_task_timeout_secs ] && echo 60 >/proc/sys/kernel/hung_task_timeout_secs
mountpoint -q $debug || mount -t debugfs none $debug
insmod "$(find "/lib/modules/$(uname -r)/kernel/" -name 'parport.ko*')" || exit 1
insmod double/gpio_double.ko || exit 1
[ -e $debug/kcsan ] && echo on >$debug/kcsan
fail=
if [ -e $debug/failslab ]; then
	fail=fail
	./driver-fuzz "$seed" $((60 + seconds / 2)) "$drivers/irqscope.ko" sweep || exit 1
fi
lines="trigger=double-edge:0 responses=double-edge:1,double-edge:2,double-edge:3"
./driver-fuzz "$seed" "$seconds" "$drivers/irqscope.ko" port="$drivers/irqscope_parport.ko" \
	port="$drivers/irqscope_ivshmem.ko" port="$drivers/irqscope_gpio.ko,$lines" $fail || exit 1
if [ -e $debug/kcsan ]; then
	# A kernel that never waited for a race cannot have seen one.
	sed -n 's/^setup_watchpoints: */watched accesses: /p' $debug/kcsan | tee watched
	[ "$(sed 's/.* //' watched)" -gt "$seconds" ] || { echo "FAIL: KCSAN watched nothing"; exit 1; }
fi
[ "$(cat /sys/devices/system/cpu/online)" = 0-1 ] || { echo "FAIL: a CPU is missing"; exit 1; }
# The ports hold the module; so does an opener, of which none is left.
for port in parport ivshmem gpio; do
	[ ! -e /sys/module/irqscope_$port ] || rmmod irqscope_$port || exit 1
done
timeout 60 rmmod irqscope || { echo "FAIL: the module does not unload"; exit 1; }
./load-cycles "$drivers/irqscope.ko" 3 "irq softirq tasklet work thread kthread" || exit 1
echo "measured afterwards"
if [ -e $debug/kmemleak ]; then
	# The newest objects are passed over, and one scan alone misses some.
	sleep 6
	echo scan >$debug/kmemleak
	sleep 6
	echo scan >$debug/kmemleak
	cat $debug/kmemleak >leaks
	grep -B 2 -A 20 '\[irqscope' leaks && { echo "FAIL: leaked"; exit 1; }
fi
if [ -e /proc/lockdep_stats ]; then
	grep -q 'debug_locks: *1' /proc/lockdep_stats || { echo "FAIL: lockdep is off"; exit 1; }
fi
echo "to the end on $(uname -r)"
SCRIPT
	known=
	case $kernel in
	# Where allocations fail, unregister_irq_proc() removes entries that could not be made
	# and warns that they are not there (kernel/irq/proc.c).
	*kasan*) known=known=remove_proc_entry ;;
	esac
	run_guest "$limit" "$kernel" "$exchange" cpus=2 turns doorbell $known
	output=$exchange/script.output
	grep -q "^FAIL" "$output" && fail "$kernel: $(grep "^FAIL" "$output")"
	grep -q "^to the end" "$output" || fail "$kernel: not to the end"
	grep "^fuzzed: seed $SEED" "$output" || fail "$kernel: not fuzzed"
	grep "^watched accesses:" "$output" || true
	# A driver that is not there cannot be used wrongly: it was there, and gone, again and again.
	read -r runs opens loads < <(sed -nE 's/^end:.* runs ([0-9]+), opens ([0-9]+),.* loads ([0-9]+),.*/\1 \2 \3/p' "$output")
	[ "$runs" -gt $((SECONDS_EACH / 20)) ] && [ "$opens" -gt $((SECONDS_EACH / 4)) ] && [ "$loads" -gt $((SECONDS_EACH / 20)) ] ||
		fail "$kernel: the driver was hardly there: $(grep "^end:" "$output")"
}

for kernel in $KERNELS; do on_kernel "$kernel"; done
nothing_left "(qemu-system-x86_64|irqscope-vm).*$WORK"
