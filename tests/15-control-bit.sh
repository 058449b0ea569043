# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: a driver that forgets to let the port's interrupt through is found out.
# The generator keeps the port's own switch, so it never gets a trigger, and the
# measurement is called invalid with the reason.
# Runs: beside others
. tests/lib/lib.sh

expect 0 "$IRQSCOPE" run "$TESTS/scenarios/few.toml" --out "$WORK/good"
# A cache of its own with the same kernels, for a driver of its own.
cache_without "$WORK/cache" drivers snapshots
cp -r "$CACHE/drivers" "$WORK/cache/drivers"
export IRQSCOPE_CACHE=$WORK/cache

cp -r kernel/irqscope "$WORK/forgets"
sed -i 's/irqscope_parport_switch(port, IRQSCOPE_PC_INTERRUPT)/irqscope_parport_switch(port, 0)/' "$WORK/forgets/parport.c"
# The edges of lines 8 to 11 would let it through as well; these stages have none.
cmp -s kernel/irqscope/parport.c "$WORK/forgets/parport.c" && fail "the driver was not changed"
headers=$(echo "$CACHE"/kernels/6.1/usr/src/linux-headers-*-amd64)
make -s -C "$WORK/forgets" KDIR="$headers" BUILD="$WORK/build" >"$WORK/make" 2>&1 || { cat "$WORK/make"; fail "make"; }
for driver in "$WORK"/cache/drivers/"$(basename "$headers" | sed 's/linux-headers-//')"-*; do
	cp "$WORK/build/irqscope_parport.ko" "$driver/irqscope_parport.ko"
done
# The record of the right one would make that this one is noticed, and made anew.
rm -r "$WORK/cache/drivers/.digests"

expect 4 "$IRQSCOPE" run "$TESTS/scenarios/few.toml" --out "$WORK/bad"
says "never saw the target let its interrupt through"
[ "$(field "$WORK/bad/summary.json" "j['cases'][0]['outside']['triggers']")" = 0 ] || fail "it was triggered all the same"
