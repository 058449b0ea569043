# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: of culprits whose kind, name and length are known, the right one is named
# in at least 99 % of the responses that it moved, and none where there was none;
# every latency is the sum of its segments; the events cost nothing while they are
# off. And what cannot be explained says why.
. "$(dirname "$0")/lib.sh"

cat >"$WORK/faults.toml" <<-TOML
	version = 1
	about = "Culprits"
	kernels = ["6.1", "6.1-rt"]
	states = ["idle"]
	explain = true
	[faults]
	length = "200us"
	interval = "1200us"
	seed = 3
	[trigger]
	kind = "line"
	frequency = "1kHz"
	jitter = "uniform"
	jitter-amount = "500us"
	seed = 2
	count = 1000
TOML
expect 0 "$IRQSCOPE" run "$WORK/faults.toml" --out "$WORK/run"

expect 0 "$IRQSCOPE" explain "$WORK/run" --json
cp "$WORK/said" "$WORK/causes.json"
expect 0 "$IRQSCOPE" explain "$WORK/run" --truth --json
python3 - "$WORK/said" "$WORK/causes.json" <<'PY'
import json, sys
for case in json.load(open(sys.argv[1])):
    rows = case["kinds"]
    assert len(rows) == 11, (case["case"], sorted(rows))
    moved, right, exact = (sum(row[key] for row in rows.values()) for key in ("moved", "right", "exact"))
    print(case["case"], "moved", moved, "right", right, "exact", exact, "false", case["false_alarms"], "of", case["without"])
    assert all(row["faults"] >= 50 for row in rows.values()), case
    assert moved > 500 and right >= 0.99 * moved and exact >= 0.98 * moved, case
    assert case["without"] > 1000 and case["false_alarms"] < 0.01 * case["without"], case
stages = json.load(open(sys.argv[2]))
assert len(stages) == 20 and sum(stage["count"] for stage in stages) == 20000
assert all(stage["violations"] == 0 for stage in stages)
assert all(stage["unexplained_median_per_cent"] < 2 for stage in stages), stages
for stage in stages:
    assert abs(sum(share["per_cent"] for share in stage["shares"]) - 100) < 1e-6, stage
PY

# The same as data: the segments of every latency sum up to it.
target/venv/bin/python - "$WORK/run" <<'PY'
import duckdb, sys
wrong, all = duckdb.sql(f"""
    SELECT count(*) FILTER (ns <> latency_ns), count(*) FROM
        (SELECT "case", seq, stage, "view", sum(length_ns) ns
         FROM '{sys.argv[1]}/interference.parquet' GROUP BY ALL)
    JOIN '{sys.argv[1]}/samples.parquet' USING ("case", seq, stage, "view")
""").fetchone()
assert (wrong, all) == (0, 20000), (wrong, all)
PY

expect 0 "$IRQSCOPE" explain "$WORK/run" --case 6.1/idle --stage irq --above max --worst 1 --perfetto "$WORK/worst.json"
says "seq "
python3 - "$WORK/worst.json" <<'PY'
import json, sys
events = [event for event in json.load(open(sys.argv[1]))["traceEvents"] if event["ph"] == "X"]
end = 0
for event in events:
    assert abs(event["ts"] - end) < 1e-6
    end = event["ts"] + event["dur"]
assert end > 100
PY
expect 2 "$IRQSCOPE" explain "$WORK/run" --perfetto "$WORK/worst.json"
says "name another file"
expect 2 "$IRQSCOPE" explain "$WORK/run" --case 6.2/idle
says "there are: 6.1/idle, 6.1-rt/idle"
expect 2 "$IRQSCOPE" explain "$WORK/run" --overhead
says "explain-effect = true"
expect 2 "$IRQSCOPE" explain "$WORK/run" --above soon
says "p99.9, 150us or max"

# Off means off: without a log, and with nothing to explain.
sed -e '/^explain/d' -e '/^\[faults\]/,/^seed = 3/d' -e 's/count = 1000/count = 50/' \
	-e 's/, "6.1-rt"//' "$WORK/faults.toml" >"$WORK/plain.toml"
expect 0 "$IRQSCOPE" run "$WORK/plain.toml" --out "$WORK/plain"
expect 2 "$IRQSCOPE" explain "$WORK/plain"
says "--explain"
expect 2 "$IRQSCOPE" explain "$WORK/plain" --truth
says "scenarios/faults.toml"
sed -i 's/^states/rig = "local"\n&/' "$WORK/faults.toml"
expect 2 "$IRQSCOPE" run "$WORK/faults.toml" --out "$WORK/never"
says "only rig twin takes them"
