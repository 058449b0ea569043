# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: the cache can be listed and cleaned, by name, by kind and by last use; and what a
# killed maker left goes with the next start.
# Runs: beside others
. tests/lib/lib.sh

export IRQSCOPE_CACHE=$WORK/cache
mkdir -p "$IRQSCOPE_CACHE"/drivers/{one,two,.making-left} "$IRQSCOPE_CACHE/sources/three"
head -c 2000000 /dev/zero >"$IRQSCOPE_CACHE/drivers/one/irqscope.ko"
touch -d '40 days ago' "$IRQSCOPE_CACHE/drivers/one"

expect 0 "$IRQSCOPE" cache list
says "drivers/one    2.0 MB"
says "used 40 days ago"
says "sources/three"
! [ -e "$IRQSCOPE_CACHE/drivers/.making-left" ] || fail "a killed maker's directory is still there"

expect 2 "$IRQSCOPE" cache clean
expect 2 "$IRQSCOPE" cache clean drivers/four
says "the cache has no drivers/four"
expect 2 "$IRQSCOPE" cache clean ../..
expect 0 "$IRQSCOPE" cache clean --unused 30
says "removed drivers/one"
[ -d "$IRQSCOPE_CACHE/drivers/two" ] || fail "something that was used lately is gone"
expect 0 "$IRQSCOPE" cache clean drivers
expect 0 "$IRQSCOPE" cache clean --all
[ -z "$(find "$IRQSCOPE_CACHE"/{drivers,sources} -mindepth 1 -not -name .digests)" ] || fail "something is left"
echo "PASS: the cache is listed and cleaned"
