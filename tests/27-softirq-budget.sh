# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: the budget after which softirqs are left to ksoftirqd, as kernel/softirq.c has
# it: ten rounds, or the first round that ends after the jiffy in which 2 ms are over,
# which at 250 Hz is the next one.
# Runs: beside others
. tests/lib/lib.sh

# Softirqs of 900 µs, at any time between two ticks.
sed -e 's/^kernels = .*/kernels = ["6.1"]/' -e 's/^states = .*/states = ["one"]/' \
	-e 's/^softirq = .*/softirq = "900us"/' -e 's/^count = .*/count = 160/' \
	-e 's/^period = .*/period = "40ms"\njitter = "uniform"\njitter-amount = "4ms"\nseed = 3/' \
	"$TESTS/../scenarios/bursts-counter.toml" >"$WORK/budget.toml"
expect 0 "$IRQSCOPE" run "$WORK/budget.toml" --out "$WORK/run"
expect 0 "$IRQSCOPE" bursts "$WORK/run" --json
python3 - "$WORK/said" <<'PYTHON' || fail "see above"
import json, sys

JIFFY = 4_000_000
[case] = json.load(open(sys.argv[1], encoding="utf-8"))
handed = [burst["handed"][0] for burst in case["bursts"]]
if len(handed) != 10:
    sys.exit(f"FAIL: {len(handed)} bursts")
for one in handed:
    # A round takes 900 µs, and what interrupts it; the one in which the jiffy ends is
    # the last.
    round_ns = one["rounds_ns"] / one["rounds"]
    if not (900_000 < round_ns < 1_100_000 and one["rounds_ns"] < JIFFY + round_ns):
        sys.exit(f"FAIL: {one}")
rounds = {one["rounds"] for one in handed}
if len(rounds) < 3 or max(rounds) > 5:
    sys.exit(f"FAIL: {sorted(rounds)} rounds: not where the tick falls")
PYTHON
echo "PASS: softirqs are left to ksoftirqd when their time is over"
