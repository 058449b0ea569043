# SPDX-License-Identifier: Apache-2.0 OR MIT
# Whether a machine is as it was, for scripts that run on it and for programs that reach it.
#
#   state_of_machine [PLACE...]   all that a run may leave behind, or change; places
#                                 are where its temporary files would lie
#   unchanged AFTER SECONDS       waits for at most SECONDS until `snapshot`, which the
#                                 caller defines, says what is in the file `before`
#                                 in $WORK, or here
state_of_machine() {
	cut -d' ' -f1,2 /proc/modules | sort
	grep -H . /proc/sys/vm/* /proc/sys/kernel/sched* /proc/sys/kernel/watchdog* 2>/dev/null
	grep -H . /proc/irq/*/smp_affinity /sys/module/*/parameters/* 2>/dev/null | sort
	ls -d "$@" /dev/irqscope* 2>/dev/null
	pgrep -lx 'irqscope.*' # not a kworker that is named after its last work
	true
}

unchanged() {
	tries=$2 dir=${WORK:-.}
	while snapshot >"$dir/after"; ! cmp -s "$dir/before" "$dir/after"; do
		[ "$tries" -gt 0 ] || { echo "FAIL: not as before, after $1:"; diff "$dir/before" "$dir/after"; exit 1; }
		tries=$((tries - 1))
		sleep 1
	done
	echo "as before: after $1"
}
