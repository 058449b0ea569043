# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: on a machine without any hardware a spare CPU injects and watches: the view
# from outside accounts for every trigger, joins the one from inside trigger by
# trigger, and needs nothing from inside; the machine is as it was afterwards, also
# after Ctrl-C and kill -9, the affinity of the injected line above all. With one CPU
# the inside view is measured, and that is said. The machine is a guest with three
# CPUs in real time; its figures mean nothing.
# Runs: alone
. tests/lib/lib.sh

need_guest
. "$TESTS/lib/local.sh"
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
sed -i 's/^period/generator-cpu = 1\nperiod/' "$WORK/blind.toml" # else it would be the last, 2
scenario long '' 30000 closed
scenario alone '' $COUNT closed

local_script >"$WORK/script"
cat >>"$WORK/script" <<'SCRIPT'
snapshot >before
for run in both open blind; do
	"$irqscope" run $run.toml --no-report --out $run || fail "$run: exit $?"
	unchanged $run 0
done
end_long INT 0
end_long KILL 25 # which may leave work to the process that cleans up

# The end of the generator alone ends the case, at once.
"$irqscope" run long.toml --out orphan >orphan.said 2>&1 &
pid=$!
await 180 measuring 100 || fail "nothing runs"
pkill -KILL -f 'irqscope-agent generator'
status=0
wait $pid || status=$?
echo "no generator: exit $status"
cat orphan.said
unchanged "a killed generator" 0

for cpu in 1 2; do echo 0 >/sys/devices/system/cpu/cpu$cpu/online; done
snapshot >before
"$irqscope" run alone.toml --no-report --out alone || fail "alone: exit $?"
unchanged "one CPU" 0
SCRIPT

run_guest 800 6.1 "$WORK" cpus=3

for run in both open blind; do
	holds "$WORK/$run/summary.json" "o['generator'] == 'cpu'" "$run: no spare CPU"
	holds "$WORK/$run/summary.json" "o['triggers'] == $COUNT" "$run: not $COUNT triggers"
	holds "$WORK/$run/summary.json" "o['triggers'] == o['complete'] + o['missing'] + o['coalesced'] + o['dropped'] and o['edges'] == o['answers'] + o['extra']" "$run: the identity does not hold outside"
	holds "$WORK/$run/summary.json" "c['identity_holds']" "$run: no identity"
	holds "$WORK/$run/summary.json" "o['dropped'] + o['unexplained_extra'] == 0" "$run: dropped or extra"
	holds "$WORK/$run/summary.json" "c['violations'] == []" "$run: violations"
done
for run in both blind; do
	holds "$WORK/$run/summary.json" "o['complete'] == $COUNT" "$run: not every trigger was answered"
done
holds "$WORK/blind/manifest.json" "\"'cpu': 1\" in str(c['plan'])" "another CPU was asked to watch"
# Trigger n of the generator is sample n of the driver, whatever was merged.
for run in both open; do
	holds "$WORK/$run/summary.json" "o['lost_interrupts'] == 0" "$run: the views do not join"
done
holds "$WORK/alone/summary.json" "not o and c['triggers'] == $COUNT and c['identity_holds']" "one CPU: not the inside view"
grep -q "one CPU only" "$WORK/script.output" || fail "does not say that there is one CPU only"
grep -q "SIGINT: exit 130" "$WORK/script.output" || fail "Ctrl-C did not end in exit 130"
grep -q "no generator: exit [34]" "$WORK/script.output" || fail "a case without its generator went on"
grep -E "WARNING:|BUG:|Oops" "$WORK/console" && fail "the guest's kernel complained"
nothing_left "qemu-system-x86_64.*$WORK"
echo "PASS: a spare CPU accounts for every trigger and leaves nothing behind"
