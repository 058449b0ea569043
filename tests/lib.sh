# SPDX-License-Identifier: Apache-2.0 OR MIT
# What the numbered scenarios share. $IRQSCOPE is the program, $WORK an empty
# directory of the scenario's own; both are set by tests/run.
set -eu
: "${IRQSCOPE:?run by tests/run}" "${WORK:?run by tests/run}"
TESTS=$(dirname "${BASH_SOURCE[0]}")
export TESTS
# Where kernels, drivers and what else can be made again are kept.
CACHE=${IRQSCOPE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/irqscope}

fail() {
	echo "FAIL: $*"
	exit 1
}

# expect STATUS COMMAND...: runs it, keeps what it says in $WORK/said.
expect() {
	local want=$1 got=0
	shift
	"$@" >"$WORK/said" 2>&1 || got=$?
	[ "$got" = "$want" ] || { cat "$WORK/said"; fail "exit $got instead of $want: $*"; }
}

# says TEXT: the command that `expect` ran said so.
says() {
	grep -qF -- "$1" "$WORK/said" || { cat "$WORK/said"; fail "does not say: $1"; }
}

# No process of ours is left a moment after the program has ended.
nothing_left() {
	local tries=50
	while pgrep -f "$1" >/dev/null; do
		tries=$((tries - 1))
		[ $tries -gt 0 ] || { pgrep -af "$1"; fail "left behind: $1"; }
		sleep 0.1
	done
}

# field FILE PYTHON: an expression over the JSON document `j`.
field() {
	python3 -c "import json,sys; j=json.load(open(sys.argv[1])); print($2)" "$1"
}

# Builds $GUEST, which boots a kernel with a script: $GUEST KERNEL DIRECTORY [HOW]...
need_guest() {
	cargo build -q --release -p irqscope-rig --example guest
	GUEST=${CARGO_TARGET_DIR:-target}/release/examples/guest
}

# Builds $IMAGE, which would be flashed onto a Pico, and installs what emulates one; a second test
# waits. The serial line is as fast as the chip's can be: another speed is no other program. Ends
# the test where there is no Rust for the chip.
need_board() {
	command -v rustup >/dev/null || { echo "skipped: Debian has no Rust for these chips"; exit 0; }
	exec 9<firmware/emulator/package-lock.json
	flock 9
	IRQSCOPE_BAUD=7812500 firmware/build rp2040
	[ -e firmware/emulator/node_modules/.package-lock.json ] || npm --prefix firmware/emulator ci --silent
	exec 9<&-
	IMAGE=$PWD/firmware/target/thumbv6m-none-eabi/release/irqscope-firmware
}
