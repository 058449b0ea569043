# SPDX-License-Identifier: Apache-2.0 OR MIT
# What every numbered test sources first: . tests/lib/lib.sh
#
# Variables
#   IRQSCOPE   the program                   WORK     the test's own directory, empty
#   PARTS      where its agents and generators are
#   TESTS      the directory tests           CACHE    kernels, drivers and what else can be
#                                                     made again
#   GUEST, IMAGE                             after need_guest, need_board
# Functions
#   fail TEXT                      ends the test as failed
#   skip KEY TEXT                  ends it as skipped: this machine lacks KEY, which
#                                  machine.py can find out
#   in_soak TEXT                   whether this is make soak; elsewhere says that TEXT is left to it
#   expect STATUS COMMAND...       runs it and requires its exit status; output in $WORK/said
#   says TEXT                      requires a text in that output
#   await SECONDS COMMAND...       waits until the command succeeds (await.sh)
#   within SECONDS COMMAND...      the same, and ends the test as failed if it does not
#   nothing_left PATTERN           requires that no such process is left
#   field FILE PYTHON              prints an expression over a JSON document `j`, its first
#                                  case `c` and that case's account from outside `o`
#   holds FILE PYTHON TEXT         requires that such an expression is true
#   parts_with FILE AS             prints a new directory with links to all parts of irqscope but
#                                  AS, which is FILE; none if that does not exist
#   headers_anywhere KERNEL        lets a kernel's headers be used where a copy of it lies
#   unpack_source DIRECTORY        makes it, of the source of 6.1 that the cache has
#   need_guest                     builds $GUEST: $GUEST KERNEL DIRECTORY [HOW]... boots a
#                                  kernel and runs DIRECTORY/script in it
#   run_guest SECONDS KERNEL DIRECTORY [HOW]...
#                                  does so and requires exit status 0
#   need_board                     builds $IMAGE, the board's program, and its emulator
#   need_rustup                    ends the test as skipped where Rust has only one target
set -eu -o pipefail
: "${IRQSCOPE:?is set by tests/run}" "${WORK:?is set by tests/run}"
TESTS=$PWD/tests
export TESTS
PARTS=${IRQSCOPE_PARTS:-$(dirname "$(realpath "$IRQSCOPE")")}
CACHE=${IRQSCOPE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/irqscope}
# shellcheck source=tests/lib/await.sh
. "$TESTS/lib/await.sh"

# IRQSCOPE_TESTS_TRACE=DIRECTORY: each command with the time when it began, in a file per test.
if [ -n "${IRQSCOPE_TESTS_TRACE-}" ]; then
	exec {trace}>"$IRQSCOPE_TESTS_TRACE/${WORK##*/}"
	BASH_XTRACEFD=$trace
	PS4='+ $EPOCHREALTIME ${BASH_SOURCE##*/}:$LINENO '
	set -x
fi

fail() {
	echo "FAIL: $*"
	exit 1
}

skip() {
	echo "skipped: $1: $2"
	exit 77
}

in_soak() {
	[ "${IRQSCOPE_SOAK-}" = 1 ] || { echo "left to make soak: $1"; return 1; }
}

expect() {
	local want=$1 got=0
	shift
	"$@" >"$WORK/said" 2>&1 || got=$?
	[ "$got" = "$want" ] || { cat "$WORK/said"; fail "exit $got instead of $want: $*"; }
}

says() {
	grep -qF -- "$1" "$WORK/said" || { cat "$WORK/said"; fail "does not say: $1"; }
}

within() {
	await "$@" || fail "not within $1 s: ${*:2}"
}

nothing_left() {
	await 15 no_process "$1" || { pgrep -af "$1"; fail "left behind: $1"; }
}
no_process() { ! pgrep -f "$1" >/dev/null; }

field() {
	python3 -c "
import json, sys
j = json.load(open(sys.argv[1]))
c = (isinstance(j, dict) and j.get('cases') or [{}])[0]
o = c.get('outside')
print($2)" "$1"
}

holds() {
	[ "$(field "$1" "bool($2)")" = True ] || fail "$3: $2 does not hold in $1"
}

# With the features of the whole workspace, so that it is the one that cargo test has built.
parts_with() {
	local directory
	directory=$(mktemp -d "$WORK/parts.XXXXXX")
	ln -s "$PARTS"/{irqscope-agent-*,irqscope-vm,libirqscope_twin.so} "$directory"
	rm -f "$directory/$2"
	[ ! -e "$1" ] || ln -s "$(realpath "$1")" "$directory/$2"
	echo "$directory"
}

# Makes a cache of a test's own: of the real one's kinds all but those that are named, by links.
cache_without() { # DIRECTORY KIND...
	local entry
	mkdir "$1"
	for entry in "$CACHE"/*; do
		case " ${*:2} " in *" ${entry##*/} "*) ;; *) ln -s "$entry" "$1" ;; esac
	done
}

unpack_source() {
	local source
	for source in "$CACHE"/sources/linux-source-6.1_*/linux-source-6.1.tar.xz; do :; done
	[ -e "$source" ] || fail "the source of 6.1 is not in the cache: irqscope kernel build plain fetches it"
	mkdir "$1"
	tar -xJf "$source" --strip-components=1 -C "$1"
}

headers_anywhere() {
	local makefile
	for makefile in "$1"/usr/src/linux-headers-*-amd64/Makefile; do
		sed "s|^include .*/usr/src/|include \$(dir \$(lastword \$(MAKEFILE_LIST)))../|" \
			"$makefile" >"$WORK/makefile"
		cp --remove-destination "$WORK/makefile" "$makefile"
	done
}

need_guest() {
	export IRQSCOPE_PARTS=$PARTS # $GUEST is elsewhere
	cargo build -q --release --locked --workspace --example guest
	GUEST=${CARGO_TARGET_DIR:-target}/release/examples/guest
}

run_guest() {
	local status=0
	timeout $(($1 + 30)) "$GUEST" "${@:2}" "limit=$1" || status=$?
	cat "$3/script.output" || true
	[ $status = 0 ] || { tail -n 20 "$3/console"; fail "the guest ended with $status"; }
}

# Debian's Rust has one target.
need_rustup() { # TEXT
	command -v rustup >/dev/null || skip rustup "$1"
}

# A second test waits. The serial line is as fast as the chip's can be: another
# speed is no other program.
need_board() {
	need_rustup "there is no Rust for these chips"
	exec 9<firmware/emulator/package-lock.json
	flock 9
	# Without the lock: a server that the build starts would keep it.
	IRQSCOPE_BAUD=7812500 firmware/build rp2040 9<&-
	[ -e firmware/emulator/node_modules/.package-lock.json ] || npm --prefix firmware/emulator ci --silent 9<&-
	exec 9<&-
	IMAGE=$PWD/firmware/target/thumbv6m-none-eabi/release/irqscope-firmware
}

# Starts the server; $serve is its process, $page its address.
serve_page() { # ARGUMENT...
	"$IRQSCOPE" serve --port 0 --runs "$WORK/runs" "$@" >"$WORK/serve" 2>&1 &
	serve=$!
	await 60 grep -q "open http" "$WORK/serve" || fail "no server: $(cat "$WORK/serve")"
	page=$(sed -nE 's|.*open (http://[^ ]+).*|\1|p' "$WORK/serve")
}

# Ends it as Ctrl-C does.
end_page() {
	kill -INT $serve
	wait $serve || fail "serve ended with $?"
}
