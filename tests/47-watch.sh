# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: irqscope watch needs no module and follows a timer to the threads that it wakes, and a thread
# to a function or a static probe in user space: each stage is as late as the driver and the thread's
# own clock say, to within the probes' cost, and a culprit of known length is named. Report, compare,
# gate and export take the run; what is missing, a device, a thread, a function, a right or BTF, is
# named. The machines are guests on the virtual clock.
# Runs: beside others, early
. tests/lib/lib.sh

need_guest
. "$TESTS/lib/local.sh"
gcc -O2 -Wall -Werror -static -o "$WORK/controlled" "$TESTS/lib/controlled.c" -lpthread
# The guest's time runs on while it waits for the host's files: a busy host took minutes of it for each start of
# the program. So it has all programs in memory, and waits long by its own time: run_guest has the limit.
strip -o "$WORK/irqscope" "$IRQSCOPE"
strip -o "$WORK/irqscope-agent-x86_64" "$PARTS/irqscope-agent-x86_64"
cat >"$WORK/timer.toml" <<-'TOML'
	version = 1
	about = "The driver's own figures"
	rig = "local"
	states = ["idle"]
	views = ["inside"]
	stages = ["irq", "softirq", "thread", "kthread", "user"]
	[trigger]
	kind = "timer"
	period = "4ms"
	count = 2700
TOML

in_memory() { # In the guest
	mkdir /run/bin /run/measured
	cp irqscope irqscope-agent-x86_64 /run/bin
	cp controlled timer.toml /run/measured
	[ ! -e irqscope_faults.ko ] || cp irqscope_faults.ko /run/measured
	export IRQSCOPE_PARTS=/run/bin irqscope=/run/bin/irqscope
	to_memory "$irqscope" setpriv sh mktemp mkdir rm cat chmod tar sed grep tr uname id sha256sum modinfo insmod \
		rmmod modprobe dmesg sleep date pidof sysctl
	cd /run/measured
}

has_late() { # In the guest: the watch has long begun, and not ended.
	[ "$(cat /sys/class/misc/irqscope/counters/triggers)" -ge 2300 ]
}

both() { # In the guest: the driver beside a watch, then a loop that knows how late it is.
	counters=/sys/class/misc/irqscope/counters/triggers
	"$irqscope" run timer.toml --no-report --out driver &
	run=$!
	await 3000 grep -qE '^[1-9][0-9]' $counters 2>/dev/null || fail "no trigger"
	echo 1 >/proc/sys/kernel/bpf_stats_enabled
	"$irqscope" watch timer:irqscope_timer_fire --for 13s --out timer &
	watch=$!
	await 3000 has_late || fail "not 2,300 triggers"
	for pid in $(pidof irqscope-agent agent); do
		for info in /proc/$pid/fdinfo/*; do
			sed -n 's/^run_[a-z_]*:[^0-9]*//p' $info | paste -s -d ' ' - | grep . || true
		done
	done >cost
	wait $run || fail "the driver: exit $?"
	wait $watch || fail "watching the timer: exit $?"

	cp controlled /run # a file that the kernel can probe, as 9p's cannot be
	/run/controlled 100000 >/run/loop & # until the watch has ended, however long it took to begin
	loop=$!
	await 3000 [ -s /run/loop ] || fail "no loop"
	"$irqscope" watch --rt --until /run/controlled:control_loop --above 2ms --for 7s --out loop >screen &
	watch=$!
	wait $watch || fail "watching the loop: exit $?"
	kill -TERM $loop
	wait $loop || fail "the loop: exit $?"
	cp /run/loop loop.own

	rm /run/loop
	/run/controlled 100000 >/run/loop &
	loop=$!
	await 3000 [ -s /run/loop ] || fail "no second loop"
	"$irqscope" watch --rt --until usdt:/run/controlled:controlled:looped --for 2s --out static ||
		fail "watching a static probe: exit $?"
	kill -TERM $loop
	wait $loop || fail "the second loop: exit $?"
}

