# SPDX-License-Identifier: Apache-2.0 OR MIT
"""How much longer the way from irq to softirq is in the second run, per sample."""

import sys

import duckdb

without, with_delay = (
    f"""(SELECT "case", seq, max(latency_ns) FILTER (stage = 'softirq')
                           - max(latency_ns) FILTER (stage = 'irq') AS way
         FROM read_parquet('{run}/samples.parquet') GROUP BY ALL)"""
    for run in sys.argv[1:]
)
rows = duckdb.sql(
    f"""SELECT "case", b.way - a.way AS longer, count(*) AS samples
        FROM {without} a JOIN {with_delay} b USING ("case", seq) GROUP BY ALL ORDER BY ALL"""
).fetchall()
for row in rows:
    print(*row)
assert rows == [("6.1/idle", 2000, 500)], "not exactly 2000 ns, 500 times"
