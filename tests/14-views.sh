# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: both views are there on all four kernels, to the instruction: the same
# sample differs by a constant per stage, what lies between its stamp and its
# edge; and keeping the record from inside costs the view from outside less than
# 5 % of any stage's median where one trigger asks all stages. (The jitter lets triggers come at every phase of the
# tick: with one phase alone it decides on 6.12-rt whether ksoftirqd or a kworker
# runs first, and medians move by 17 %.)
# Runs: beside others
. tests/lib/lib.sh

cat >"$WORK/views.toml" <<-TOML
	version = 1
	about = "Both views, with and without the target's record"
	kernels = ["6.1", "6.1-rt", "6.12", "6.12-rt"]
	states = ["idle"]
	observer-effect = true
	[trigger]
	kind = "line"
	mode = "together"
	frequency = "1kHz"
	jitter = "uniform"
	jitter-amount = "500us"
	count = 300
TOML
expect 0 "$IRQSCOPE" run "$WORK/views.toml" --wide --out "$WORK/run"
says "observer effect"

target/venv/bin/python "$TESTS/lib/both_views.py" "$WORK/run" 8 300
python3 - "$WORK/run/summary.json" <<'PY'
import json, sys

effects = json.load(open(sys.argv[1]))["observer_effects"]
worst = max(effects, key=lambda effect: effect["percent"])
print("worst observer effect:", worst)
assert len(effects) == 42 and worst["percent"] < 5
PY
cat "$WORK/said"
