# SPDX-License-Identifier: Apache-2.0 OR MIT
"""bench-large.py IRQSCOPE RUN OTHER: time and memory of `irqscope report` on a run, of
DuckDB for the same figures on the Parquet file that it wrote, of `irqscope tail` on
the run and of `irqscope compare` with the other one. Fails where a figure differs, or
irqscope needs more than 128 MB."""

import json
import os
import pathlib
import subprocess
import sys
import time

QUERY = """
    SELECT count(value_ns), min(value_ns), max(value_ns), avg(value_ns), stddev_samp(value_ns),
           quantile_disc(value_ns, [0.05, 0.5, 0.95, 0.99, 0.999])
    FROM read_parquet('{}/bench.parquet')
"""


# A tail may be refused, with a reason: that takes as much.
REFUSED = 4


def measured(what, command, allowed=(0,)):
    """Returns the command's output, after printing its time and its largest memory."""
    begun = time.monotonic()
    child = subprocess.Popen(command, stdout=subprocess.PIPE)
    said = child.stdout.read()
    _, status, usage = os.wait4(child.pid, 0)
    assert os.waitstatus_to_exitcode(status) in allowed, command
    took = time.monotonic() - begun
    cpu = usage.ru_utime + usage.ru_stime
    print(f"  {what}: {took:.1f} s ({cpu:.1f} s of CPU), at most {usage.ru_maxrss // 1024} MB", flush=True)
    memory = usage.ru_maxrss // 1024
    assert memory < 128 or command[0] != irqscope, memory
    return said


irqscope, run, other = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
said = measured("irqscope report, everything", [irqscope, "report", str(run), "--json"])
summary = json.loads(said)
(one,) = summary["cases"][0]["benchmarks"]
python = pathlib.Path("target/venv/bin/python")
code = """import duckdb, json, sys
duckdb.execute("SET enable_progress_bar = false")
print(json.dumps(duckdb.sql(sys.argv[1]).fetchone()))"""
said = measured("DuckDB, the figures alone", [str(python), "-c", code, QUERY.format(run)])
count, least, most, mean, spread, quantiles = json.loads(said)
names = ["p5_ns", "p50_ns", "p95_ns", "p99_ns", "p99_9_ns"]
assert [count, least, most] == [one[name] for name in ("count", "min_ns", "max_ns")]
assert list(quantiles) == [one[name] for name in names], (quantiles, one)
assert abs(mean / one["mean_ns"] - 1) < 1e-9 and abs(spread / one["stddev_ns"] - 1) < 1e-6
print(f"  the figures of {count} samples are the same")

said = measured("irqscope compare, two of them", [irqscope, "compare", str(run), other, "--json"])
((series,),) = (comparison["series"] for comparison in json.loads(said))
names = {0.5: "p50_ns", 0.99: "p99_ns", 0.999: "p99_9_ns", 1: "max_ns"}
shifts = [shift for shift in series["shifts"] if shift["quantile"] in names]
assert len(shifts) >= 3 and series["test"] and series["base_count"] == count, series
for shift in shifts:
    assert shift["base_ns"] == one[names[shift["quantile"]]] and shift["interval"], shift
said = measured("irqscope tail", [irqscope, "tail", str(run), "--json"], allowed=(0, REFUSED))
(tail,) = json.loads(said)
assert tail["refusal"] or tail["tail"]["samples"] == count, tail
print(f"  the comparison's too; the tail: {tail['refusal'] or tail['tail']['exceedances']}")
