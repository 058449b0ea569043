# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: a delay of known length in front of a stage's stamp is reported to the
# instruction: two virtual nanoseconds each, no more, no less.
. "$(dirname "$0")/lib.sh"

scenario() {
	cat <<-TOML
	version = 1
	about = "softirq with $1 instructions before its stamp"
	kernels = ["6.1", "6.12-rt"]
	states = ["idle"]
	stages = ["irq", "softirq"]
	[trigger]
	kind = "timer"
	period = "1ms"
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
python3 - "$WORK/0/summary.json" "$WORK/1000/summary.json" <<'PY'
import json, sys
without, with_delay = ({(c["case"], s["stage"]): s for c in json.load(open(path))["cases"] for s in c["stages"]} for path in sys.argv[1:])
for key, before in without.items():
    for figure in ("min_ns", "p50_ns"):
        difference = with_delay[key][figure] - before[figure]
        print(key, figure, difference)
        assert difference == (2000 if key[1] == "softirq" else 0), (key, figure, difference)
PY
