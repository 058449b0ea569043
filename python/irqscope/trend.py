# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Figures of every run of a lake over time, and where their level moved.

`trend(Lake("s3://lab/latency"), stage="user")` has the figures, and `moved(figures, "p99_ns")` the changes.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from fractions import Fraction
from statistics import median
from typing import TYPE_CHECKING, Any

import polars as pl

from .changes import changes
from .errors import Error
from .lake_rows import of, within
from .quantiles import column_of, takes

if TYPE_CHECKING:
    from .lake import Lake

# These make a series of runs that can be compared. A case has its kernel, its state and the levels of its axes in its
# name; of a place that runs its own kernel the word `running`, so that an upgrade lies within its series.
SERIES = ["place", "scenario", "case", "is_virtual", "stage", "view"]
# Further facts of each run.
FACTS = ["run", "started", "kernel", "state", "release", "tool_version"]
# One series of one run.
ONE = ["run", "case", "stage", "view"]
# Columns of a digest that are about its bucket.
COUNTS = ["low_ns", "count", "min_ns", "max_ns"]
# The quantiles that a trend has.
SHARES = ("0.5", "0.99", "0.999")
# The figures whose level may be asked for.
FIGURES = ["min_ns", *(column_of(share) for share in SHARES), "max_ns", "lost"]
# The greatest share of false changes in an answer: the chance that any series is blamed wrongly.
CHANCE = 0.01

SCHEMA: dict[str, Any] = {
    **dict.fromkeys(SERIES, pl.String),
    "is_virtual": pl.Boolean,
    **dict.fromkeys(("before_run", "run"), pl.String),
    **dict.fromkeys(("before_started", "started", "earliest", "latest"), pl.Datetime("us", "UTC")),
    **dict.fromkeys(("before_release", "release", "before_tool_version", "tool_version"), pl.String),
    **dict.fromkeys(("runs_before", "runs_after"), pl.Int64),
    **dict.fromkeys(("before", "after", "difference", "low", "high", "chance"), pl.Float64),
}


def trend(
    lake: Lake,
    *,
    stage: str | None = None,
    view: str | None = None,
    since: str | datetime | None = None,
    until: str | datetime | None = None,
    where: pl.Expr | None = None,
) -> pl.DataFrame:
    """Returns the figures of each run over time, from digests: no sample is read.

    Args:
        lake: the lake.
        stage: one stage; all by default.
        view: `outside` or `inside`; both by default, in rows of their own.
        since: the first instant, as a datetime or `2026-01`, `2026-01-31`.
        until: the first instant that no longer counts.
        where: a condition on columns of `runs`, such as `pl.col("scenario") == "demo"`.

    Returns:
        One row for each run, case, stage and view, in the order in which they began: the columns of
        `SERIES` and `FACTS`, `count` (answers), `lost` (triggers without an answer), `min_ns` and `max_ns`
        (exact), `p50_ns`, `p99_ns` and `p99_9_ns`: no farther than 1/256 from the run's own, and null
        where fewer than ten samples lie beyond.
    """
    scanned = lake.scan("runs") if where is None else lake.scan("runs").filter(where)
    facts = within(scanned, since, until).select("case", *FACTS, *(name for name in SERIES if name not in ONE))
    # A number in the place of two names: a month of a farm has millions of rows.
    runs = facts.collect().with_row_index("at")
    digests = lake.written("digests").filter(*of(stage=stage, view=view)).select(*ONE, *COUNTS)
    rows = digests.join(runs.lazy().select("run", "case", "at"), on=["run", "case"]).drop("run", "case")
    chosen = {"stage": stage, "view": view}
    order = [name for name in ("at", "stage", "view", "low_ns") if chosen.get(name) is None]
    sorted_rows = rows.collect(engine="streaming").sort(order)
    answered = pl.col("low_ns").is_not_null()
    figures = sorted_rows.group_by("at", "stage", "view", maintain_order=True).agg(
        count=pl.col("count").filter(answered).sum(),
        lost=pl.col("count").filter(~answered).sum(),
        min_ns=pl.col("min_ns").min(),
        max_ns=pl.col("max_ns").max(),
        **{column_of(share): _middle(share) for share in SHARES},
    )
    return figures.join(runs, on="at").drop("at").sort("started", *SERIES)


