#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Puts the figures of `irqscope run rt-benchmarks --out RUN` into the table of docs/benchmarks.md, and its pictures beside it:

    scripts/benchmarks-page.py RUN

It names each figure in the text around them that the run no longer has, for people to change: what a figure means is
not for a script.
"""

import json
import pathlib
import re
import shutil
import sys

HEAD = "Median / p99 / maximum in µs:\n\n"
# Names of rows: a benchmark, its variant, and of several series the one that is shown.
SHOWN = {"async": "wake", "inversion": "wait"}
# Pictures of the page, and as which the run has them.
PICTURES = {
    "sched": "histogram-sched-fifo-80-cpu0",
    "sched-tail": "tail-sched-fifo-80-cpu0",
    "sleep-tail": "tail-sleep-fifo-80-cpu0",
    "jitter-work": "histogram-jitter-fifo-80-work",
    "spin": "histogram-spin-fifo-80-cpu0",
    "realfeel": "histogram-realfeel-fifo-80-cpu0",
    "round-none": "round-none-bounded",
    "round-inherit": "round-inherit-bounded",
}

docs = pathlib.Path(__file__).parent.parent / "docs"
run = pathlib.Path(sys.argv[1])
cases = json.loads((run / "summary.json").read_text())["cases"]
figures = {}
for case in cases:
    for one in case["benchmarks"]:
        name = [one["benchmark"], one["variant"]]
        if one["benchmark"] == "jitter":
            name.append(one["series"].split(".")[-1])
        figures.setdefault(" ".join(name), {})[case["case"], one["series"]] = one


def microseconds(ns):
    """Returns nanoseconds as the page has them, with fewer places the more there are before the point."""
    if ns is None:
        return "–"
    places = sum(abs(ns) < below for below in (10_000_000, 100_000))
    return f"{ns / 1000:,.{places}f}".replace("-0.00", "0.00")


def cell(row, case):
    """Returns the three figures of a row in a case."""
    known = [one for (of, _), one in figures[row].items() if of == case]
    one = known[0] if len(known) == 1 else next(k for k in known if k["series"] in (SHOWN.get(k["benchmark"]), "cpu0"))
    return " / ".join(microseconds(one[name]) for name in ("p50_ns", "p99_ns", "max_ns"))


page = docs / "benchmarks.md"
text = page.read_text()
begin = text.index(HEAD) + len(HEAD)
end = text.index("\n\n", begin)
rows = text[begin:end].splitlines()
columns = [column.strip() for column in rows[0].split("|")[2:-1]]
names = [row.split("|")[1].strip() for row in rows[2:]]
missing = [name for name in names if name not in figures]
assert not missing, f"{missing} are not in {sorted(figures)}"
rows[2:] = [f"| {name} | " + " | ".join(cell(name, case) for case in columns) + " |" for name in names]
old = set(re.findall(r"[\d,]+\.\d+|\d{2,}", text[begin:end]))
table = "\n".join(rows)
gone = old - set(re.findall(r"[\d,]+\.\d+|\d{2,}", table))
around = text[:begin].split("## All of them on two kernels")[1] + text[end:].split("\n## ")[0]
for line in around.splitlines():
    if found := [figure for figure in re.findall(r"[\d,]+\.\d+|\d{2,}", line) if figure in gone]:
        print(f"{', '.join(found)}: {line}")
samples = sum(one["count"] for case in cases for one in case["benchmarks"])
print(f"{samples:,} samples")
page.write_text(text[:begin] + table + text[end:])
pictures = docs / "pictures"
for name, drawn in PICTURES.items():
    shutil.copy(run / f"figures/{drawn}.svg", pictures / f"bench-{name}.svg")
