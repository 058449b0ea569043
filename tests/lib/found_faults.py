# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Hold what `irqscope explain --truth --json` said of the bundled faults to its figures.

    found_faults.py SAID MOVED [KIND | rt:KIND]...

More than MOVED responses of each case were moved by a fault, 99 of 100 of them are named rightly,
and of those without a fault fewer than one in a thousand has one. Only kinds that are listed may
have moved none; `rt:KIND` in a case of an RT kernel.
"""

import json
import sys

said, least, *listed = sys.argv[1:]
with open(said, encoding="utf-8") as file:
    cases = json.load(file)
assert len(cases) == 2, cases
for case in cases:
    rows = case["kinds"]
    moved, right = (sum(row[key] for row in rows.values()) for key in ("moved", "right"))
    print(case["case"], "moved", moved, "right", right, "false", case["false_alarms"], "of", case["without"])
    assert moved > int(least) and right >= 0.99 * moved, case
    assert case["without"] > 1000 and case["false_alarms"] < 0.001 * case["without"], case
    still = {kind for kind, row in rows.items() if not row["moved"]}
    here = [kind for kind in listed if "rt" in case["case"] or not kind.startswith("rt:")]
    allowed = {kind.removeprefix("rt:") for kind in here}
    assert still <= allowed, still
