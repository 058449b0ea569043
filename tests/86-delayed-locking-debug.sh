# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: the patched kernel with lockdep and DEBUG_ATOMIC_SLEEP, on two CPUs,
# puts off sections under load (network, files, lock torture, sections of every
# kind), is switched on and off meanwhile, loads and unloads the driver, and its
# kernel has nothing to complain of. CYCLES of loading: 20 if nothing is said; on
# CPUS: 2, at most 4; with DLOCK_KERNEL=delayed-locking-kasan, which checks each
# access to memory; for TORTURE seconds more of all loads: 0.
# Runs: beside others, in make soak
. tests/lib/lib.sh

need_guest
KERNEL=${DLOCK_KERNEL:-delayed-locking-debug}
TORTURE=${TORTURE:-0}
"$IRQSCOPE" kernel build "$KERNEL"
gcc -O2 -static -o "$WORK/sleeper" "$TESTS/lib/sleeper.c"
gcc -O2 -static -o "$WORK/load-cycles" "$TESTS/lib/load-cycles.c"
printf 'cache=%s\ncycles=%s\ntorture=%s\n. %s\n. %s\n' "$CACHE" "${CYCLES:-20}" "$TORTURE" "$TESTS/lib/await.sh" "$TESTS/lib/driver.sh" >"$WORK/script"
cat >>"$WORK/script" <<'SCRIPT'
cd /exchange
dlock=/sys/kernel/debug/delayed_locking
mount -t debugfs none /sys/kernel/debug
modules=/lib/modules/$(uname -r)/kernel/
driver=$(built_driver)/irqscope.ko
load() {
	name=$1
	shift
	insmod "$(find "$modules" -name "$name.ko*")" "$@"
}

sections() { [ "$(cat /sys/module/sections_test/parameters/entered)" -ge "$1" ]; }

network() {
	python3 -c '
import socket, threading
server = socket.create_server(("127.0.0.1", 0))
sender = socket.create_connection(server.getsockname())
receiver, _ = server.accept()
threading.Thread(target=lambda: [sender.sendall(bytes(65536)) for _ in range(200)], daemon=True).start()
left = 200 * 65536
while left:
    left -= len(receiver.recv(65536))
'
}

files() {
	mkdir -p /dev/shm/many
	for round in 1 2; do
		for n in $(seq 300); do echo "$n" >"/dev/shm/many/$n"; done
		rm -f /dev/shm/many/*
	done
}

echo on >$dlock/mode
# An urgent timer every 4 ms, for as long as all else goes on.
while :; do ./sleeper 4000 2000; done >/dev/null &
load torture
load locktorture torture_type=spin_lock nwriters_stress=2 stat_interval=0 || exit 1
network & network=$!
files & files=$!
for kind in lock bh irq irqsave nested rcu state remote; do
	echo "sections: $kind"
	load sections_test kind=$kind length_us=1000 gap_us=300 || exit 1
	await 120 sections 200 || { echo "no sections of kind $kind"; exit 1; }
	rmmod sections_test
done
wait $network $files || exit 1
end=$(($(date +%s) + torture))
while [ "$(date +%s)" -lt $end ]; do
	network & network=$!
	files
	wait $network || exit 1
done
rmmod locktorture
for mode in off monitor on off on; do echo $mode >$dlock/mode; sleep 0.2; done
./load-cycles "$driver" "$cycles" "irq softirq tasklet work thread kthread" || exit 1
cat $dlock/decisions
dmesg | grep -E 'spin_lock-torture:.*(SUCCESS|FAILURE)|state was lost'
dmesg | grep -q 'state was lost' && exit 1
dmesg | grep 'APIC timer disabled' && exit 1 # nothing would sleep for less than a tick
awk '$1 == "refused" && $2 == 0 { exit 1 }' $dlock/decisions || { echo "nothing refused"; exit 1; }
# 250 a second on a machine that has the time.
urgent=$(awk '$1 == "urgent_timers" { print $2 }' $dlock/decisions)
[ "$urgent" -ge $((1000 + 25 * torture)) ] || { echo "only $urgent urgent timers"; exit 1; }
SCRIPT
# Each change of the mode is one of the code, of every lock and of the idle loop.
run_guest $((480 + TORTURE + 2 * ${CYCLES:-20})) "$KERNEL" "$WORK" cpus="${CPUS:-2}" newer
grep -q 'torture:.*SUCCESS' "$WORK/script.output" || fail "the lock torture did not succeed"
