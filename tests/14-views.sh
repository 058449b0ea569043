# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: both views are there on all four kernels, to the instruction: the same
# sample differs by a constant per stage, what lies between its stamp and its
# edge; and keeping the record from inside costs the view from outside less than
# 5 % of any stage's median. (The jitter lets triggers come at every phase of the
# tick: with one phase alone it decides on 6.12-rt whether ksoftirqd or a kworker
# runs first, and medians move by 17 %.)
# Runs beside others.
. "$(dirname "$0")/lib.sh"

cat >"$WORK/views.toml" <<-TOML
	version = 1
	about = "Both views, with and without the target's record"
	kernels = ["6.1", "6.1-rt", "6.12", "6.12-rt"]
	states = ["idle"]
	observer-effect = true
	[trigger]
	kind = "line"
	frequency = "1kHz"
	jitter = "uniform"
	jitter-amount = "500us"
	count = 300
TOML
expect 0 "$IRQSCOPE" run "$WORK/views.toml" --out "$WORK/run"
says "observer effect"

python3 - "$WORK/run/summary.json" <<'PY'
import json, sys
summary = json.load(open(sys.argv[1]))
assert len(summary["cases"]) == 8
for case in summary["cases"]:
    name, outside = case["case"], case["outside"]
    assert case["identity_holds"] and case["triggers"] == case["complete"] == 300, name
    assert outside["answers"] == outside["edges"] == 300 * len(case["missing"]), name
    assert outside["extra"] == outside["dropped"] == outside["lost_interrupts"] == 0, name
    views = {(s["stage"], s["view"]): s["count"] for s in case["stages"]}
    if name.endswith("/outside"):
        assert all(view == "outside" for _, view in views), name
        continue
    assert set(views.values()) == {300}, (name, views)
    offsets = {o["stage"]: o for o in case["edge_offsets"]}
    assert len(offsets) == len(views) / 2, name
    for stage, offset in offsets.items():
        # Between the user stage's stamp and its edge lies a system call.
        exact = offset["at_p50"] if stage != "user" else offset["at_p50"] + 1
        assert exact >= 300, (name, offset)
    in_handlers = {offset["p50_ns"] for stage, offset in offsets.items() if stage not in ("kthread", "user")}
    print(name, "ns from stamp to edge:", *sorted(in_handlers), offsets["kthread"]["p50_ns"], offsets["user"]["p50_ns"])
worst = max(summary["observer_effects"], key=lambda effect: effect["percent"])
print("worst observer effect:", worst)
assert len(summary["observer_effects"]) == 42 and worst["percent"] < 5
PY
cat "$WORK/said"
