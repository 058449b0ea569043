# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: a delay of known length in front of a stage's stamp is reported to the
# instruction, in every single sample: 1,000 instructions are 2,000 virtual
# nanoseconds more from stage irq to stage softirq, at every phase of the tick.
# (From outside, so that the delay moves no trigger. Beside the driver's own timer
# the kernel arms that timer again between the two stages, and one sample in fifty
# takes an instruction less there.)
# Runs: beside others
. tests/lib/lib.sh

scenario() {
	cat <<-TOML
	version = 1
	about = "softirq with $1 instructions before its stamp"
	kernels = ["6.1"]
	states = ["idle"]
	stages = ["irq", "softirq"]
	[trigger]
	kind = "line"
	period = "1003us"
	count = 500
	[test]
	stage = "softirq"
	instructions = $1
	TOML
}

for delay in 0 1000; do
	scenario $delay >"$WORK/delay-$delay.toml"
	expect 0 "$IRQSCOPE" run "$WORK/delay-$delay.toml" --out "$WORK/$delay"
done
target/venv/bin/python "$TESTS/13-known-delay.py" "$WORK/0" "$WORK/1000"
