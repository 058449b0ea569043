# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: the driver is loaded, used and unloaded 200 times on every kernel with a
# clean kernel log and nothing leaked: no slab cache grows by an object per load
# (beyond the slab by which caches grow), the vmalloc area not by a page per load. On the virtual clock, where a busy host
# delays nothing.
# Runs beside others.
. "$(dirname "$0")/lib.sh"

cargo build -q --release -p irqscope-rig --example guest
GUEST=${CARGO_TARGET_DIR:-target}/release/examples/guest
CACHE=${IRQSCOPE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/irqscope}

on_kernel() {
	kernel=$1
	mkdir "$WORK/$kernel"
	cat >"$WORK/$kernel/script" <<SCRIPT
cache=$CACHE
SCRIPT
	cat >>"$WORK/$kernel/script" <<'SCRIPT'
cd /exchange
module=$(ls -t "$cache"/drivers/"$(uname -r)"-release-*/irqscope.ko | head -n 1)
scope=/sys/class/misc/irqscope

once() {
	insmod "$module" || exit 1
	echo "irq softirq tasklet work" >$scope/settings/stages
	echo 5 >$scope/settings/count
	echo closed >$scope/settings/pacing
	echo 1 >$scope/run || exit 1
	tries=200
	until [ "$(cat $scope/state)" = done ]; do
		tries=$((tries - 1))
		[ $tries -gt 0 ] || { echo "FAIL: state $(cat $scope/state)"; exit 1; }
		sleep 0.02
	done
	[ "$(cat $scope/counters/complete)" = 5 ] || { echo "FAIL: not 5 complete"; exit 1; }
	rmmod irqscope || exit 1
}

# Objects in use by slab cache, and vmalloc's pages, when all has settled.
usage() {
	sync
	echo 2 >/proc/sys/vm/drop_caches
	sleep 1
	for cache in /sys/kernel/slab/*/; do [ -e "$cache/shrink" ] && echo 1 >"$cache/shrink"; done 2>/dev/null
	# Without what the file system remembers of the files that this script opened.
	awk 'NR > 2 && !/inode|dentry|radix|filp|lsm_file/ { print $1, $2, $5 }' /proc/slabinfo
	awk '/VmallocUsed|Percpu/ { print $1, int($2 / 4), 0 }' /proc/meminfo
}

for _ in $(seq 20); do once; done
usage >before
for _ in $(seq 180); do once; done
usage >after
awk 'NR == FNR { before[$1] = $2; next } $2 - before[$1] >= 180 + $3 { print "FAIL: leaks", $1, before[$1], $2; bad = 1 } END { exit bad }' before after || exit 1
grep -q irqscope /proc/modules && { echo "FAIL: still loaded"; exit 1; }
echo "200 times on $(uname -r)"
SCRIPT
	status=0
	timeout 420 "$GUEST" "$kernel" "$WORK/$kernel" virtual || status=$?
	cat "$WORK/$kernel/script.output"
	[ $status = 0 ] || { tail -n 20 "$WORK/$kernel/console"; fail "$kernel: the guest ended with $status"; }
	grep -E "WARNING:|BUG:|Oops|Call Trace" "$WORK/$kernel/console" && fail "$kernel: the kernel complained"
	grep -q "^200 times" "$WORK/$kernel/script.output" || fail "$kernel: not 200 times"
}

# Two at a time: a guest that waits for its timers leaves a CPU free.
for pair in "6.1 6.12-rt" "6.1-rt 6.12"; do
	pids=
	for kernel in $pair; do
		on_kernel "$kernel" &
		pids="$pids $!"
	done
	for pid in $pids; do wait "$pid" || fail "one of $pair"; done
done
nothing_left "qemu-system-x86_64.*$WORK"
