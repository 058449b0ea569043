# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: on a machine without any hardware a spare CPU injects and watches: the view
# from outside accounts for every trigger, joins the one from inside trigger by
# trigger, and needs nothing from inside; the machine is as it was afterwards, also
# after Ctrl-C and kill -9, the affinity of the injected line above all. With one CPU
# the inside view is measured, and that is said. The machine is a guest with three
# CPUs in real time; its figures mean nothing.
. "$(dirname "$0")/lib.sh"

need_guest
COUNT=300

scenario() { # NAME VIEWS COUNT PACING
	cat >"$WORK/$1.toml" <<-TOML
		version = 1
		about = "For a spare CPU"
		rig = "local"
		states = ["idle"]
		$2
		[trigger]
		kind = "inject"
		period = "8ms"
		pacing = "$4"
		count = $3
		timeout = "5s"
	TOML
}
scenario both '' $COUNT closed
scenario open '' $COUNT open
scenario blind 'views = ["outside"]' $COUNT closed
scenario long '' 30000 closed
scenario alone '' $COUNT closed

cp "$TESTS/as-before.sh" "$WORK"
cat >"$WORK/script" <<SCRIPT
export HOME=$HOME IRQSCOPE_AGENT=${IRQSCOPE_AGENT:-}
export IRQSCOPE_CACHE=$CACHE
irqscope=$(realpath "$IRQSCOPE")
SCRIPT
cat >>"$WORK/script" <<'SCRIPT'
cd /exchange
[ -n "$IRQSCOPE_AGENT" ] || unset IRQSCOPE_AGENT
# The host's own shows through at /tmp, with whatever others do there.
export TMPDIR=/run/tmp
mkdir $TMPDIR

# shellcheck source=tests/as-before.sh
. ./as-before.sh
snapshot() { state_of_machine $TMPDIR/*; }

snapshot >before
for run in both open blind; do
	"$irqscope" run $run.toml --out $run || { echo "FAIL: $run: exit $?"; exit 1; }
	unchanged $run 0
done

for signal in INT KILL; do
	setsid "$irqscope" run long.toml --out long-$signal &
	pid=$!
	tries=60
	# The agent and the generator.
	until [ "$(pidof irqscope-agent | wc -w)" = 2 ] && [ "$(cat /sys/class/misc/irqscope/state)" = running ]; do
		tries=$((tries - 1))
		[ $tries -gt 0 ] || { echo "FAIL: nothing runs"; exit 1; }
		sleep 1
	done
	sleep 3
	kill -$signal $pid
	status=0
	wait $pid || status=$?
	echo "SIG$signal: exit $status"
	# Only kill -9 may leave work to the process that cleans up behind it.
	case $signal in INT) unchanged SIGINT 0 ;; KILL) unchanged SIGKILL 25 ;; esac
done

# The end of the generator alone ends the case, at once.
"$irqscope" run long.toml --out orphan >orphan.said 2>&1 &
pid=$!
tries=60
until [ "$(cat /sys/class/misc/irqscope/state 2>/dev/null)" = running ]; do
	tries=$((tries - 1))
	[ $tries -gt 0 ] || { echo "FAIL: nothing runs"; exit 1; }
	sleep 1
done
sleep 2
pkill -KILL -f 'irqscope-agent generator'
status=0
wait $pid || status=$?
echo "no generator: exit $status"
cat orphan.said
unchanged "a killed generator" 0

for cpu in 1 2; do echo 0 >/sys/devices/system/cpu/cpu$cpu/online; done
snapshot >before
"$irqscope" run alone.toml --out alone || { echo "FAIL: alone: exit $?"; exit 1; }
unchanged "one CPU" 0
SCRIPT

status=0
timeout 800 "$GUEST" 6.1 "$WORK" cpus=3 || status=$?
cat "$WORK/script.output"
[ $status = 0 ] || { tail -n 20 "$WORK/console"; fail "the guest ended with $status"; }

# case RUN PYTHON: of its only case `c`, whose account from outside is `o`.
case_of() {
	field "$WORK/$1/summary.json" "(lambda c: (lambda o: $2)(c.get('outside')))(j['cases'][0])"
}

for run in both open blind; do
	[ "$(case_of $run "o['generator']")" = cpu ] || fail "$run: no spare CPU"
	[ "$(case_of $run "o['triggers']")" = $COUNT ] || fail "$run: not $COUNT triggers"
	[ "$(case_of $run "o['triggers'] == o['complete'] + o['missing'] + o['coalesced'] + o['dropped'] and o['edges'] == o['answers'] + o['extra']")" = True ] ||
		fail "$run: the identity does not hold outside"
	[ "$(case_of $run "c['identity_holds']")" = True ] || fail "$run: no identity"
	[ "$(case_of $run "o['dropped'] + o['unexplained_extra']")" = 0 ] || fail "$run: dropped or extra"
	[ "$(case_of $run "c['violations']")" = "[]" ] || fail "$run: violations"
done
for run in both blind; do
	[ "$(case_of $run "o['complete']")" = $COUNT ] || fail "$run: not every trigger was answered"
done
# Trigger n of the generator is sample n of the driver, whatever was merged.
for run in both open; do
	[ "$(case_of $run "o['lost_interrupts']")" = 0 ] || fail "$run: the views do not join"
done
[ "$(case_of alone "o is None and c['triggers'] == $COUNT and c['identity_holds']")" = True ] || fail "one CPU: not the inside view"
grep -q "one CPU only" "$WORK/script.output" || fail "does not say that there is one CPU only"
grep -q "SIGINT: exit 130" "$WORK/script.output" || fail "Ctrl-C did not end in exit 130"
grep -q "no generator: exit [34]" "$WORK/script.output" || fail "a case without its generator went on"
grep -E "WARNING:|BUG:|Oops" "$WORK/console" && fail "the guest's kernel complained"
nothing_left "qemu-system-x86_64.*$WORK"
echo "PASS: a spare CPU accounts for every trigger and leaves nothing behind"
