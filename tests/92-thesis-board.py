# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The scripted target of 92-thesis-board: what it is to do, and whether the run says so.

    92-thesis-board.py script
    92-thesis-board.py check SCRIPT MANIFEST SAMPLES
"""

import csv
import json
import random
import sys

TRIGGERS = 1000
STAGES = ["irq", "softirq", "tasklet", "work", "thread", "kthread", "user"]
CYCLE_NS = 5
# The board's resolution, docs/board.md.
ERROR_CYCLES = 1
MISSING = 2
# Shorter than the scenario's timeout, in cycles.
SHORTEST, LONGEST = 20, 190_000


def script():
    """Delays in cycles, by trigger and line; None: no answer."""
    numbers = random.Random(92)

    def delay():
        silent = numbers.random() < 0.01
        return None if silent else numbers.randrange(SHORTEST, LONGEST)

    return [[delay() for _ in STAGES] for _ in range(TRIGGERS)]


def check(told, manifest, rows):
    seen = {(int(row["seq"]), row["stage"]): row for row in rows}
    assert len(seen) == len(rows) == TRIGGERS * len(STAGES), f"{len(rows)} rows"
    errors = {}
    for (seq, stage), row in seen.items():
        delay = told[seq][STAGES.index(stage)]
        if delay is None:
            assert (row["latency_ns"], row["flags"]) == ("", str(MISSING)), row
            continue
        assert row["flags"] == "0" and row["view"] == "outside", row
        error = int(row["latency_ns"]) - delay * CYCLE_NS
        errors[error] = errors.get(error, 0) + 1
    worst = ERROR_CYCLES * CYCLE_NS
    assert all(-worst <= error <= worst for error in errors), errors
    [case] = manifest["cases"]
    complete = sum(None not in delays for delays in told)
    counters = case["counters"]
    assert counters["triggers"] == TRIGGERS and counters["complete"] == complete, counters
    assert counters["missing"] == TRIGGERS - complete, counters
    assert counters["dropped"] == counters["coalesced"] == counters["skipped"] == 0, counters
    assert 0 < complete < TRIGGERS and manifest["complete"]
    print("errors in ns:", dict(sorted(errors.items())))


if sys.argv[1] == "script":
    print(json.dumps(script()))
else:
    with open(sys.argv[2]) as told, open(sys.argv[3]) as manifest, open(sys.argv[4]) as samples:
        check(json.load(told), json.load(manifest), list(csv.DictReader(samples)))
