#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: the whole way with a generator board, as with a real one: the image that would
# be flashed, a target that answers on its pins as a script says, a serial line, a
# scenario, the run directory, its report. No sample is missing or invented, what the
# script leaves out is missing and nothing else, and every latency is the script's, to
# the board's resolution.
# Runs: beside others
. tests/lib/lib.sh

need_board

python3 tests/92-thesis-board.py script >"$WORK/script.json"
node firmware/emulator/serve.mjs --uart --script "$WORK/script.json" "$IMAGE" >"$WORK/port" &
emulator=$!
trap 'kill $emulator $line 2>/dev/null' EXIT
line=
for _ in $(seq 100); do
	[ -s "$WORK/port" ] && break
	sleep 0.1
done
# A pseudo terminal in place of the adapter.
socat "PTY,link=$WORK/tty,raw,echo=0" "TCP:$(sed 's/listens on //' "$WORK/port")" &
line=$!
for _ in $(seq 100); do
	[ -e "$WORK/tty" ] && break
	sleep 0.1
done
board=serial://$WORK/tty

expect 0 "$IRQSCOPE" generator status --connect "$board" --json
sed -n '/^{/,$p' "$WORK/said" >"$WORK/status.json"
[ "$(field "$WORK/status.json" 'j["hello"]["kind"], j["hello"]["lines"]')" = "board 7" ] || fail "another generator"

expect 0 "$IRQSCOPE" run tests/scenarios/board.toml --connect "$board" --wide --out "$WORK/run"
says "generator board"
expect 0 "$IRQSCOPE" report "$WORK/run"
[ -s "$WORK/run/report.html" ] || fail "no report"
expect 0 "$IRQSCOPE" export "$WORK/run" --format csv --out "$WORK/samples.csv"
python3 tests/92-thesis-board.py check "$WORK/script.json" "$WORK/run/manifest.json" "$WORK/samples.csv"

# The line is free again, and locked while somebody has it.
expect 0 "$IRQSCOPE" generator stop --connect "$board"
expect 2 "$IRQSCOPE" run tests/scenarios/board.toml --connect "serial://$WORK/none" --out "$WORK/none.run"
says "plug the board in"
expect 2 "$IRQSCOPE" run tests/scenarios/board.toml --out "$WORK/none.run"
says "--connect"
expect 2 "$IRQSCOPE" run tests/scenarios/quick.toml --connect "$board"
says "--rig board"
[ ! -e "$WORK/none.run" ] || fail "left behind: a run directory"
