# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: where the CPU under test waits for another one, that one's doing is named: the thread that
# has a lock, the function that has interrupts disabled and delays a call or a TLB shootdown, on
# stock and RT kernels and whatever triggers; and where it does not wait, no other CPU is named. A
# kind that needs a second CPU is refused on one.
# Runs: beside others, early
. tests/lib/lib.sh

expect 2 "$IRQSCOPE" run remote-faults --set twin.cpus=1
says "remote-lock needs a second CPU: set twin.cpus = 2"

for kind in line timer; do
	kernels=$([ $kind = line ] && echo '"6.1", "6.1-rt"' || echo '"6.1"')
	sed -e 's/^count = .*/count = 1000/' -e "s/^kind = .*/kind = \"$kind\"/" \
		-e "s/^kernels = .*/kernels = [$kernels]/" scenarios/remote-faults.toml >"$WORK/$kind.toml"
	grep -q "^kind = \"$kind\"" "$WORK/$kind.toml" || fail "no trigger $kind"
	expect 0 "$IRQSCOPE" run "$WORK/$kind.toml" --out "$WORK/$kind"
	expect 0 "$IRQSCOPE" explain "$WORK/$kind"
	says ", 0 not the sum of their segments"
	expect 0 "$IRQSCOPE" explain "$WORK/$kind" --truth --json
	python3 - "$WORK/said" <<'PY'
import json, sys
cases = json.load(open(sys.argv[1]))
assert cases
for case in cases:
    rows = case["kinds"]
    print(case["case"], {kind: (row["moved"], row["right"], row["exact"]) for kind, row in rows.items()},
          "false", case["false_alarms"], "of", case["without"])
    assert set(rows) == {"remote-lock", "remote-irqs-off", "tlb-shootdown"}, case
    assert all(row["moved"] > 50 for row in rows.values()), case
    # The thread that has the lock has others, too, of the scheduler.
    assert case["without"] > 1000 and case["false_alarms"] < 0.005 * case["without"], case
# A tick that took longer than a fault is named for each stage of its trigger.
total = lambda key: sum(row[key] for case in cases for row in case["kinds"].values())
assert total("right") >= 0.99 * total("moved"), cases
PY
done
