#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Times the questions of the page *Lake* over a month of a farm that is made up of real runs.

    target/venv/bin/python scripts/bench-lake.py [--samples] DIRECTORY RUN...

DIRECTORY becomes the lake: 12 places with 250 runs each, whose digests are those of the runs with every count
multiplied, so that they stand for 10^9 samples. With --samples these are there as well: each run has those of a real
one as many times, one after the other (7 bytes each). Prints the time of each answer of a process that
has answered before, and the most memory that it took.
"""

import argparse
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


def repeated(samples: pl.DataFrame, times: int) -> pl.DataFrame:
    """Returns the samples of a run that is as many times as long."""
    length, count = samples["trigger_ns"].max() + 1, samples["seq"].max() + 1
    parts = [
        samples.with_columns(pl.col("trigger_ns") + nth * length, pl.col("seq") + nth * count) for nth in range(times)
    ]
    return pl.concat(parts)


def made(lake: Lake, real: list[dict[str, pl.DataFrame]], with_samples: bool) -> int:
    """Writes the month, and returns how many samples its digests have."""
    random.seed(1)
    of_one = sum(int(rows["digests"]["count"].sum()) for rows in real) / len(real)
    times = round(SAMPLES / (PLACES * EACH * of_one))
    tables: dict[str, list[pl.DataFrame]] = {"digests": [], "worst": [], "runs": []}
    longer = [repeated(rows["samples"], times) for rows in real] if with_samples else []
    samples: list[pl.DataFrame] = []
    for number in range(PLACES * EACH):
        chosen = random.randrange(len(real))
        rows = real[chosen]
        place, nth = divmod(number, EACH)
        started = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(days=30 * nth / EACH, minutes=place)
        run = pl.lit(f"{number:032x}")
        tables["digests"].append(rows["digests"].with_columns(run=run, count=pl.col("count") * times))
        tables["worst"].append(rows["worst"].head(0))
        marks = {"run": run, "place": pl.lit(f"place {place:02}"), "month": pl.lit(f"{started:%Y-%m}")}
        tables["runs"].append(rows["runs"].with_columns(**marks, started=pl.lit(started), finished=pl.lit(started)))
        if with_samples:
            samples.append(longer[chosen].with_columns(**marks))
            if len(samples) == FILE:
                lake._write("samples", pl.concat(samples), f"samples before {number}")
                samples.clear()
    if not with_samples:
        lake._write("samples", real[0]["samples"].head(0), "month")
    for name, frames in tables.items():
        for first in range(0, len(frames), FILE):
            lake._write(name, pl.concat(frames[first : first + FILE]), f"runs from {first}")
    digests = lake.scan("digests").select(pl.len(), pl.col("count").sum()).collect()
    print(f"{digests['len'].item():,} digests")
    return int(digests["count"].item())


def main() -> None:
    """Makes the lake and asks it as the page does."""
    arguments = argparse.ArgumentParser(description="Times the questions of the page Lake.")
    arguments.add_argument("--samples", action="store_true", help="write the samples, too")
    arguments.add_argument("lake", metavar="DIRECTORY")
    arguments.add_argument("runs", metavar="RUN", nargs="+")
    given = arguments.parse_args()
    lake = Lake(given.lake)
    real = [rows_of(Run(path), "", "") for path in given.runs]
    begin = time.monotonic()
    count = made(lake, real, given.samples)
    print(f"{count:,} samples of {PLACES * EACH:,} runs, written in {time.monotonic() - begin:.0f} s")
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
    if given.samples:
        questions.append({"ask": "maxima", "run": f"{3 * EACH:032x}", "stage": stage, "view": view})
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
    if given.samples:
        begin = time.monotonic()
        sql = "SELECT place, count(*) AS samples, max(latency_ns) FROM samples WHERE stage = 'user' GROUP BY place"
        answer = lake.query(sql)
        assert len(answer) == PLACES
        print(f"{sql}: {answer['samples'].sum():,} samples, {time.monotonic() - begin:.1f} s")


if __name__ == "__main__":
    main()
