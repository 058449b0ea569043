# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Compares summary.json of a run with what DuckDB says of its samples: a quantile where ten of
them lie beyond it, and none else."""

import fractions
import json
import math
import pathlib
import sys

import duckdb

run = pathlib.Path(sys.argv[1])
summary = json.loads((run / "summary.json").read_text())
quantiles = {"p5_ns": 0.05, "p50_ns": 0.5, "p95_ns": 0.95, "p99_ns": 0.99, "p99_9_ns": 0.999,
             "p99_99_ns": 0.9999, "p99_999_ns": 0.99999}
columns = ", ".join(f"quantile_disc(latency_ns, {q}) AS {name}" for name, q in quantiles.items())
query = f"""
    SELECT count(latency_ns) AS count, min(latency_ns) AS min_ns, max(latency_ns) AS max_ns,
           avg(latency_ns) AS mean_ns, stddev_samp(latency_ns) AS stddev_ns, {columns}
    FROM read_parquet('{run}/samples.parquet')
    WHERE "case" = ? AND stage = ? AND "view" = ?
"""


def takes(share):
    """Returns how many samples have ten beyond this quantile."""
    exact = fractions.Fraction(str(share))
    return math.ceil(10 / min(exact, 1 - exact))


compared, absent = 0, 0
for case in summary["cases"]:
    for stage in case["stages"]:
        cursor = duckdb.execute(query, [case["case"], stage["stage"], stage["view"]])
        names = [column[0] for column in cursor.description]
        for name, value in zip(names, cursor.fetchone()):
            want = stage[name]
            if name in quantiles and stage["count"] < takes(quantiles[name]):
                assert want is None, f"{case['case']} {stage['stage']} {name} of {stage['count']} samples"
                absent += 1
                continue
            same = math.isclose(value, want, rel_tol=1e-9) if isinstance(want, float) else value == want
            assert same, f"{case['case']} {stage['stage']} {name}: DuckDB {value}, summary {want}"
            compared += 1
assert compared >= 100, compared
assert absent > 0
print(f"{compared} figures agree, {absent} are not given")
