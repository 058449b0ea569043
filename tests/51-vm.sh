# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: rig vm rings a doorbell thousands of times at 1 kHz, and every pulse is answered
# (closed pacing) or accounted for (open pacing, where an emulated machine merges
# interrupts); live, with a clean kernel log; and nothing is left behind, after
# Ctrl-C and kill -9 neither. Its figures mean nothing without KVM.
# Runs: alone
. tests/lib/lib.sh

COUNT=3000
if in_soak "10,000 pulses"; then COUNT=10000; fi
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
		limit = 200
	TOML
}

none_left() {
	nothing_left "(qemu-system-x86_64|irqscope-vm).*$WORK"
}

# A guest of two emulated CPUs fails in its boot now and then, before the driver is loaded: an
# emulated CPU meets a breakpoint of the kernel's own patching (int3 in a jump label) that the other
# has removed already, and the guest panics or hangs. It is booted once more, as stand-ins are:
# tests/run counts the consoles that are called so, and limits their number.
measured() { # NAME
	local console
	if "$IRQSCOPE" run "$WORK/$1.toml" --out "$WORK/$1" >"$WORK/said" 2>&1; then
		return 0
	fi
	console=$(echo "$WORK/$1"/console-*.log)
	if grep -q "irqscope: loading" "$console"; then
		cat "$WORK/said"
		fail "$1 failed, and not in its boot"
	fi
	mkdir -p "$WORK/hung-$1"
	cp "$console" "$WORK/hung-$1/console.hung"
	rm -r "${WORK:?}/$1"
	expect 0 "$IRQSCOPE" run "$WORK/$1.toml" --out "$WORK/$1"
}

# outside RUN TERM: what the generator counted.
outside() {
	field "$WORK/$1/summary.json" "j['cases'][0]['outside']['$2']"
}

accounted() { # RUN
	[ "$(outside $1 generator)" = vm ] || fail "$1: not the VM's generator"
	[ "$(outside $1 triggers)" = $COUNT ] || fail "$1: not $COUNT pulses"
	holds "$WORK/$1/summary.json" "o['triggers'] == o['complete'] + o['missing'] + o['coalesced'] + o['dropped'] and o['edges'] == o['answers'] + o['extra']" "$1: the identity does not hold"
	holds "$WORK/$1/summary.json" "c['identity_holds']" "$1: no identity"
	[ "$(outside $1 dropped)" = 0 ] || fail "$1: samples were dropped"
	ls "$WORK/$1"/console-*.log >/dev/null || fail "$1: no console log"
	[ -z "$(ls -A "$TMPDIR")" ] || fail "$1: left behind: $(ls -A "$TMPDIR")"
	none_left
}

# By hand it serves hosts like every generator, those that know its secret, and ends with its stdin.
mkfifo "$WORK/stdin"
(umask 077; head -c 24 /dev/urandom | base64 >"$WORK/secret"; head -c 24 /dev/urandom | base64 >"$WORK/other")
"${IRQSCOPE}-vm" --doorbell "$WORK/bell" --lines 3 --secret-file "$WORK/secret" <"$WORK/stdin" >"$WORK/address" &
pid=$!
exec 3>"$WORK/stdin"
within 10 test -s "$WORK/address"
address=$(cat "$WORK/address")
expect 0 "$IRQSCOPE" generator status --connect "$address"
says "generator  vm"
says "3 lines, tick 1 ns"
set_count() { # STATUS ADDRESS [VARIABLE]
	expect "$1" env ${3+"$3"} "$IRQSCOPE" generator set --count 7 --connect "$2"
}
set_count 2 "$address"
says "?secret-file=FILE"
set_count 2 "$address?secret-file=$WORK/other"
says "has another secret"
set_count 2 "$address?secret-file=$WORK/absent"
says "cannot use the secret in $WORK/absent"
set_count 0 "$address?secret-file=$WORK/secret"
set_count 0 "$address" "IRQSCOPE_SECRET=$(cat "$WORK/secret")"
set_count 2 "$address" "IRQSCOPE_SECRET=$(cat "$WORK/other")"
exec 3>&-
wait $pid || fail "irqscope-vm did not end well"
[ ! -e "$WORK/bell" ] || fail "irqscope-vm left its socket behind"

# Without its generator nothing is begun.
scenario closed 6.1 closed $COUNT 60s
expect 2 env IRQSCOPE_PARTS="$(parts_with none irqscope-vm)" "$IRQSCOPE" run "$WORK/closed.toml" --out "$WORK/closed"
says "there is no irqscope-vm in "
[ ! -e "$WORK/closed" ] || fail "a run directory without a generator"

measured closed
accounted closed
# A stage shows its response before it lets go of the trigger. Where the host takes
# its CPU away right then, a generator that waited for the response comes too early,
# and the driver names the trigger that it merged.
merged=$(field "$WORK/closed/summary.json" "j['cases'][0]['coalesced']")
[ $(($(outside closed complete) + merged)) = $COUNT ] ||
	fail "closed: a pulse was neither answered nor named as merged"
[ "$(outside closed lost_interrupts)" = 0 ] || fail "closed: interrupts were lost"

# A response is given up after 3 s, so that the end does not take long.
scenario open 6.12-rt open $COUNT 3s
measured open
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
