# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: every section with interrupts or preemption disabled is found whole, by its function and to
# the instruction: 1,000 instructions more in a handler lengthen its sections by 1,000 instructions,
# and those of a softirq that of preemption alone; culprits of known name and length are found; on a
# stock and an RT kernel, on arm64, with every kind of trigger and with benchmarks; and looking for them changes
# no sample. A running kernel's tracepoints show the same sections.
# Runs: beside others, early
. tests/lib/lib.sh

# One phase of the tick for all triggers: beside a tick a handler goes another way.
scenario() { # STAGE INSTRUCTIONS [KERNEL KIND STAGE]
	cat <<-TOML
	version = 1
	about = "irq and another stage, with $2 instructions before the stamp of $1"
	kernels = ["${3:-6.1}"]
	states = ["idle"]
	stages = ["irq", "${5:-softirq}"]
	[trigger]
	kind = "${4:-line}"
	period = "4ms"
	count = 200
	[test]
	stage = "$1"
	instructions = $2
	TOML
}

# A delay in front of a stage's stamp, in both, and none.
scenario irq 0 >"$WORK/none.toml"
scenario irq 1000 >"$WORK/irq.toml"
scenario softirq 1000 >"$WORK/softirq.toml"
for name in none irq softirq; do
	expect 0 "$IRQSCOPE" run "$WORK/$name.toml" --sections --out "$WORK/$name"
	expect 0 "$IRQSCOPE" locks "$WORK/$name" --json
	cp "$WORK/said" "$WORK/$name.json"
done

# Other machines and triggers.
others="6.1-arm64,line 6.1,timer"
if in_soak "injected interrupts and sleeps"; then others="$others 6.1-rt,inject 6.1,sleep"; fi
for other in $others; do
	kernel=${other%,*} kind=${other#*,}
	stage=softirq
	[ "$kind" != sleep ] || stage=user
	for instructions in 0 1000; do
		run=$WORK/$kernel-$kind-$instructions
		scenario irq $instructions "$kernel" "$kind" $stage >"$run.toml"
		expect 0 "$IRQSCOPE" run "$run.toml" --sections --out "$run"
		expect 0 "$IRQSCOPE" locks "$run" --json
		cp "$WORK/said" "$run.json"
	done
done

# A benchmark, beside a module whose sections have known lengths.
cp -r "$TESTS/lib/long-sections" "$WORK"
benchmark() { # KERNEL BENCHMARK KEYS
	cat <<-TOML
	version = 1
	about = "A second beside long sections"
	kernels = ["$1"]
	states = ["idle"]
	modules = ["./long-sections"]
	[bench.$2]
	$3
	TOML
}
benchmark 6.1 sleep "count = 250" >"$WORK/sleeps.toml"
expect 0 "$IRQSCOPE" run "$WORK/sleeps.toml" --allow-commands --sections --out "$WORK/sleeps"
expect 0 "$IRQSCOPE" locks "$WORK/sleeps" --json
cp "$WORK/said" "$WORK/sleeps.json"

# By tracepoints: Debian's kernels have none.
benchmark 6.1 watch 'target = "sections"
	duration = "1s"' >"$WORK/watch.toml"
expect 2 "$IRQSCOPE" run "$WORK/watch.toml" --allow-commands --out "$WORK/refused"
says "no tracepoints irq_disable or preempt_disable"
says "CONFIG_PREEMPT_TRACER"
traced=
if in_soak "a kernel with tracepoints of sections"; then
	traced=traced
	expect 0 "$IRQSCOPE" run "$WORK/watch.toml" --kernel tracers --allow-commands --out "$WORK/traced"
	expect 0 "$IRQSCOPE" locks "$WORK/traced"
	says "by the function that the stack showed at its end"
	expect 0 "$IRQSCOPE" locks "$WORK/traced" --json
	cp "$WORK/said" "$WORK/traced.json"
	# There are no samples: the sections are the answer.
	expect 0 "$IRQSCOPE" report "$WORK/traced"
	says "long_sections_preemption"
	! grep -q "No response" "$WORK/said" || fail "no answer, where there are no samples"
	grep -q '<td class="wrapped">long_sections_preemption' "$WORK/traced/report.html" || fail "the report has no sections"
fi

expect 0 "$IRQSCOPE" run "$WORK/none.toml" --out "$WORK/plain"
cmp "$WORK/none/samples.parquet" "$WORK/plain/samples.parquet" || fail "looking for sections changed a sample"
expect 0 "$IRQSCOPE" locks "$WORK/none"
says "every section from its first instruction to its last"
grep -q '<h2>Critical sections</h2>' "$WORK/none/report.html" || fail "the report has no sections"
! grep -q '<h2>Critical sections</h2>' "$WORK/plain/report.html" || fail "the report has sections that were not looked for"
says "reschedule pending"

# Culprits, on both kernels.
sed -e 's/^count = .*/count = 150/' -e '/^kinds = \[/,/^\]/c kinds = ["irqs-off", "preempt-off"]' \
	scenarios/faults.toml >"$WORK/faults.toml"
expect 0 "$IRQSCOPE" run "$WORK/faults.toml" --sections --out "$WORK/faults"
expect 0 "$IRQSCOPE" explain "$WORK/faults" --truth --json
cp "$WORK/said" "$WORK/truth.json"
expect 0 "$IRQSCOPE" locks "$WORK/faults" --json
cp "$WORK/said" "$WORK/faults.json"
target/venv/bin/python "$TESTS/38-sections.py" "$WORK" "$others" $traced || fail "see above"

# Where nothing sees all instructions, or another view does in its own way, it is refused.
expect 2 "$IRQSCOPE" run "$WORK/none.toml" --sections --rig vm
says "twin.sections"
benchmark 6.1 isolate 'duration = "10ms"' | sed '/^modules/d' >"$WORK/isolate.toml"
expect 2 "$IRQSCOPE" run "$WORK/isolate.toml" --sections
says "isolate looks at each instruction in its own way"
expect 2 "$IRQSCOPE" watch sections --count 5
says "leave count, above and until out"
nothing_left "qemu-system-x86_64.*$WORK"
