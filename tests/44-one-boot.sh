# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: a guest is booted once, and each case goes on from where the boot ended: samples are the
# same whether that was kept already or not, for stages, faults, benchmarks and an Arm machine, and
# from a second boot, too; a kept state or a kernel that is damaged is named and made anew; a kernel
# that does not come up has none; and nothing half-made is left.
# Runs: beside others
. tests/lib/lib.sh

# A cache with states of guests and images of its own.
cache="$WORK/cache"
states="$cache/snapshots"
cache_without "$cache" snapshots images
here() { IRQSCOPE_CACHE="$cache" "$IRQSCOPE" "$@"; }

run() { # NAME OPTIONS
	name=$1
	shift
	expect 0 here run demo --wide --kernel 6.1-rt --count 60 --out "$WORK/$name" "$@"
}

run first --state idle
one=$(ls "$states")
[ "$(ls "$states" | wc -l)" = 1 ] || fail "no state, or several: $one"
run kept --state idle
cmp "$WORK/first/samples.parquet" "$WORK/kept/samples.parquet" || fail "a kept state gives other samples"
# Another load goes on from the same state.
run load --state load
[ "$(ls "$states")" = "$one" ] || fail "a case with another plan has another state"
# Other devices, another command line: another state.
run parameters --state idle --set boot=nosoftlockup
[ "$(ls "$states" | wc -l)" = 2 ] || fail "another command line has no state of its own"

# From another boot, of a kernel that was damaged in the cache.
image=$(echo "$cache"/images/*/vmlinux)
[ -s "$image" ] || fail "no kernel out of its image"
printf X | dd of="$image" bs=1 seek=20000000 conv=notrunc status=none
rm -rf "$states"
run again --state idle
says "vmlinux is damaged"
cmp "$WORK/first/samples.parquet" "$WORK/again/samples.parquet" || fail "another boot gives other samples"
log=console-6.1-rt-idle.log
grep -q irqscope "$WORK/kept/$log" || fail "the boot is missing in the console log"
# Handing the samples over, before the restart, takes as long as the host likes.
boot_of() { grep -v reboot: "$WORK/$1/$log"; }
[ "$(boot_of first)" = "$(boot_of kept)" ] || fail "a kept state has another console log"

# Damage is named, and the guest is booted again; which damage there is, crates/rig tests.
state="$states/$one/state"
printf X | dd of="$state" bs=1 seek=40000000 conv=notrunc status=none
run damaged --state idle
says "was damaged"
cmp "$WORK/first/samples.parquet" "$WORK/damaged/samples.parquet" || fail "a damaged state gives other samples"
run after --state idle
grep -q "was damaged" "$WORK/said" && fail "damage is not mended"

# So for an Arm machine.
if in_soak "an Arm machine"; then
	arm() {
		expect 0 here run demo --kernel 6.1-arm64 --state idle --stage irq --stage user --count 60 \
			--out "$WORK/$1"
	}
	arm arm-first
	arm arm-kept
	cmp "$WORK/arm-first/samples.parquet" "$WORK/arm-kept/samples.parquet" || fail "Arm differs"
fi

# A kernel that panics has no state. This one does where the driver is loaded.
expect 3 here run demo --kernel 6.1-rt --state idle --count 60 --set boot=panic_on_taint=0x1000 \
	--out "$WORK/panics"
[ -z "$(find "$states" -name '.making-*')" ] || fail "something half-made is left"
nothing_left "qemu-system-.*$WORK"
