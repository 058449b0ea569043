# SPDX-License-Identifier: Apache-2.0 OR MIT
# await SECONDS COMMAND...: repeats the command until it succeeds, or returns 1 after as
# many seconds. For every POSIX shell: tests use it, and scripts that run in guests.
await() {
	_end=$(($(date +%s) + $1))
	shift
	until "$@"; do
		[ "$(date +%s)" -lt $_end ] || return 1
		sleep 0.1
	done
}
