#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: the generator board's images build for both chips, and the one that would
# be flashed onto a Pico measures what an emulated target does, to the cycle that
# its counters resolve. What can go wrong outside is told, and nothing is lost
# silently.
# Runs beside others.
. tests/lib.sh
command -v rustup >/dev/null || { echo "skipped: Debian has no Rust for these chips"; exit 0; }
cd firmware
# As fast as the chip's serial line can be: another speed is no other program.
IRQSCOPE_BAUD=7812500 ./build rp2040
(
	cd emulator
	[ -d node_modules ] || npm ci --silent
	npm run --silent check
	exec node test.mjs ../target/thumbv6m-none-eabi/release/irqscope-firmware
) &
emulated=$!
trap 'kill $emulated' EXIT
cargo test -q --release --locked -p irqscope-board
./build rp2350
wait $emulated
trap - EXIT
