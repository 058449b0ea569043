# SPDX-License-Identifier: Apache-2.0 OR MIT
# Whether a machine is as it was, for scripts that run on it and for programs that reach it.
#
#   state_of_machine [PLACE...]   all that a run may leave behind, or change; places
#                                 are where its temporary files would lie
#   unchanged AFTER SECONDS       waits for at most SECONDS until `snapshot`, which the
#                                 caller defines, says what is in the file `before`
#                                 in $WORK, or here; where it does not, says what still runs
state_of_machine() {
	cut -d' ' -f1,2 /proc/modules | sort
	grep -H . /proc/sys/vm/* /proc/sys/kernel/sched* /proc/sys/kernel/watchdog* 2>/dev/null
	grep -H . /proc/irq/*/smp_affinity /sys/module/*/parameters/* 2>/dev/null | sort
	ls -d "$@" /dev/irqscope* 2>/dev/null
	pgrep -lx 'irqscope.*' # not a kworker that is named after its last work
	true
}

# Shows what cleans up, or hangs in it: each such process with its state and where it is in the kernel.
what_hangs() {
	for process in /proc/[0-9]*; do
		case $(cat "$process/comm" 2>/dev/null) in
		sh | bash | dash | rmmod | modprobe | irqscope*)
			echo "$process $(tr '\0' ' ' 2>/dev/null <"$process/cmdline")"
			grep -E '^(State|PPid)' "$process/status" 2>/dev/null
			cat "$process/stack" 2>/dev/null
			;;
		esac
	done
	cat /sys/class/misc/irqscope/state /sys/class/misc/irqscope/counters/* 2>/dev/null
	true
}

unchanged() {
	tries=$2 dir=${WORK:-.}
	while snapshot >"$dir/after"; ! cmp -s "$dir/before" "$dir/after"; do
		[ "$tries" -gt 0 ] || { echo "FAIL: not as before, after $1:"; diff "$dir/before" "$dir/after"; what_hangs; exit 1; }
		tries=$((tries - 1))
		sleep 1
	done
	echo "as before: after $1"
}
