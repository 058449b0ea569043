# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Answers for the pages of `irqscope serve --lake`: a line of JSON for each line of JSON.

A question is an object with `ask` and its keys; an answer is an object with the key of that name, or with
`error`, which has `message` and `remedy`. One process answers one after the other, so that Python and the
tables' schemas are loaded once. crates/server/src/lake has the same shapes for the page.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any, TextIO

import polars as pl

from .errors import Error
from .lake import Lake
from .trend import CHANCE, FIGURES, SERIES, maxima, moved, series_of, trend

Question = dict[str, Any]
Answer = dict[str, Any]


def answer_lines(lake: Lake, questions: Iterable[str], answers: TextIO) -> None:
    """Answers each line until there are no more."""
    for line in questions:
        answers.write(json.dumps(answer(lake, line), allow_nan=False) + "\n")
        answers.flush()


def answer(lake: Lake, line: str) -> Answer:
    """Returns the answer to a question, or what is wrong with it."""
    try:
        question = json.loads(line)
        asked = ANSWERS.get(str(question.get("ask"))) if isinstance(question, dict) else None
        if asked is None:
            raise Error("a question that is not known", f"one of {', '.join(ANSWERS)}")
        return {question["ask"]: asked(lake, question)}
    except Error as error:
        return {"error": {"message": error.message, "remedy": error.remedy or ""}}
    except (ValueError, KeyError, TypeError, OSError, pl.exceptions.PolarsError) as error:
        return {"error": {"message": f"{type(error).__name__}: {error}", "remedy": "docs/lake.md has the tables"}}


def _contents(lake: Lake, _: Question) -> Answer:
    runs = lake.scan("runs").select("run", "started", "place", "scenario").unique().collect()
    series = lake.written("digests").select("stage", "view").unique().collect(engine="streaming")
    if runs.is_empty():
        raise Error(f"{lake.url} has no run", f"python -m irqscope.lake add RUN --lake {lake.url}")
    return {
        "url": lake.url,
        "runs": runs["run"].n_unique(),
        "first_ms": _ms(runs["started"].min()),
        "last_ms": _ms(runs["started"].max()),
        "figures": FIGURES,
        **{name: sorted(runs[name].unique()) for name in ("place", "scenario")},
        **{name: sorted(series[name].unique()) for name in ("stage", "view")},
    }


def _trend(lake: Lake, question: Question) -> Answer:
    figure = question["figure"]
    chance = float(question.get("chance", CHANCE))
    where = pl.col("scenario") == question["scenario"]
    times = {name: question.get(name) for name in ("since", "until")}
    figures = trend(lake, stage=question["stage"], view=question["view"], where=where, **times)
    found = {series: part for series, part in _by_series(moved(figures, figure, chance))}
    series = [
        series | {"runs": _runs(part, figure), "changes": _changes(found.get(tuple(series.values())))}
        for series, part in series_of(figures)
    ]
    return {"figure": figure, "chance": chance, "series": series}


def _by_series(found: pl.DataFrame) -> Iterable[tuple[tuple[Any, ...], pl.DataFrame]]:
    return found.partition_by(SERIES, as_dict=True, maintain_order=True).items()


def _runs(part: pl.DataFrame, figure: str) -> list[Answer]:
    return [
        {
            "run": row["run"],
            "started_ms": _ms(row["started"]),
            "release": row["release"],
            "tool_version": row["tool_version"],
            "count": row["count"],
            "lost": row["lost"],
            "value": row[figure],
        }
        for row in part.to_dicts()
    ]


def _changes(found: pl.DataFrame | None) -> list[Answer]:
    if found is None:
        return []
    kept = ["runs_before", "runs_after", "before", "after", "difference", "low", "high", "chance", "before_run", "run"]
    times = found.select(earliest_ms=pl.col("earliest").dt.epoch("ms"), latest_ms=pl.col("latest").dt.epoch("ms"))
    return found.select(kept).hstack(times).reverse().to_dicts()


def _histograms(lake: Lake, question: Question) -> Answer:
    """Returns the digests of a series' runs: latencies against time."""
    of_run = pl.all_horizontal(pl.col(name) == question[name] for name in SERIES if name not in ("stage", "view"))
    runs = lake.scan("runs").filter(of_run).select("run", "case", "started")
    only = pl.all_horizontal(pl.col(name) == question[name] for name in ("stage", "view"))
    rows = lake.written("digests").filter(only).drop_nulls("low_ns").join(runs, on=["run", "case"])
    found = rows.select("run", "started", "low_ns", "count").sort("started", "run", "low_ns").collect()
    return {
        "runs": [
            {
                "run": run,
                "started_ms": _ms(part["started"][0]),
                "low_ns": part["low_ns"].to_list(),
                "count": part["count"].to_list(),
            }
            for (run,), part in found.partition_by("run", as_dict=True, maintain_order=True).items()
        ]
    }


def _maxima(lake: Lake, question: Question) -> Answer:
    found = maxima(lake, question["run"], stage=question["stage"], view=question["view"])
    return {"intervals": found.select("case", "since_ns", "count", "max_ns").to_dicts()}


def _ms(instant: Any) -> int:
    """Returns an instant in milliseconds since 1970, as browsers count."""
    return int(instant.timestamp() * 1000)


ANSWERS: dict[str, Callable[[Lake, Question], Answer]] = {
    "contents": _contents,
    "trend": _trend,
    "histograms": _histograms,
    "maxima": _maxima,
}
