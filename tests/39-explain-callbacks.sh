# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: functions that the kernel calls back (RCU, irq_work, stop_machine(), timers and
# tasklets), a slow console and page faults of the user stage are named where they hold
# responses up, whatever the trigger; and where none does, none is.
# Runs: beside others
. tests/lib/lib.sh

# With one CPU a timer of that CPU injects, which a console holds up as well: the trigger then meets
# the thread on its way back from printk(), which is none of the console's time.
for kind in line timer inject; do
	but=$([ $kind = inject ] && echo '"printk", ' || echo nothing)
	sed -e 's/^count = .*/count = 1500/' -e "s/^kind = .*/kind = \"$kind\"/" -e "s/$but//" \
		scenarios/callback-faults.toml >"$WORK/$kind.toml"
	grep -q "^kind = \"$kind\"" "$WORK/$kind.toml" || fail "no trigger $kind"
	expect 0 "$IRQSCOPE" run "$WORK/$kind.toml" --out "$WORK/$kind"
	expect 0 "$IRQSCOPE" explain "$WORK/$kind"
	says ", 0 not the sum of their segments"
	expect 0 "$IRQSCOPE" explain "$WORK/$kind" --truth --json
	python3 - "$WORK/said" "$kind" <<'PY'
import json, sys
cases = json.load(open(sys.argv[1]))
assert len(cases) == 2, cases
moved_by = {}
for case in cases:
    rows = case["kinds"]
    assert len(rows) == (6 if sys.argv[2] == "inject" else 7) and all(row["faults"] >= 50 for row in rows.values()), case
    for kind, row in rows.items():
        moved_by[kind] = moved_by.get(kind, 0) + row["moved"]
    moved, right = (sum(row[key] for row in rows.values()) for key in ("moved", "right"))
    print(case["case"], "moved", moved, "right", right, "false", case["false_alarms"], "of", case["without"])
    assert moved > 300 and right >= 0.99 * moved, case
    # Of what hardly moves anything on one of the kernels one wrong name is a large share.
    assert all(row["moved"] - row["right"] <= max(1, 0.05 * row["moved"]) for row in rows.values()), case
    assert case["without"] > 1000 and case["false_alarms"] < 0.001 * case["without"], case
# These hold up that timer, and so the trigger.
of_time = {"irq-work", "stop-machine"} if sys.argv[2] == "inject" else set()
assert all(moved > 10 for kind, moved in moved_by.items() if kind not in of_time), moved_by
PY
done
