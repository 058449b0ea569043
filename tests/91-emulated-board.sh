#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: the program speaks with the board's image as with any other generator: it
# says what it is, takes settings, refuses others with their limits, and follows a
# run to its end, of which nothing is missing; and it measures its own way to its lines.
# Runs: beside others, early
. tests/lib/lib.sh

need_board
node firmware/emulator/serve.mjs "$IMAGE" >"$WORK/port" &
emulator=$!
trap 'kill $emulator' EXIT
for _ in $(seq 100); do
	[ -s "$WORK/port" ] && break
	sleep 0.1
done
board=$(sed 's/listens on //' "$WORK/port")

expect 0 "$IRQSCOPE" generator status --connect "$board" --json
sed -n '/^{/,$p' "$WORK/said" >"$WORK/status.json"
[ "$(field "$WORK/status.json" 'j["hello"]["kind"], j["hello"]["lines"]')" = "board 7" ] || fail "another generator"

# Its target answers as a wire of this many cycles would; line 6 is too late for it.
expect 0 "$IRQSCOPE" generator calibrate --connect "$board"
for wire in 250 500 1000 2000 5000 10000; do
	grep -qE "^line [0-5]  ($((wire * 5))|$((wire * 5 + 5))) ns .*, 256 times" "$WORK/said" ||
		{ cat "$WORK/said"; fail "no line of $wire cycles"; }
done
expect 0 "$IRQSCOPE" generator status --connect "$board" --clock 2s
says "way to its lines is subtracted: line 0 125"

expect 0 "$IRQSCOPE" generator set --connect "$board" --frequency 1kHz --count 200 --duty 10%
expect 2 "$IRQSCOPE" generator set --connect "$board" --frequency 100MHz
says "out of range"
expect 0 "$IRQSCOPE" generator start --connect "$board" --follow
says "200"
expect 0 "$IRQSCOPE" generator status --connect "$board" --json
sed -n '/^{/,$p' "$WORK/said" >"$WORK/status.json"
[ "$(field "$WORK/status.json" 'j["status"]["totals"]["complete"], j["status"]["totals"]["edges"]')" = "200 1400" ] ||
	fail "not every line has answered every trigger"
