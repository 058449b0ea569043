#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Times the questions of the page *Lake* over a month of a farm that is made up of real runs.

    target/venv/bin/python scripts/bench-lake.py DIRECTORY RUN...

DIRECTORY becomes the lake: 12 places with 250 runs each, whose digests are those of the runs with every count
multiplied, so that they stand for 10^9 samples; samples themselves are written of the real runs only, because no
question but that for one run's maxima reads them. Prints the time of each answer of a process that has answered
before, and the most memory that it took.
"""

import json
import pathlib
import random
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "python"))

import polars as pl

from irqscope import Run
from irqscope.lake import Lake
from irqscope.lake_rows import rows_of

PLACES, EACH, SAMPLES = 12, 250, 10**9
# Runs in one file: compacted, as docs/lake.md advises.
FILE = 30


def made(lake: Lake, real: list[dict[str, pl.DataFrame]]) -> int:
    """Writes the month, and returns how many samples its digests have."""
    random.seed(1)
    of_one = sum(int(rows["digests"]["count"].sum()) for rows in real) / len(real)
    times = round(SAMPLES / (PLACES * EACH * of_one))
    tables: dict[str, list[pl.DataFrame]] = {"digests": [], "worst": [], "runs": []}
    for number in range(PLACES * EACH):
        rows = random.choice(real)
        place, nth = divmod(number, EACH)
        started = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(days=30 * nth / EACH, minutes=place)
        run = pl.lit(f"{number:032x}")
        tables["digests"].append(rows["digests"].with_columns(run=run, count=pl.col("count") * times))
        tables["worst"].append(rows["worst"].head(0))
        marks = {"run": run, "place": pl.lit(f"place {place:02}"), "month": pl.lit(f"{started:%Y-%m}")}
        tables["runs"].append(rows["runs"].with_columns(**marks, started=pl.lit(started), finished=pl.lit(started)))
    lake._write("samples", pl.concat(rows["samples"] for rows in real).head(0), "month")
    for name, frames in tables.items():
        for first in range(0, len(frames), FILE):
            lake._write(name, pl.concat(frames[first : first + FILE]), f"runs from {first}")
    digests = lake.scan("digests").select(pl.len(), pl.col("count").sum()).collect()
    print(f"{digests['len'].item():,} digests")
    return int(digests["count"].item())


def main() -> None:
    """Makes the lake and asks it as the page does."""
    lake = Lake(sys.argv[1])
    real = [rows_of(Run(path), "", "") for path in sys.argv[2:]]
    print(f"{made(lake, real):,} samples of {PLACES * EACH:,} runs")
    scenario = real[0]["runs"]["scenario"][0]
    case, stage, view = (real[0]["digests"][name][0] for name in ("case", "stage", "view"))
    trend = {"ask": "trend", "scenario": scenario, "stage": stage, "view": view}
    series = {"place": "place 03", "scenario": scenario, "case": case, "is_virtual": real[0]["runs"]["is_virtual"][0]}
    questions = [
        {"ask": "contents"},
        trend | {"figure": "p50_ns"},
        trend | {"figure": "max_ns"},
        {"ask": "histograms", "stage": stage, "view": view, **series},
    ]
    command = [sys.executable, "-m", "irqscope.lake", "answer", "--lake", lake.url]
    package = str(pathlib.Path(__file__).resolve().parent.parent / "python")
    helper = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env={"PYTHONPATH": package, "PATH": ""}
    )
    for question in [questions[0], *questions]:
        begin = time.monotonic()
        helper.stdin.write(json.dumps(question) + "\n")
        helper.stdin.flush()
        answer = json.loads(helper.stdout.readline())
        assert "error" not in answer, answer
        print(f"{question['ask']:10} {question.get('figure', ''):7} {time.monotonic() - begin:.2f} s")
    # Its own peak: what getrusage says of a child counts the parent's memory, of which it began as a copy.
    status = pathlib.Path(f"/proc/{helper.pid}/status").read_text()
    print(f"{int(status.split('VmHWM:')[1].split()[0]) / 1024:.0f} MiB")
    helper.stdin.close()
    helper.wait()


if __name__ == "__main__":
    main()
