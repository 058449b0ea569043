# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Each stage is answered in its turns in both views, and seen from outside no sooner than from inside."""

import sys

import duckdb

samples, count = sys.argv[1], int(sys.argv[2])
rows = duckdb.sql(
    f"""SELECT stage, count(*) FILTER (view = 'inside'), count(*) FILTER (view = 'outside'),
               min(latency_ns) FILTER (view = 'outside')
        FROM '{samples}' WHERE latency_ns IS NOT NULL GROUP BY stage ORDER BY stage"""
).fetchall()
assert len(rows) == 10, rows  # that 6.1 has
for stage, inside, outside, soonest in rows:
    print(stage, inside, outside, soonest)
    # 20 triggers ask each stage, by irq's answers; 6.1 lacks one stage, whose turn another takes.
    assert inside == outside >= (count if stage == "irq" else 20), stage
    assert soonest > 0, stage
assert sum(inside for stage, inside, *_ in rows if stage != "irq") == count
early = duckdb.sql(
    f"""SELECT count(*) FROM (SELECT * FROM '{samples}' WHERE view = 'outside') a
        JOIN (SELECT * FROM '{samples}' WHERE view = 'inside') b USING (seq, stage)
        WHERE a.latency_ns < b.latency_ns"""
).fetchone()
assert early == (0,), f"{early[0]} responses are seen from outside before the handler's stamp counts them"
