# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: Ctrl-C, SIGTERM and kill -9 leave no process behind and lose nothing that
# was logged; the run is marked incomplete and can still be read; and temporary files
# that a kill -9 leaves go with the next start.
# Runs: beside others
. tests/lib/lib.sh
export TMPDIR=$WORK/tmp
mkdir "$TMPDIR"

for signal in INT TERM KILL; do
	out=$WORK/$signal
	"$IRQSCOPE" run "$TESTS/scenarios/quick.toml" --count 20000 --out "$out" >"$WORK/said" 2>&1 &
	pid=$!
	for _ in $(seq 1200); do # four drivers may have to be built first
		pgrep -f "qemu-system-x86_64.*$out" >/dev/null && break
		sleep 0.1
	done
	pgrep -f "qemu-system-x86_64.*$out" >/dev/null || fail "no guest was started"
	sleep 2
	# A shell starts its background jobs with SIGINT ignored; the program's own
	# handler is what counts.
	kill -s $signal $pid
	status=0
	wait $pid || status=$?
	case $signal in KILL) want=137 ;; *) want=130 ;; esac
	[ $status = $want ] || { cat "$WORK/said"; fail "SIG$signal: exit $status instead of $want"; }
	nothing_left "qemu-system-x86_64.*$out"
	[ "$(field "$out/manifest.json" "j['complete']")" = False ] || fail "SIG$signal: marked complete"
	[ $signal != KILL ] || [ -n "$(ls -A "$TMPDIR")" ] || fail "a kill left nothing: is this test still true?"
	expect 0 "$IRQSCOPE" report "$out" || true
	[ -z "$(ls -A "$TMPDIR")" ] || fail "SIG$signal: left behind: $(ls -A "$TMPDIR")"
done
