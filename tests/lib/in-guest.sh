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
