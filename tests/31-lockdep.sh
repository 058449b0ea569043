# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: the driver and the culprits' module break no rule of locking: on a kernel
# with lockdep, DEBUG_ATOMIC_SLEEP and their like, every stage is measured with
# events, idle and among 256 busy processes, every fault happens, the driver is
# loaded and unloaded again and again, and the kernel's log stays clean with lockdep
# still on at the end. And code that does break one is found.
# Runs: beside others, in make soak
. tests/lib/lib.sh

# The patched one, switched off, so that one kernel with lockdep is enough for all.
KERNEL=${LOCKDEP_KERNEL:-delayed-locking-debug}
CYCLES=${CYCLES:-20}
expect 0 "$IRQSCOPE" kernel build "$KERNEL"
RELEASE=$(sed -n "s/^$KERNEL  *//p" "$WORK/said")
need_guest
HEADERS=$(echo "$CACHE"/builds/*/usr/src/linux-headers-"$RELEASE")

cat >"$WORK/stages.toml" <<TOML
version = 1
about = "Every stage with its events"
kernels = ["$KERNEL"]
states = ["idle", "many"]
explain = true
[trigger]
kind = "line"
period = "2ms"
count = 500
TOML
expect 0 "$IRQSCOPE" run "$WORK/stages.toml" --out "$WORK/stages"
expect 0 "$IRQSCOPE" explain "$WORK/stages"
says ", 0 not the sum of their segments"

cat >"$WORK/faults.toml" <<TOML
version = 1
about = "Every fault, with and without the locks that some need"
kernels = ["$KERNEL"]
states = ["idle"]
explain = true
[faults]
length = "200us"
interval = "1200us"
seed = 3
[trigger]
kind = "line"
period = "2ms"
count = 500
TOML
expect 0 "$IRQSCOPE" run "$WORK/faults.toml" --out "$WORK/faults"

# Code that takes two locks in both orders, or sleeps with one held, is reported.
module() { # NAME, its init function's body on stdin
	mkdir "$WORK/$1"
	echo "obj-m := $1.o" >"$WORK/$1/Kbuild"
	{
		cat <<-'C'
			#include <linux/delay.h>
			#include <linux/module.h>
			#include <linux/spinlock.h>
			static DEFINE_SPINLOCK(first);
			static DEFINE_SPINLOCK(second);
			static int __init wrong(void)
			{
		C
		cat
		echo 'return 0; } module_init(wrong); MODULE_LICENSE("GPL");'
	} >"$WORK/$1/$1.c"
	make -s -C "$HEADERS" M="$WORK/$1" modules ||
		fail "cannot build $1"
}

guest() { # STATUS NAME, a script on stdin
	mkdir -p "$WORK/$2"
	cat >"$WORK/$2/script"
	local limit=$((420 + 2 * CYCLES))
	expect "$1" timeout $((limit + 30)) "$GUEST" "$KERNEL" "$WORK/$2" virtual limit=$limit
}

module orders <<'C'
spin_lock(&first); spin_lock(&second); spin_unlock(&second); spin_unlock(&first);
spin_lock(&second); spin_lock(&first); spin_unlock(&first); spin_unlock(&second);
C
module sleeps <<'C'
spin_lock(&first); msleep(1); spin_unlock(&first); (void)second;
C
guest 3 orders <<'SCRIPT'
insmod /exchange/orders.ko
SCRIPT
says "possible circular locking"
guest 3 sleeps <<'SCRIPT'
insmod /exchange/sleeps.ko
SCRIPT
says "BUG: "

mkdir "$WORK/cycles"
gcc -O2 -static -o "$WORK/cycles/load-cycles" "$TESTS/lib/load-cycles.c"
{
	echo "cache=$CACHE cycles=$CYCLES"
	echo ". $TESTS/lib/driver.sh"
	cat <<'SCRIPT'
module=$(built_driver)/irqscope.ko
/exchange/load-cycles "$module" "$cycles" "irq softirq tasklet work thread kthread" || exit 1
grep -q 'debug_locks: *1' /proc/lockdep_stats || { echo "FAIL: lockdep is off"; exit 1; }
echo "$cycles times on $(uname -r)"
SCRIPT
} | guest 0 cycles
grep "^$CYCLES times" "$WORK/cycles/script.output" || fail "not $CYCLES times"
nothing_left "qemu-system-x86_64.*$WORK"
