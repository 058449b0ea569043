# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: rig vm rings a doorbell 10,000 times at 1 kHz, and every pulse is answered
# (closed pacing) or accounted for (open pacing, where an emulated machine merges
# interrupts); live, with a clean kernel log; and nothing is left behind, after
# Ctrl-C and kill -9 neither. Its figures mean nothing without KVM.
# Runs: alone
. tests/lib/lib.sh

# Sockets and images of ours go here, so that what is left can be seen.
export TMPDIR=$WORK/tmp
mkdir "$TMPDIR"

scenario() { # NAME KERNEL PACING COUNT TIMEOUT
	cat >"$WORK/$1.toml" <<-TOML
		version = 1
		about = "For rig vm"
		rig = "vm"
		kernels = ["$2"]
		states = ["idle"]
		[trigger]
		kind = "line"
		frequency = "1kHz"
		pacing = "$3"
		count = $4
		timeout = "$5"
		[vm]
		limit = 600
	TOML
}

none_left() {
	nothing_left "(qemu-system-x86_64|irqscope-vm).*$WORK"
}

# outside RUN TERM: what the generator counted.
outside() {
	field "$WORK/$1/summary.json" "j['cases'][0]['outside']['$2']"
}

accounted() { # RUN
	[ "$(outside $1 generator)" = vm ] || fail "$1: not the VM's generator"
	[ "$(outside $1 triggers)" = 10000 ] || fail "$1: not 10,000 pulses"
	holds "$WORK/$1/summary.json" "o['triggers'] == o['complete'] + o['missing'] + o['coalesced'] + o['dropped'] and o['edges'] == o['answers'] + o['extra']" "$1: the identity does not hold"
	holds "$WORK/$1/summary.json" "c['identity_holds']" "$1: no identity"
	[ "$(outside $1 dropped)" = 0 ] || fail "$1: samples were dropped"
	ls "$WORK/$1"/console-*.log >/dev/null || fail "$1: no console log"
	[ -z "$(ls -A "$TMPDIR")" ] || fail "$1: left behind: $(ls -A "$TMPDIR")"
	none_left
}

# By hand it serves hosts like every generator, and ends with its stdin.
mkfifo "$WORK/stdin"
"${IRQSCOPE}-vm" --doorbell "$WORK/bell" --lines 3 <"$WORK/stdin" >"$WORK/address" &
pid=$!
exec 3>"$WORK/stdin"
tries=100
until [ -s "$WORK/address" ]; do
	tries=$((tries - 1))
	[ $tries -gt 0 ] || fail "irqscope-vm does not listen"
	sleep 0.1
done
expect 0 "$IRQSCOPE" generator status --connect "$(cat "$WORK/address")"
says "generator  vm"
says "3 lines, tick 1 ns"
exec 3>&-
wait $pid || fail "irqscope-vm did not end well"
[ ! -e "$WORK/bell" ] || fail "irqscope-vm left its socket behind"

# Without its generator nothing is begun.
scenario closed 6.1 closed 10000 60s
expect 2 env IRQSCOPE_VM=/nowhere "$IRQSCOPE" run "$WORK/closed.toml" --out "$WORK/closed"
says "IRQSCOPE_VM"
[ ! -e "$WORK/closed" ] || fail "a run directory without a generator"

expect 0 "$IRQSCOPE" run "$WORK/closed.toml" --out "$WORK/closed"
accounted closed
# A stage shows its response before it lets go of the trigger. Where the host takes
# its CPU away right then, a generator that waited for the response comes too early,
# and the driver names the trigger that it merged.
merged=$(field "$WORK/closed/summary.json" "j['cases'][0]['coalesced']")
[ $(($(outside closed complete) + merged)) = 10000 ] ||
	fail "closed: a pulse was neither answered nor named as merged"
[ "$(outside closed lost_interrupts)" = 0 ] || fail "closed: interrupts were lost"

# A response is given up after 3 s, so that the end does not take long.
scenario open 6.12-rt open 10000 3s
expect 0 "$IRQSCOPE" run "$WORK/open.toml" --out "$WORK/open"
accounted open

scenario long 6.1 closed 1000000 10s
for signal in INT KILL; do
	out=$WORK/long-$signal
	"$IRQSCOPE" run "$WORK/long.toml" --out "$out" >"$WORK/said" 2>&1 &
	pid=$!
	# Packets in the log: the guest is being measured.
	tries=600
	until [ "$(stat -c %s "$out/run.log" 2>/dev/null || echo 0)" -gt 20000 ]; do
		tries=$((tries - 1))
		[ $tries -gt 0 ] || { cat "$WORK/said"; fail "SIG$signal: nothing was measured"; }
		sleep 0.2
	done
	kill -s $signal $pid
	status=0
	wait $pid || status=$?
	case $signal in KILL) want=137 ;; *) want=130 ;; esac
	[ $status = $want ] || { cat "$WORK/said"; fail "SIG$signal: exit $status instead of $want"; }
	none_left
	[ $signal = KILL ] || [ -z "$(ls -A "$TMPDIR")" ] || fail "SIG$signal: left behind: $(ls -A "$TMPDIR")"
	[ "$(field "$out/manifest.json" "j['complete']")" = False ] || fail "SIG$signal: marked complete"
	expect 0 "$IRQSCOPE" report "$out"
done
echo "PASS: rig vm accounts for every pulse and leaves nothing behind"
