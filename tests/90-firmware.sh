#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: the generator board's images build for both chips, and the one that would
# be flashed onto a Pico measures what an emulated target does, to the cycle that
# its counters resolve. Faults outside are reported, and nothing is lost silently.
# Runs: beside others, early
. tests/lib/lib.sh

need_board
cd firmware
(
	cd emulator
	npm run --silent check
	exec node test.mjs "$IMAGE"
) &
emulated=$!
trap 'kill $emulated' EXIT
cargo test -q --release --locked -p irqscope-board
./build rp2350
wait $emulated
trap - EXIT
