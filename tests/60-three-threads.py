# SPDX-License-Identifier: Apache-2.0 OR MIT
"""60-three-threads.py RUN: which thread waits for which, round by round, from the run's own
instants. They count from C's having the lock."""

import json
import sys

import duckdb

run = sys.argv[1]
with open(f"{run}/summary.json", encoding="utf-8") as file:
    cases = json.load(file)["cases"]
with open(f"{run}/manifest.json", encoding="utf-8") as file:
    plans = {case["case"]: case["plan"]["work"]["benchmarks"] for case in json.load(file)["cases"]}
assert [case["case"] for case in cases] == ["6.1/idle", "6.1-rt/idle"]

# A handover takes a twentieth of C's section at most: a share of what was measured.
HANDOVER = 20


def rounds(case, variant):
    rows = duckdb.sql(f"""
        PIVOT (FROM '{run}/bench.parquet' SELECT seq, series, value_ns
               WHERE "case" = '{case}' AND benchmark = 'inversion' AND variant = '{variant}')
        ON series USING any_value(value_ns) ORDER BY seq""")
    return [dict(zip(rows.columns, row)) for row in rows.fetchall()]


def check(case, variant, limit_ns):
    told = []
    for one in rounds(case, variant):
        where = (case, variant, one)
        wait, section = one["wait"], one["c-unlocks"] - one["c-locks"]
        b_works = one["b-ends"] - one["b-starts"]
        assert wait == one["a-has"] - one["a-asks"] and one["c-locks"] == 0, where
        # C wakes A from within its section, and A cannot have the lock before its end.
        assert 0 < one["a-asks"] < one["c-unlocks"] < one["a-has"], where
        if variant.startswith("none"):
            assert one["a-asks"] < one["b-starts"] and one["b-ends"] < one["c-unlocks"], where
            assert wait > b_works and section > b_works, where
        else:
            assert one["b-starts"] > one["a-has"], where
            assert wait < section + section // HANDOVER, where
        if variant == "none-unbounded":
            # The guard ends B, and nothing else does.
            assert one["b-ends"] + section // HANDOVER > limit_ns, where
        told.append(wait)
    return told


for case in cases:
    name = case["case"]
    assert case["identity_holds"] and "unavailable" not in case, case
    kinds = {one["benchmark"] for one in case["benchmarks"]}
    assert kinds == {"gtod", "sched", "async", "sleep", "inversion", "realfeel", "jitter", "spin"}
    asked = [plan["inversion"] for plan in plans[name] if "inversion" in plan]
    waits = {
        f"{protocol}-{middle}": check(name, f"{protocol}-{middle}", asked[0]["limit_ns"])
        for protocol in ("none", "inherit")
        for middle in ("bounded", "unbounded")
    }
    assert all(len(one) == asked[0]["count"] for one in waits.values()), waits
    for middle in ("bounded", "unbounded"):
        assert max(waits[f"inherit-{middle}"]) < min(waits[f"none-{middle}"]), waits
    # B's work does not matter where A's priority is inherited.
    bounded, unbounded = max(waits["inherit-bounded"]), max(waits["inherit-unbounded"])
    assert abs(bounded - unbounded) < min(bounded, unbounded) // HANDOVER, waits
    assert min(waits["none-unbounded"]) > max(waits["none-bounded"]), waits
    print(name, {variant: max(one) for variant, one in waits.items()})
