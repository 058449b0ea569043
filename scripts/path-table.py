#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Prints which code kept interrupts off while traced triggers waited: the table of docs/path.md.

  irqscope run demo --kernel 6.1 --state load --stage irq --count 2000 --trace 2000 --out RUN
  scripts/path-table.py RUN [MICROSECONDS]

For each answer of stage `irq` that took longer than MICROSECONDS (10), it is the function with the most
instructions in it or on top of it, of those that the median answer does not execute.
"""
import json
import os
import subprocess
import sys

import duckdb

RUN = sys.argv[1]
LEAST_NS = int(float(sys.argv[2]) * 1000) if len(sys.argv) > 2 else 10_000
IRQSCOPE = os.environ.get("IRQSCOPE", "irqscope")


def path(at):
    """Returns a traced sample with its functions."""
    command = [IRQSCOPE, "path", RUN, "--stage", "irq", "--at", str(at), "--json"]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def main():
    samples = f"read_parquet('{RUN}/samples.parquet')"
    where = "where view = 'outside' and stage = 'irq' and latency_ns is not null"
    late = duckdb.sql(f"select seq, latency_ns from {samples} {where} and latency_ns > {LEAST_NS}").fetchall()
    [[count, greatest]] = duckdb.sql(f"select count(*), max(latency_ns) from {samples} {where}").fetchall()
    ordinary = {function["function"] for function in path("p50")["functions"]}
    found = {}
    for seq, latency in late:
        shown = path(seq)
        culprit = max((one for one in shown["functions"] if one["function"] not in ordinary), key=lambda one: one["total"])
        found.setdefault(culprit["function"], []).append((latency, seq, culprit["total"], shown["sample"]["instructions"]))
    median = path("p50")["sample"]["latency_ns"]
    print(f"{count} answers, the median {median} ns, the longest {greatest} ns; {len(late)} above {LEAST_NS} ns")
    print("| function | answers | longest | in it and on top, of the longest |\n| --- | --- | --- | --- |")
    for name, all_of in sorted(found.items(), key=lambda one: -max(one[1])[0]):
        latency, seq, total, whole = max(all_of)
        print(f"| `{name}` | {len(all_of)} | {latency / 1000:.2f} µs (trigger {seq}) | {total:,} of {whole:,} |")


main()
