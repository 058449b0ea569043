# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Reads what was exported with parsers that others wrote, and compares it with
summary.json and bench.parquet."""

import json
import math
import pathlib
import sys

import duckdb
from hdrh.histogram import HdrHistogram
from hdrh.log import HistogramLogReader
from prometheus_client.openmetrics.parser import text_string_to_metric_families

work = pathlib.Path(sys.argv[1])
(case,) = json.loads((work / "run/summary.json").read_text())["cases"]
series = {(s["benchmark"], s["variant"], s["series"]): s for s in case["benchmarks"]}
assert len(series) == 6, series.keys()

# prometheus_client refuses what OpenMetrics does not allow.
families = {f.name: f for f in text_string_to_metric_families((work / "out.openmetrics").read_text())}
latency = families["irqscope_latency_seconds"]
assert (latency.type, latency.unit) == ("summary", "seconds")
fields = {"0.05": "p5_ns", "0.5": "p50_ns", "0.95": "p95_ns", "0.99": "p99_ns", "0.999": "p99_9_ns",
          "0.9999": "p99_99_ns", "0.99999": "p99_999_ns"}
compared = 0
for sample in latency.samples:
    one = series[tuple(sample.labels[name] for name in ("benchmark", "variant", "series"))]
    if sample.name.endswith("_count"):
        assert sample.value == one["count"]
    elif sample.name.endswith("_sum"):
        assert math.isclose(sample.value * 1e9, one["mean_ns"] * one["count"], rel_tol=1e-9)
    else:
        assert round(sample.value * 1e9) == one[fields[sample.labels["quantile"]]], sample
    compared += 1
# A count, a sum, and each quantile that has ten samples beyond it.
assert compared == sum(2 + sum(one[name] is not None for name in fields.values()) for one in series.values())
assert compared >= 6 * 5, compared

# HdrHistogram, three digits.
reader = HistogramLogReader(str(work / "out.hdr"), HdrHistogram(1, 10**12, 3))
logged = []
while (histogram := reader.get_next_interval_histogram()) is not None:
    logged.append((histogram.get_total_count(), histogram.get_value_at_percentile(50)))
wanted = [(one["count"], one["p50_ns"]) for one in series.values()]
assert len(logged) == len(wanted)
for (count, median), (want_count, want_median) in zip(logged, wanted):
    assert count == want_count and abs(median - want_median) <= 1e-3 * want_median + 1, (median, want_median)

# DuckDB: CSV and Parquet have the same rows, of samples and of histograms.
for csv, run in (("out.csv", "run"), ("counted.csv", "imported")):
    tables = [
        f"SELECT * FROM read_csv('{work}/{csv}', header = true, all_varchar = true)",
        f"SELECT COLUMNS(*)::VARCHAR FROM read_parquet('{work}/{run}/bench.parquet')",
    ]
    for one, other in (tables, tables[::-1]):
        (count,) = duckdb.sql(f"SELECT count(*) FROM ({one} EXCEPT ALL {other})").fetchone()
        assert count == 0, f"{csv}: {count} rows differ"

# The keys of rt-tests' JSON are those that cyclictest itself wrote.
ours, theirs = (json.loads(pathlib.Path(p).read_text()) for p in (work / "out.rt-tests", sys.argv[2]))
assert ours.keys() == theirs.keys(), ours.keys() ^ theirs.keys()
assert ours["sysinfo"].keys() == theirs["sysinfo"].keys()
for (thread, one), want in zip(ours["thread"].items(), series.values()):
    assert theirs["thread"]["0"].keys() <= one.keys()
    assert sum(one["histogram"].values()) == one["cycles"] == want["count"], thread
    assert one["max"] == want["max_ns"] // 1000, thread
assert len(ours["thread"]) == ours["num_threads"] == 6
print(f"{compared} metrics, {len(logged)} histograms, {len(ours['thread'])} threads agree")
