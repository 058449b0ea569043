# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: every section with interrupts or preemption disabled is found whole, by its function and to
# the instruction: 1,000 instructions more in a handler lengthen its sections by 1,000 instructions,
# and those of a softirq that of preemption alone; culprits of known name and length are found; on a
# stock and an RT kernel; and looking for them changes no sample.
# Runs: beside others
. tests/lib/lib.sh

# One phase of the tick for all triggers: beside a tick a handler goes another way.
scenario() { # STAGE INSTRUCTIONS
	cat <<-TOML
	version = 1
	about = "irq and softirq, with $2 instructions before the stamp of $1"
	kernels = ["6.1"]
	states = ["idle"]
	stages = ["irq", "softirq"]
	[trigger]
	kind = "line"
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
expect 0 "$IRQSCOPE" run "$WORK/none.toml" --out "$WORK/plain"
cmp "$WORK/none/samples.parquet" "$WORK/plain/samples.parquet" || fail "looking for sections changed a sample"
expect 0 "$IRQSCOPE" locks "$WORK/none"
says "every section from its first instruction to its last"
says "reschedule pending"

# Culprits, on both kernels.
sed -e 's/^count = .*/count = 150/' -e '/^kinds = \[/,/^\]/c kinds = ["irqs-off", "preempt-off"]' \
	scenarios/faults.toml >"$WORK/faults.toml"
expect 0 "$IRQSCOPE" run "$WORK/faults.toml" --sections --out "$WORK/faults"
expect 0 "$IRQSCOPE" explain "$WORK/faults" --truth --json
cp "$WORK/said" "$WORK/truth.json"
expect 0 "$IRQSCOPE" locks "$WORK/faults" --json
cp "$WORK/said" "$WORK/faults.json"
target/venv/bin/python "$TESTS/38-sections.py" "$WORK" || fail "see above"

# Where nothing sees all instructions, or not this CPU's, it is refused.
expect 2 "$IRQSCOPE" run "$WORK/none.toml" --sections --rig vm
says "twin.sections"
expect 2 "$IRQSCOPE" run "$WORK/none.toml" --sections --kernel 6.1-arm64
says "x86-64"
nothing_left "qemu-system-x86_64.*$WORK"
