# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: rig local measures the machine in hand with both triggers, and gives it
# back as it was: driver unloaded, settings as before, no process, no directory;
# also after Ctrl-C and kill -9. The machine is a guest with two CPUs in real
# time; its figures mean nothing, its identity must hold.
. "$(dirname "$0")/lib.sh"

need_guest

scenario() { # NAME TRIGGER COUNT
	cat >"$WORK/$1.toml" <<-TOML
		version = 1
		about = "For rig local"
		rig = "local"
		states = ["idle"]
		views = ["inside"]
		[trigger]
		kind = "$2"
		period = "4ms"
		count = $3
	TOML
}
scenario timer timer 500
scenario inject inject 500
scenario long timer 30000

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
for trigger in timer inject; do
	"$irqscope" run $trigger.toml --out $trigger || { echo "FAIL: $trigger: exit $?"; exit 1; }
	unchanged $trigger 0
done

for signal in INT KILL; do
	setsid "$irqscope" run long.toml --out long-$signal &
	pid=$!
	tries=60
	until pidof irqscope-agent >/dev/null; do
		tries=$((tries - 1))
		[ $tries -gt 0 ] || { echo "FAIL: no agent was started"; exit 1; }
		sleep 1
	done
	sleep 3
	kill -$signal $pid
	status=0
	wait $pid || status=$?
	echo "SIG$signal: exit $status"
	# Only kill -9 may leave work to the process that cleans up behind it.
	case $signal in INT) unchanged SIGINT 0 ;; KILL) unchanged SIGKILL 20 ;; esac
done
SCRIPT

status=0
timeout 700 "$GUEST" 6.1 "$WORK" || status=$?
cat "$WORK/script.output"
[ $status = 0 ] || { tail -n 20 "$WORK/console"; fail "the guest ended with $status"; }

for trigger in timer inject; do
	summary=$WORK/$trigger/summary.json
	case="j['cases'][0]"
	[ "$(field "$summary" "$case['triggers']")" = 500 ] || fail "$trigger: not 500 triggers"
	[ "$(field "$summary" "$case['identity_holds']")" = True ] || fail "$trigger: no identity"
	[ "$(field "$summary" "$case['overrun']")" = 0 ] || fail "$trigger: overrun"
	[ "$(field "$summary" "$case['release'].startswith('6.1.')")" = True ] || fail "no release"
done
grep -q "SIGINT: exit 130" "$WORK/script.output" || fail "Ctrl-C did not end in exit 130"
[ "$(field "$WORK/long-KILL/manifest.json" "j['complete']")" = False ] || fail "marked complete"
grep -E "WARNING:|BUG:|Oops" "$WORK/console" && fail "the guest's kernel complained"
nothing_left "qemu-system-x86_64.*$WORK"
echo "PASS: rig local measures with both triggers and leaves nothing behind"
