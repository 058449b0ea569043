# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: the picture of a system's threads is that of the kernel it runs on, in
# words and in JSON; priorities and affinities are applied as a whole, and taken
# back as a whole. The machines are guests with stock and RT kernels.
# Runs: beside others, early
. tests/lib/lib.sh

need_guest

# Here, too; nothing is changed.
expect 0 "$IRQSCOPE" threads
says "preemption"
expect 0 "$IRQSCOPE" threads --json
python3 -c 'import json,sys; json.load(open(sys.argv[1]))["threads"]' "$WORK/said"
expect 2 "$IRQSCOPE" threads --set "$WORK/nowhere.toml"
printf '[[thread]]\nname = "ghost"\npriority = "fifo 1"\n' >"$WORK/ghost.toml"
expect 2 "$IRQSCOPE" threads --set "$WORK/ghost.toml"
says "no thread is called"
[ ! -e "$WORK/ghost.undo.toml" ] || fail "an undo without a change"

for kernel in 6.1 6.1-rt; do
	mkdir "$WORK/$kernel"
	cat >"$WORK/$kernel/script" <<-SCRIPT
		export HOME=$HOME IRQSCOPE_PARTS=$PARTS
		irqscope=$(realpath "$IRQSCOPE")
	SCRIPT
	cat >>"$WORK/$kernel/script" <<-'SCRIPT'
		cd /exchange
		fail() { echo "FAIL: $*"; exit 1; }
		policy() { # NAME: of a kernel thread
			for comm in /proc/[0-9]*/comm; do
				[ "$(cat $comm)" = "$1" ] && chrt -p "$(basename "$(dirname $comm)")" && return
			done
		}
		"$irqscope" threads >words || fail "threads: exit $?"
		"$irqscope" threads --json >json || fail "threads --json: exit $?"
		policy ksoftirqd/0 >before
		cat >rt.toml <<-'TOML'
			[[thread]]
			name = "ksoftirqd/*"
			priority = "fifo 7"
		TOML
		"$irqscope" threads --set rt.toml --undo back.toml >after || fail "--set: exit $?"
		policy ksoftirqd/0 | grep -q "priority: 7" || fail "priority was not set"
		[ ! -e rt.undo.toml ] || fail "two ways back"
		"$irqscope" threads --set back.toml >undone || fail "undo: exit $?"
		policy ksoftirqd/0 | cmp - before || fail "not as before"
		# Half of it cannot be done, so nothing is.
		cat >half.toml <<-'TOML'
			[[thread]]
			name = "ksoftirqd/0"
			priority = "fifo 9"
			[[thread]]
			name = "migration/0"
			cpus = "1"
		TOML
		"$irqscope" threads --set half.toml && fail "half of it was done"
		policy ksoftirqd/0 | cmp - before || fail "half of it stayed"
		[ ! -e half.undo.toml ] || fail "an undo of nothing"
		ls -d /tmp/irqscope.* 2>/dev/null && fail "a directory was left behind"
		exit 0
	SCRIPT
	run_guest 600 $kernel "$WORK/$kernel"
	grep -q "ksoftirqd/0" "$WORK/$kernel/words" || fail "$kernel: no ksoftirqd"
	grep -q "fifo 7  softirq" "$WORK/$kernel/after" || fail "$kernel: the change does not show"
done
[ "$(field "$WORK/6.1/json" "j['real_time'], j['threaded_interrupts']")" = "False False" ] || fail "6.1 is no RT kernel"
[ "$(field "$WORK/6.1-rt/json" "j['real_time'], j['threaded_interrupts']")" = "True True" ] || fail "6.1-rt is one"
[ "$(field "$WORK/6.1-rt/json" "j['preemption']")" = PREEMPT_RT ] || fail "no PREEMPT_RT"
grep -q "threadirqs" "$WORK/6.1/words" || fail "no advice about hard handlers"
grep -qE "fifo 50  interrupt" "$WORK/6.1-rt/words" || fail "no interrupt thread at priority 50"