held() { # In the guest: the loop beside code that has interrupts disabled, in one function and in two.
	insmod irqscope_faults.ko kinds=3 length_ns=300000 interval_ns=7000000 || fail "no faults"
	exec 9</dev/irqscope-faults || fail "no faults begin"
	/run/controlled 100000 >/run/loop &
	loop=$!
	await 3000 [ -s /run/loop ] || fail "no third loop"
	"$irqscope" watch --rt --above 150us --for 3s --out held >held.screen || fail "watching what is held off: exit $?"
	kill -TERM $loop
	wait $loop || fail "the loop: exit $?"
	exec 9<&-
	rmmod irqscope_faults
}

refused() { # TEXT COMMAND...
	text=$1
	status=0
	shift
	"$@" --for 100ms --out refused >refusal 2>&1 || status=$?
	rm -rf refused
	[ $status = 2 ] && grep -qF "$text" refusal || { cat refusal; fail "exit $status, not: $text"; }
}

refusals() { # In the guest
	refused 'did you mean `eth0`?' "$irqscope" watch eth9
	refused 'the nearest is irq:' "$irqscope" watch irq:99
	refused 'there is no thread 99999' "$irqscope" watch thread:99999
	refused 'no function `nothing`' "$irqscope" watch timer:nothing
	refused 'unknown symbol `nothing`' "$irqscope" watch thread:1 --until /run/controlled:nothing
	refused 'its static probes are controlled:looped' "$irqscope" watch thread:1 --until usdt:/run/controlled:a:b
	refused 'usdt:/usr/bin/app:provider:name' "$irqscope" watch thread:1 --until /run/controlled
	refused 'lacks CAP_BPF' setpriv --bounding-set -cap_39,-sys_admin "$irqscope" watch --rt
	"$irqscope" watch thread:$$ --for 100ms --json --out idle >idle.json || fail "no event: exit $?"
	grep -q "did nothing in this time" idle.json || fail "no event is not said"
	mount -t tmpfs none /sys/kernel/btf
	refused 'this kernel has no BTF' "$irqscope" watch --rt
}

is_watching() { grep -qs '^prog_id' /proc/"$(pidof agent irqscope-agent)"/fdinfo/*; } # In the guest

# In the guest: more events than there is room for, and no reader. A second has some 70,000 of them, and takes a host
# that does other work ten.
lost() {
	(dd if=/dev/zero bs=1 2>/dev/null | cat >/dev/null) &
	"$irqscope" watch --rt --for 5s --out lost >lost.said 2>&1 &
	watch=$!
	await 3000 is_watching || fail "no watch"
	agent=$(pidof agent irqscope-agent)
	sleep 1
	kill -STOP $agent
	sleep 2
	pkill -x dd
	kill -CONT $agent
	status=0
	wait $watch || status=$?
	cat lost.said
	[ $status = 4 ] || fail "events were lost, and exit $status"
	grep -q 'events of the kernel were lost' lost.said || fail "nothing is said of lost events"
}

beside() { # In the guest: what a loop of no priority loses to a thread, a watch, and the kernel's own tracers.
	trace=/sys/kernel/tracing
	mountpoint -q $trace || mount -t tracefs none $trace
	sysctl -qw kernel.sched_rt_runtime_us=-1
	for how in nothing thread watch events timerlat; do
		thread=1
		case $how in
		nothing) thread=0 ;;
		watch)
			"$irqscope" watch --rt --for 60s --out watched >/dev/null &
			watch=$!
			await 3000 is_watching || fail "no watch"
			;;
		events) # at the same places, as trace-cmd record has them
			for event in irq timer/hrtimer_expire_entry timer/hrtimer_expire_exit sched/sched_wakeup \
				sched/sched_switch napi/napi_poll; do
				echo 1 >$trace/events/$event/enable
			done
			;;
		timerlat) # which has a thread of its own, FIFO 95 and 1 ms by default
			thread=0
			echo timerlat >$trace/current_tracer || fail "no timerlat"
			;;
		esac
		/run/spare 1 $thread >/dev/null # so that each begins alike
		echo $how "$(/run/spare 4 $thread)" >>spared
		case $how in
		watch)
			kill -INT $watch
			wait $watch || true
			;;
		events) echo 0 >$trace/events/enable ;;
		timerlat)
			grep -c '#[0-9]' $trace/trace >timerlats
			echo nop >$trace/current_tracer
			;;
		esac
	done
}

kernels=6.1
if in_soak "5.10, 6.12, 6.12-rt and 7.3"; then kernels="6.1 5.10 6.12 6.12-rt 7.3"; fi
for kernel in $kernels; do
	mkdir "$WORK/$kernel"
	# The driver is built here, for a guest's time goes on while its compiler waits for the host's files.
	expect 0 "$IRQSCOPE" run demo --kernel $kernel --state idle --stage irq --count 1 --no-report --out "$WORK/built-$kernel"
	cp "$WORK"/{irqscope,irqscope-agent-x86_64,controlled,timer.toml} "$WORK/$kernel"
	# So are the faults, for each kernel by a compiler that it takes.
	expect 0 "$IRQSCOPE" run faults --kernel $kernel --count 1 --no-report --out "$WORK/faults-$kernel"
	read -r release < <("$IRQSCOPE" kernel list | awk -v name=$kernel '$1 == name { print $2 }')
	cp "$(ls -t "$CACHE/drivers/$release"-test-*/irqscope_faults.ko | head -n 1)" "$WORK/$kernel"
	{
		local_script
		declare -f in_memory has_late both held is_watching lost refused refusals
		echo in_memory
		echo both
		echo held
		echo 'cp -r . /exchange'
		[ $kernel != 6.1 ] || echo lost
		[ $kernel != 6.1 ] || echo refusals
	} >"$WORK/$kernel/script"
	run_guest 500 $kernel "$WORK/$kernel" virtual
	cat "$WORK/$kernel/screen"
	python3 "$TESTS/47-watch.py" "$WORK/$kernel"
