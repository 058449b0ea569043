# SPDX-License-Identifier: Apache-2.0 OR MIT
# await SECONDS COMMAND...: repeats the command until it succeeds, or returns 1 after as
# many seconds. For every POSIX shell: tests use it, and scripts that run in guests.
# It looks five times for each of them at least, and once more when they are over: on a
# guest's virtual clock all of them may pass while `date` is read from the host's disk.
await() {
	_end=$(($(date +%s) + $1))
	_looks=$(($1 * 5))
	shift
	until "$@"; do
		_looks=$((_looks - 1))
		if [ $_looks -le 0 ] && [ "$(date +%s)" -ge $_end ]; then
			"$@"
			return
		fi
		sleep 0.1
	done
}
