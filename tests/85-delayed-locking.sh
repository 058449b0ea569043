# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: on the patched kernels, on the virtual clock: sections of known length are
# measured as such, whatever takes the lock and wherever it is released; a
# real-time process is not late because of one that could be put off, and every
# refusal and every late wakeup is explained by the trace; each policy expects what it says; a thread whose section
# outlasts the period enters all the same, once per given number of refusals; and switched off the
# hooks cost one instruction each.
# Runs: beside others, early
. tests/lib/lib.sh

need_guest
gcc -O2 -static -o "$WORK/sleeper" "$TESTS/lib/sleeper.c"
cat >"$WORK/script" <<'SCRIPT'
cd /exchange
dlock=/sys/kernel/debug/delayed_locking
trace=/sys/kernel/tracing
mount -t debugfs none /sys/kernel/debug
mount -t tracefs none $trace
sections=$(find "/lib/modules/$(uname -r)/kernel/" -name sections_test.ko)
[ -n "$sections" ] || { echo "no sections_test.ko"; exit 1; }

# Length 1 ms, as every section here but those of the starvation.
with_sections() {
	insmod "$sections" kind="$1" length_us="$2" gap_us=300 || exit 1
	shift 2
	"$@"
	rmmod sections_test
}

record() {
	# A tracepoint lies between a decision and its section, and takes a microsecond or more.
	echo 4000 >$dlock/margin_ns
	cat $dlock/margin_ns >margin
	echo 20000 >$trace/buffer_size_kb
	echo mono >$trace/trace_clock
	for event in refuse force cannot_wait waited urgent_arm urgent_end softirq_left short_period; do
		echo 1 >$trace/events/delayed_locking/dlock_$event/enable
	done
	# A short section cannot make any thread late by as much as is looked for.
	echo 'hold_ns > 50000' >$trace/events/delayed_locking/dlock_hold/filter
	echo 1 >$trace/events/delayed_locking/dlock_hold/enable
	echo 'expected_ns > 50000' >$trace/events/delayed_locking/dlock_enter/filter
	echo 1 >$trace/events/delayed_locking/dlock_enter/enable
}

off_and_on() {
	echo off >$dlock/mode
	echo "off $1 $(./sleeper 4000 100)"
	echo 1 >$dlock/reset
	echo monitor >$dlock/mode
	sleep 0.1
	echo on >$dlock/mode
	echo >$trace/trace
	echo "on $1 $(./sleeper 4000 100)"
	grep -v '^#' $trace/trace >"trace.$1"
	grep sections_test $dlock/sites >"sites.$1"
	cat $dlock/decisions >"decisions.$1"
}

# Sections of 3 ms, and then of 1 ms: the longest one stays, the average comes down.
policies() {
	for policy in maximum average; do
		echo $policy >$dlock/policy
		echo 1 >$dlock/reset
		echo monitor >$dlock/mode
		insmod "$sections" kind=lock length_us=3000 gap_us=300 || exit 1
		sleep 0.2
		echo 1000 >/sys/module/sections_test/parameters/length_us
		sleep 0.2
		echo on >$dlock/mode
		echo >$trace/trace
		echo "policy $policy $(./sleeper 4000 50)"
		grep -v '^#' $trace/trace >"trace.$policy"
		echo monitor >$dlock/mode
		rmmod sections_test
	done
	echo maximum >$dlock/policy
}

starve() {
	echo 20 >$dlock/max_refusals
	echo "$1" >$dlock/short_period
	echo 1 >$dlock/reset
	sleep 0.1
	echo >$trace/trace
	echo "starve $1 $(./sleeper 1000 200)"
	grep -v '^#' $trace/trace >"trace.$1"
	cat $dlock/decisions >"decisions.$1"
	echo "safe $1 $(cat $dlock/safe_period)"
}

for mode in off monitor on; do
	echo $mode >$dlock/mode
	with_sections cost 0 cat /sys/module/sections_test/parameters/bare_ns \
		/sys/module/sections_test/parameters/hooked_ns | tr '\n' ' ' | sed "s/^/cost $mode /"
	echo
done
record
for kind in lock bh irq irqsave nested rcu state remote; do
	with_sections $kind 1000 off_and_on $kind
done
policies
echo on >$dlock/mode
with_sections lock 1500 starve warn
with_sections lock 1500 starve refuse
SCRIPT

kernels=delayed-locking
if in_soak "delayed locking for 6.12"; then kernels="$kernels source:6.12+delayed-locking"; fi
for kernel in $kernels; do
	place=$WORK/${kernel#source:}
	mkdir "$place"
	cp "$WORK/sleeper" "$WORK/script" "$place"
	"$IRQSCOPE" kernel build "$kernel"
	run_guest 420 "$kernel" "$place" virtual
	python3 "$TESTS/85-delayed-locking.py" "$place" || fail "$kernel: see above"
done
