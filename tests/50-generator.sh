# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: a generator in a real QEMU is asked, set, started, followed and stopped
# over TCP by hand; a second host and wrong input get an answer that names the
# limit, with exit 2, and a generator that cannot be reached a remedy, with exit 3.
# Runs: alone
. tests/lib/lib.sh

PLUGIN=$(realpath "${CARGO_TARGET_DIR:-target}/release/libirqscope_twin.so")
cd "$WORK"

# A guest in place of the BIOS: it lets the port's interrupt through and toggles
# five data bits for ever. As in crates/twin/tests/integration/qemu.rs, where it is explained.
python3 - <<'PY'
guest = bytes.fromhex("b01cba7a03eeba780330c0341feeb90080e2feebf6")
rom = bytearray(65536)
rom[: len(guest)] = guest
rom[-16:-13] = bytes.fromhex("e90d00")
open("rom", "wb").write(rom)
PY

: >qemu.log # which the shell in the background may open later than it is read
timeout 300 qemu-system-x86_64 -nodefaults -no-user-config -display none -machine pc \
	-accel tcg -icount shift=1,sleep=off -m 16 -rtc base=2026-01-01,clock=vm -bios rom \
	-chardev null,id=lpt -device isa-parallel,chardev=lpt \
	-plugin "$PLUGIN,port=0,lines=5" 2>qemu.log &
qemu=$!
trap 'kill $qemu 2>/dev/null || true' EXIT

at=
for _ in $(seq 200); do
	at=$(sed -n 's/.*listens on //p' qemu.log)
	[ -z "$at" ] || break
	sleep 0.1
done
[ -n "$at" ] || { cat qemu.log; fail "no generator"; }

# A host that has gone may still be there for a generator on a busy machine.
held=
ask() {
	local what=$1 tries=100 status
	shift
	while :; do
		status=0
		"$IRQSCOPE" generator "$what" --connect "$at" "$@" >asked 2>&1 || status=$?
		[ -z "$held" ] && [ $status = 3 ] && [ $tries -gt 0 ] || break
		grep -q "serves another host" asked || break
		tries=$((tries - 1))
		sleep 0.1
	done
	cat asked
	return $status
}

expect 0 ask status
says "generator  twin"
says "5 lines, tick 1 ns"
says "run        none yet, idle"

expect 0 ask set --frequency 3kHz --duty 12.5% --packet 8 --count 500 \
	--jitter uniform:20us --seed 7 --pacing open --timeout 1s
says "333.333 µs (3.000003 kHz)"
says "12.5 % (41.667 µs high)"
says "uniform:20 µs"
ask status --json >status.json
[ "$(field status.json 'j["status"]["settings"]["period"]')" = 333333 ] || fail "the period is another"
[ "$(field status.json 'j["hello"]["kind"], j["identity_holds"]')" = "twin True" ] || fail "no hello"

# Bursts, and lines that are high while a stage executes; and back.
expect 0 ask set --burst 4:20us --shape pulse
grep -qE '^shape +pulse +pulse$' said || { cat said; fail "no pulses"; }
grep -qE '^burst +4:20 µs +4:20 µs$' said || { cat said; fail "no bursts of four"; }
expect 0 ask set --interval 30us --jitter-amount 25us
grep -qE '^interval +30 µs +30 µs$' said || { cat said; fail "another interval"; }
grep -qE '^jitter-amount +25 µs +25 µs$' said || { cat said; fail "another amount"; }
expect 0 ask set --burst 1:20us --shape toggle --jitter uniform:20us

# Refused, with the limit; nothing has changed.
expect 0 ask set --mode isolated --turn-length 8
says "isolated"
expect 2 ask set --turn-length 0
says "turn-length 0 is out of range: 1 to"
expect 0 ask set --mode together

expect 2 ask set --frequency 0Hz
says "frequency 0 mHz is out of range: 0.277778 mHz to 1 MHz"
expect 2 ask set --frequency 2MHz
says "to 1 MHz"
expect 2 ask set --period 0us
says "period 0 ns is out of range: 1 µs to 3600 s"
expect 2 ask set --duty 0%
says "duty 0 % is out of range: 0.1 % to 99.9 %"
expect 2 ask set --duty 100%
says "duty 100 % is out of range"
expect 2 ask set --polarity falling
says "polarity falling is not possible with this generator: ask for rising"
expect 2 ask set --polarity low
says "rising, falling"
expect 2 ask set --count 0
says "count 0 is out of range: 1 to 4294967296 triggers"
expect 2 ask set --count 18446744073709551616
says "count 18446744073709551616 is out of range: 1 to 4294967296 triggers"
expect 2 ask set --packet 70000
says "packet 70000 is out of range: 1 to 1024 samples"
expect 2 ask set --jitter uniform:0us
says "jitter-amount 0 ns is out of range: 1 ns"
expect 2 ask set --seed 8 --timeout 0s
says "timeout 0 ns is out of range"
expect 2 ask set --frequency 1kHz --period 1ms
expect 2 ask set
expect 2 ask set --duty 25
says "write 25%"
expect 2 ask start --at soon
says "now, armed"
expect 2 "$IRQSCOPE" generator status
ask status --json >again.json
[ "$(field again.json 'j["status"]["settings"]["period"]')" = 333333 ] || fail "a refusal has changed it"
[ "$(field again.json 'j["status"]["settings"]["seed"]')" = 7 ] || fail "a refusal has set the seed beside it"

expect 0 ask start --follow
says "run        1, done"
says "triggers   500 = 500 complete + 0 missing + 0 coalesced + 0 dropped + 0 open  ✓"
says "samples    500 received, 0 frames missed"

# A run that does not end by itself; somebody else watches it.
expect 0 ask set --count 4294967296
held=yes
"$IRQSCOPE" generator start --connect "$at" --follow >followed 2>&1 &
follower=$!
# Once may be the last one that asked, whose connection has not ended yet.
refused=0
for _ in $(seq 200); do
	if ask status >busy 2>&1; then refused=0; else refused=$((refused + 1)); fi
	[ $refused -lt 5 ] || break
	sleep 0.05
done
expect 3 ask status
says "serves another host"
expect 3 ask stop
kill -INT $follower
wait $follower && fail "interrupted, and yet fine"
held=
grep -q "the run goes on" followed || { cat followed; fail "it does not say what goes on"; }
expect 0 ask stop
says "run        2"
for _ in $(seq 100); do
	expect 0 ask status
	grep -q "run        2, done" said && break
	sleep 0.1
done
says "run        2, done"
says "0 open  ✓"

kill $qemu
wait $qemu || true
expect 3 ask status
says "no generator can be reached at $at"
says "remedy"
expect 3 "$IRQSCOPE" generator status --connect no-such-host.invalid:1
says "remedy"
expect 2 "$IRQSCOPE" generator status --connect nonsense
says "remedy"
