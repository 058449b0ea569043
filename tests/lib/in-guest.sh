# SPDX-License-Identifier: Apache-2.0 OR MIT
# What local.sh describes, in the guest's shell.
cd /exchange
# The host's own shows through at /tmp, with whatever others do there.
export TMPDIR=/run/tmp
mkdir $TMPDIR

fail() {
	echo "FAIL: $*"
	exit 1
}

# Copies programs and their libraries from the host's disk into memory: each open of a file of the host's waits for
# the host, even if all its pages are here, and a virtual clock passes minutes of an idle guest in the meantime.
# Changing a file's time of access is enough for the layer above the disk to take a copy.
to_memory() { # PROGRAM...
	for program in "$@"; do
		command -v "$program" || fail "there is no $program"
	done >/run/programs
	# Static ones have no libraries.
	ldd $(cat /run/programs) 2>/dev/null | grep -o '/[^ :]*' | sort -u - /run/programs |
		xargs touch -c -a /etc/ld.so.cache
}

snapshot() { state_of_machine $TMPDIR/*; }

measuring() {
	[ "$(cat /sys/class/misc/irqscope/counters/triggers 2>/dev/null || echo 0)" -ge "$1" ]
}

end_long() {
	setsid "$irqscope" run long.toml --out "long-$1" &
	pid=$!
	await 180 measuring 100 || fail "SIG$1: nothing was measured"
	kill "-$1" $pid
	status=0
	wait $pid || status=$?
	echo "SIG$1: exit $status"
	# Temporary files of a killed program go with the next start of one.
	[ "$1" != KILL ] || "$irqscope" scenario list >/dev/null || fail "the next start: exit $?"
	unchanged "SIG$1" "$2"
}