def _middle(share: str) -> pl.Expr:
    """Returns the middle of the bucket in which the quantile by nearest rank lies, or null; buckets are sorted."""
    exact = Fraction(share)
    answered = pl.col("low_ns").is_not_null()
    least, greatest, count = (pl.col(name).filter(answered) for name in ("min_ns", "max_ns", "count"))
    total = count.sum()
    rank = (total * exact.numerator + (exact.denominator - 1)) // exact.denominator
    at = (count.cum_sum() >= rank).arg_max()
    middle = (least.get(at, null_on_oob=True) + greatest.get(at, null_on_oob=True)) // 2
    return pl.when(total >= takes(share)).then(middle)


def series_of(figures: pl.DataFrame) -> Iterable[tuple[dict[str, Any], pl.DataFrame]]:
    """Lists the series of a trend, by name: what identifies each, and its runs in order."""
    parts = figures.partition_by(SERIES, as_dict=True, maintain_order=True)
    named = [(dict(zip(SERIES, key, strict=True)), part) for key, part in parts.items()]
    return sorted(named, key=lambda one: [str(value) for value in one[0].values()])


def moved(figures: pl.DataFrame, figure: str = "p50_ns", chance: float = CHANCE) -> pl.DataFrame:
    """Returns where the level of a figure moved, the latest first.

    Args:
        figures: what `trend` returned.
        figure: one of `FIGURES`.
        chance: how probable it may be that anything at all is returned where nothing has changed and
            runs are independent of each other; it is shared out evenly over the series.

    Returns:
        One row for each change: the columns of `SERIES`; the last run before and the first one after it,
        with their begin, kernel release and version of the tool; `earliest` and `latest`, between which
        the new level began with 95 % confidence; how many runs the levels have, their
        medians `before` and `after`; `difference` and its 95 % interval from `low` to `high`, in the
        figure's unit; `chance`, the probability of this place in its series if nothing changed.

    Raises:
        Error: there is no such figure.
    """
    if figure not in FIGURES:
        raise Error(f"{figure!r} is no figure of a trend", f"one of {', '.join(FIGURES)}")
    parts = [(series, part.drop_nulls(figure)) for series, part in series_of(figures)]
    found = [row for series, part in parts for row in _rows(series, part, figure, chance / len(parts))]
    return pl.DataFrame(found, schema=SCHEMA).sort("started", descending=True, maintain_order=True)


def _rows(series: dict[str, Any], part: pl.DataFrame, figure: str, chance: float) -> Iterable[dict[str, Any]]:
    values = part[figure].to_list()
    facts = part.select("run", "started", "release", "tool_version").to_dicts()
    for change in changes(values, chance):
        before = {f"before_{name}": value for name, value in facts[change.at - 1].items()}
        yield {
            **series,
            **before,
            **facts[change.at],
            "earliest": facts[change.earliest]["started"],
            "latest": facts[change.latest]["started"],
            "runs_before": change.at - change.begin,
            "runs_after": change.end - change.at,
            "before": median(values[change.begin : change.at]),
            "after": median(values[change.at : change.end]),
            "difference": change.difference,
            "low": change.low,
            "high": change.high,
            "chance": change.chance,
        }


def maxima(
    lake: Lake,
    run: str,
    *,
    stage: str | None = None,
    view: str | None = None,
    every: timedelta = timedelta(minutes=5),
) -> pl.DataFrame:
    """Returns a run's maxima over intervals of its own time, as long measurements on hardware are drawn.

    Returns:
        One row for each case, stage, view and interval in which a trigger was answered: `since_ns`, the
        interval's begin since the case's first trigger, `count` and `max_ns`. Nanoseconds, virtual ones in
        the twin.
    """
    length = every // timedelta(microseconds=1) * 1000
    own = lake.scan("samples").filter(pl.col("run") == run)
    first = pl.col("trigger_ns").min().over("case", "view")
    since = ((pl.col("trigger_ns") - first) // length * length).alias("since_ns")
    return (
        own.with_columns(since)
        .drop_nulls("latency_ns")
        .filter(*of(stage=stage, view=view))
        .group_by("case", "stage", "view", "since_ns")
        .agg(count=pl.len(), max_ns=pl.col("latency_ns").max())
        .sort("case", "stage", "view", "since_ns")
        .collect()
    )