done

# Of Debian's kernels those with PREEMPT_RT have timerlat.
if in_soak "its cost beside the kernel's own tracers"; then
	mkdir "$WORK/beside"
	gcc -O2 -Wall -Werror -static -o "$WORK/beside/spare" "$TESTS/lib/spare.c" -lpthread
	cp "$WORK"/{irqscope,irqscope-agent-x86_64,controlled,timer.toml} "$WORK/beside"
	{
		local_script
		declare -f in_memory is_watching beside
		echo 'cp spare /run'
		echo in_memory
		echo beside
		echo 'cp spared timerlats /exchange'
	} >"$WORK/beside/script"
	run_guest 500 6.12-rt "$WORK/beside" virtual
	python3 - "$WORK/beside" <<'PY'
import pathlib, sys
place = pathlib.Path(sys.argv[1])
spared = {how: (int(rounds), int(woken)) for how, rounds, woken in
          (line.split() for line in (place / "spared").read_text().splitlines())}
assert int((place / "timerlats").read_text()) > 1000, "timerlat had no events"
alone, threads = spared["nothing"][0], 4000
print("instructions that a loop of no priority loses for each wakeup, 4,000 in 4 s:")
lost = {how: 4e9 * (1 - rounds / alone) / threads / 2 for how, (rounds, _) in spared.items()}
for how, instructions in lost.items():
    print(f"  {how}\t{instructions:.0f}\tmore than the thread alone: {instructions - lost['thread']:.0f}")
assert all(abs(woken - threads) <= 1 for how, (_, woken) in spared.items() if how not in ("nothing", "timerlat"))
assert lost["watch"] > lost["thread"] > 0 and lost["events"] > lost["thread"] and lost["timerlat"] > 0, lost
PY
fi

# The run directory is as any other; a guest's stages have the same names on each kernel.
expect 0 "$IRQSCOPE" report "$WORK/6.1/loop"
says "release controlled"
[ -e "$WORK/6.1/loop/report.html" ] || fail "no report"
expect 0 "$IRQSCOPE" compare "$WORK/6.1/loop" "$WORK/${kernels##* }/loop"
says "release controlled"
expect 0 "$IRQSCOPE" gate "$WORK/6.1/loop" --max 'watch rt release controlled<10ms@max'
expect 1 "$IRQSCOPE" gate "$WORK/6.1/loop" --max 'watch rt release controlled<1ms@max'
expect 0 "$IRQSCOPE" export "$WORK/6.1/loop" --format csv
says "on-cpu controlled"
expect 2 "$IRQSCOPE" watch
says "<TARGET>"
expect 2 "$IRQSCOPE" watch --rt --count 0
says "count is 1"
echo "PASS: a running kernel is watched without a module, as late as its threads say"
