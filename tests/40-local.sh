# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: rig local measures the machine in hand with both triggers, and gives it
# back as it was: driver unloaded, settings as before, no process, no directory;
# also after Ctrl-C and kill -9. The machine is a guest with two CPUs in real
# time; its figures mean nothing, its identity must hold.
# Runs: alone
. tests/lib/lib.sh

need_guest
. "$TESTS/lib/local.sh"

local_scenario timer timer 500
local_scenario inject inject 500
local_scenario long timer 30000

local_script >"$WORK/script"
cat >>"$WORK/script" <<'SCRIPT'
snapshot >before
for trigger in timer inject; do
	# An emulated CPU paints a report for 40 s.
	"$irqscope" run $trigger.toml --no-report --out $trigger || fail "$trigger: exit $?"
	unchanged $trigger 0
	[ ! -e $trigger/report.html ] || fail "a report that was not asked for"
done
end_long INT 0
end_long KILL 20 # which may leave work to the process that cleans up
SCRIPT

run_guest 700 6.1 "$WORK"
for trigger in timer inject; do
	summary=$WORK/$trigger/summary.json
	holds "$summary" "c['triggers'] == 500 and c['dropped'] == 0" "not 500 triggers"
	holds "$summary" "c['identity_holds']" "no identity"
	holds "$summary" "c['release'].startswith('6.1.')" "no release"
	expect 0 "$IRQSCOPE" report "$WORK/$trigger"
	[ -s "$WORK/$trigger/report.html" ] || fail "no report of what the guest measured"
done
grep -q "SIGINT: exit 130" "$WORK/script.output" || fail "Ctrl-C did not end in exit 130"
holds "$WORK/long-KILL/manifest.json" "not j['complete']" "marked complete"
grep -E "WARNING:|BUG:|Oops" "$WORK/console" && fail "the guest's kernel complained"
nothing_left "qemu-system-x86_64.*$WORK"
echo "PASS: rig local measures with both triggers and leaves nothing behind"
