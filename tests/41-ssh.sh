# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: rig ssh measures a machine with nothing installed and leaves nothing
# behind; a CPU of it injects and watches, and its packets come through the same
# connection; one that breaks is exit 3 and no latency, Ctrl-C is exit 130, and
# after both, and kill -9, the target is as it was; a load, a module and a setting of
# one's own go along. The target is a guest with two CPUs in real time behind a
# loopback port.
# Runs: alone
. tests/lib/lib.sh

need_guest
# shellcheck source=tests/lib/ssh.sh
. "$TESTS/lib/ssh.sh"

scenario() { # NAME TRIGGER COUNT
	{
		cat <<-TOML
			version = 1
			about = "For rig ssh"
			rig = "ssh"
			states = ["idle"]
			[trigger]
			kind = "$2"
			period = "4ms"
			count = $3
		TOML
		ssh_toml
	} >"$WORK/$1.toml"
}
scenario timer timer 500
scenario inject inject 500
scenario sleep sleep 500
scenario long inject 30000

# Starts the long run and waits until it measures; $pid is it.
begin() { # OUT
	"$IRQSCOPE" run "$WORK/long.toml" --allow-ssh-options --out "$WORK/$1" >"$WORK/said" 2>&1 &
	pid=$!
	await 60 measuring 100 || { cat "$WORK/said"; fail "nothing was measured"; }
}

ended() { # STATUS
	local status=0
	wait "$pid" || status=$?
	[ $status = "$1" ] || { cat "$WORK/said"; fail "exit $status instead of $1"; }
	! pgrep -f "ssh.*$WORK/key" || fail "an ssh was left behind"
}

start_target 6.1
for trigger in timer sleep inject; do
	expect 0 "$IRQSCOPE" run "$WORK/$trigger.toml" --allow-ssh-options --out "$WORK/$trigger"
	unchanged $trigger 0
	summary=$WORK/$trigger/summary.json
	holds "$summary" "c['triggers'] == 500 and c['dropped'] == 0" "$trigger: not 500 triggers"
	holds "$summary" "c['identity_holds']" "$trigger: no identity"
done
holds "$summary" "o['generator'] == 'cpu'" "no spare CPU"
holds "$summary" "o['lost_interrupts'] + o['dropped'] == 0" "the views do not join"
holds "$summary" "o['edges'] == o['answers'] + o['extra']" "lost edges"

# A load, a module and a setting of one's own go along, and are taken back.
cp -r "$TESTS/scenarios/own/." "$WORK"
{
	sed 's|^kernels.*|rig = "ssh"|; s|"line"|"timer"|; s|^period.*|period = "4ms"|; /^packages/d' "$WORK/own.toml"
	ssh_toml
} >"$WORK/mine.toml"
runtime=$(target cat /proc/sys/kernel/sched_rt_runtime_us)
expect 0 "$IRQSCOPE" run "$WORK/mine.toml" --allow-ssh-options --allow-commands --state mine --out "$WORK/mine"
holds "$WORK/mine/summary.json" "c['triggers'] == 120 and c['identity_holds']" "beside a load of one's own"
holds "$WORK/mine/manifest.json" "len([x for x in c['payload_origin'] if 'hammer.sh SHA256:' in x]) == 1" "what went along"
[ "$(target cat /proc/sys/kernel/sched_rt_runtime_us)" = "$runtime" ] || fail "the setting was not taken back"
unchanged "a load of one's own" 0

begin broken
pkill -KILL -P "$pid" -x ssh
ended 3
grep -q "connection to root@127.0.0.1 was lost" "$WORK/said" || fail "does not say what was lost"
unchanged "a broken connection" 20

begin interrupted
kill -INT "$pid"
ended 130
unchanged "Ctrl-C" 0

# A thread that sleeps for longer than this test lasts is woken.
scenario asleep sleep 30
sed -i 's/^period.*/period = "10m"/' "$WORK/asleep.toml"
sleeping() { [ "$(target cat /sys/class/misc/irqscope/state 2>/dev/null)" = running ]; }
"$IRQSCOPE" run "$WORK/asleep.toml" --allow-ssh-options --out "$WORK/asleep" >"$WORK/said" 2>&1 &
pid=$!
await 60 sleeping || { cat "$WORK/said"; fail "no run of sleeps"; }
kill -INT "$pid"
ended 130
grep "did not see the end" "$WORK/said" && fail "the thread slept on"
unchanged "Ctrl-C in a sleep" 0

begin killed
kill -KILL "$pid"
wait "$pid" || true
nothing_left "ssh.*$WORK/key"
unchanged "kill -9" 20

expect 2 "$IRQSCOPE" run "$WORK/timer.toml" --allow-ssh-options --host absent@127.0.0.1 --out "$WORK/absent"
says "ssh-copy-id"

ssh "${OWN[@]}" -O exit root@127.0.0.1 2>/dev/null
touch "$WORK/done"
status=0
wait $guest || status=$?
trap 'rm -rf "$SOCKETS"' EXIT
[ $status = 0 ] || { tail -n 20 "$WORK/console"; fail "the guest ended with $status"; }
grep -E "WARNING:|BUG:|Oops" "$WORK/console" && fail "the target's kernel complained"
nothing_left "qemu-system-x86_64.*$WORK"
echo "PASS: rig ssh measures with three triggers and leaves nothing behind"
