# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: a generator at an address triggers a machine that is measured over ssh as
# well: both views of every trigger, number by number; any scenario is measured so by
# --connect. It begins when the target's agent says that it answers, and it does not
# go on when the run is interrupted or the target refuses; the target is as it was.
# The machine is a guest in real time, its wires are the doorbell's: to the program
# its generator is an address as a board's is.
# Runs: alone
. tests/lib/lib.sh

need_guest
# shellcheck source=tests/lib/ssh.sh
. "$TESTS/lib/ssh.sh"
COUNT=200

scenario() { # NAME TRIGGER COUNT LINES...
	{
		cat <<-TOML
			version = 1
			about = "For a board beside the agent"
			rig = "ssh"
			states = ["idle"]
			${4:-}
			[trigger]
			kind = "$2"
			line = "ivshmem"
			period = "8ms"
			pacing = "closed"
			count = $3
			timeout = "5s"
		TOML
		ssh_toml
	} >"$WORK/$1.toml"
}
scenario any timer $COUNT
scenario blind line $COUNT 'views = ["outside"]
			stages = ["irq", "softirq", "user"]'
scenario long line 30000
sed 's/^period/cpu = 9\nperiod/' "$WORK/blind.toml" >"$WORK/absent.toml"

start_target 6.1 doorbell
generator=$(cat "$WORK/generator")
state() {
	"$IRQSCOPE" generator status --connect "$generator" --json >"$WORK/status" && field "$WORK/status" "$1"
}

for run in any blind; do
	expect 0 "$IRQSCOPE" run "$WORK/$run.toml" --allow-ssh-options --connect "tcp://$generator" --out "$WORK/$run"
	unchanged $run 0
	holds "$WORK/$run/summary.json" "o['generator'] == 'vm'" "$run: another generator"
	holds "$WORK/$run/summary.json" "(o['triggers'], o['complete']) == ($COUNT, $COUNT)" "$run: not $COUNT complete"
	holds "$WORK/$run/summary.json" "o['edges'] - o['answers'] - o['extra'] == 0" "$run: lost edges"
	holds "$WORK/$run/summary.json" "o['dropped'] + o['unexplained_extra'] == 0" "$run: dropped or extra"
	holds "$WORK/$run/summary.json" "c['identity_holds']" "$run: no identity"
	holds "$WORK/$run/summary.json" "c['violations'] == []" "$run: violations"
done
# Trigger n of the generator is sample n of the driver.
holds "$WORK/any/summary.json" "o['lost_interrupts'] == 0" "the views do not join"
target/venv/bin/python "$TESTS/96-board-beside.py" "$WORK/any/samples.parquet" $COUNT

# Nothing of it is started where the target cannot be measured.
before=$(state "j['status']['run']")
expect 3 "$IRQSCOPE" run "$WORK/blind.toml" --allow-ssh-options --connect 127.0.0.1:1 --out "$WORK/not-begun"
expect 2 "$IRQSCOPE" run "$WORK/blind.toml" --allow-ssh-options --out "$WORK/unsaid"
says "--connect"
expect 2 "$IRQSCOPE" run "$WORK/absent.toml" --allow-ssh-options --connect "$generator" --out "$WORK/absent"
says "cpu 9 is not online"
expect 2 "$IRQSCOPE" run demo --rig twin --connect "$generator" --out "$WORK/twin"
says "generator of its own"
unchanged refusals 0
[ "$(state "j['status']['run']")" = "$before" ] || fail "a run of the generator's was started"

"$IRQSCOPE" run "$WORK/long.toml" --allow-ssh-options --connect "$generator" --out "$WORK/long" >"$WORK/said" 2>&1 &
pid=$!
await 180 measuring 100 || { cat "$WORK/said"; fail "no trigger reaches the target"; }
kill -INT $pid
status=0
wait $pid || status=$?
[ $status = 130 ] || { cat "$WORK/said"; fail "Ctrl-C: exit $status instead of 130"; }
unchanged "Ctrl-C" 0
is_idle() {
	local state
	state=$(state "j['status']['state']") && [ "$state" != running ]
}
within 20 is_idle
nothing_left "ssh.*$WORK/key"
echo "PASS: both views of a machine with a generator beside it"
