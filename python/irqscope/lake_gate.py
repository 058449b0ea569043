# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Limits of places, held against the newest runs of a lake, as `irqscope gate` holds those of one run.

A trigger without a response is later than every limit, and what was not measured has not passed.
"""

from __future__ import annotations

import math
import os
import re
import tomllib
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import polars as pl

from .buckets import of_rank
from .errors import Error
from .lake_rows import of, within
from .quantiles import takes
from .trend import SERIES

if TYPE_CHECKING:
    from .lake import Lake

UNITS = {"ns": 1, "us": 1_000, "µs": 1_000, "ms": 1_000_000, "s": 1_000_000_000}
FORM = re.compile(r"\s*(\w+)\s*<\s*([0-9]+(?:\.[0-9]+)?)\s*(ns|us|µs|ms|s)\s*@\s*(?:p([0-9.]+)|(max))\s*")
# Runs of these are the same measurement, done again.
KEPT_UP = ["place", "scenario", "case", "is_virtual"]

SCHEMA: dict[str, Any] = {
    **{name: pl.Boolean if name == "is_virtual" else pl.String for name in SERIES},
    "run": pl.String,
    "started": pl.Datetime("us", "UTC"),
    "limit": pl.String,
    "limit_ns": pl.Int64,
    "found_ns": pl.Int64,
    "holds": pl.Boolean,
    "why": pl.String,
}


@dataclass(frozen=True)
class Limit:
    """A latency that a stage has to stay below: `user<150us@p99.9`.

    Attributes:
        text: as it was written.
        stage: the stage's name.
        limit_ns: nanoseconds, which are too late already.
        share: the quantile, between 0 and 1; None is the maximum.
    """

    text: str
    stage: str
    limit_ns: int
    share: str | None

    @classmethod
    def parse(cls, text: str) -> Limit:
        """Reads a limit as irqscope writes it.

        Raises:
            Error: the text has another form.
        """
        found = FORM.fullmatch(text) if isinstance(text, str) else None
        per_cent = found and found[4]
        if found is None or (per_cent and not re.fullmatch(r"\d+(\.\d+)?", per_cent)):
            raise Error(
                f"{text!r} is no limit", "write NAME<LATENCY@QUANTILE, such as user<150us@p99.9 or irq<20us@max"
            )
        share = None if per_cent is None else Fraction(per_cent) / 100
        if share is not None and not 0 < share < 1:
            raise Error(f"{text!r}: p{per_cent} is no quantile", "one between p0 and p100, such as p99.9, or max")
        limit_ns = int(Fraction(found[2]) * UNITS[found[3]])
        return cls(text.strip(), found[1], limit_ns, None if share is None else str(float(share)))


def read_limits(path: str | os.PathLike[str]) -> dict[str | None, list[Limit]]:
    """Reads the limits of places from a TOML file.

    Returns:
        Limits by place; those under None are of every other place.

    Raises:
        Error: it cannot be read, or has other keys than `limits` and the places' in `[place]`.
    """
    remedy = 'limits = ["user<300us@p99"], and for a place [place] with "rack 3" = ["user<150us@p99"]'
    try:
        with open(path, "rb") as file:
            text = tomllib.load(file)
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise Error(f"cannot read limits from {path}: {error}", remedy) from error
    places = text.get("place", {})
    sound = isinstance(places, dict) and all(
        isinstance(one, list) for one in [text.get("limits", []), *places.values()]
    )
    if not sound or set(text) - {"limits", "place"} or not text:
        raise Error(f"{path} has no limits of places", remedy)
    every: dict[str | None, list[str]] = {None: text.get("limits", []), **places}
    return {place: [Limit.parse(one) for one in limits] for place, limits in every.items()}


def newest(lake: Lake, since: str | datetime | None = None, until: str | datetime | None = None) -> pl.DataFrame:
    """Returns the newest run of each place, scenario and case: their rows of `runs`."""
    runs = within(lake.scan("runs"), since, until).sort("started", "run")
    return runs.group_by(KEPT_UP, maintain_order=True).last().sort(KEPT_UP).collect()


def hold(
    lake: Lake,
    limits: dict[str | None, list[Limit]],
    *,
    view: str | None = None,
    since: str | datetime | None = None,
    until: str | datetime | None = None,
) -> pl.DataFrame:
    """Holds the newest run of each place, scenario and case against its place's limits.

    Args:
        lake: the lake.
        limits: by place, as `read_limits` returns them.
        view: `outside` or `inside`; outside by default, where there is a generator.
        since: the first instant, as a datetime or `2026-01`, `2026-01-31`.
        until: the first instant that no longer counts.

    Returns:
        One row for each limit and series: the columns of `irqscope.trend.SERIES`, `run`, `started`,
        `limit`, `limit_ns`, `found_ns` (exact for the thousand greatest, else the upper end of its bucket,
        0.8 % wide at most; null where it is not known), `holds`, and `why` it does not.
        A limit whose stage no newest run of the place has is a row that does not hold.

    Raises:
        Error: a place has limits of its own and no run, or there is nothing to hold.
    """
    runs = newest(lake, since, until)
    unknown = sorted(place for place in limits if place is not None and place not in set(runs["place"]))
    if unknown:
        there = ", ".join(sorted(set(runs["place"]))) or "none"
        raise Error(f"{lake.url} has no run of place {', '.join(unknown)}", f"places with runs: {there}")
    of_runs = runs.lazy().select("run", "case")
    parts = {
        name: lake.written(name).filter(*of(view=view)).join(of_runs, on=["run", "case"]).collect()
        for name in ("digests", "worst")
    }
    rows: list[dict[str, Any]] = []
    for place, mine in sorted(runs.partition_by("place", as_dict=True).items()):
        for limit in limits.get(str(place[0]), limits.get(None, [])):
            verdicts = (_verdict(run, limit, parts) for run in mine.to_dicts())
            found = [row for row in verdicts if row is not None]
            rows += found or [{"place": place[0], "stage": limit.stage, **_of(limit, None, "was not measured")}]
    if not rows:
        raise Error(f"no limit is of any of the {len(runs)} newest runs of {lake.url}", "see --limits and --since")
    return pl.DataFrame(rows, schema=SCHEMA)


def _verdict(run: dict[str, Any], limit: Limit, parts: dict[str, pl.DataFrame]) -> dict[str, Any] | None:
    """Returns the row of a run's case; None where the stage was not measured."""
    mine = [pl.col("run") == run["run"], pl.col("case") == run["case"], pl.col("stage") == limit.stage]
    digests, worst = (parts[name].filter(*mine) for name in ("digests", "worst"))
    if digests.is_empty():
        return None
    # Outside, which is the later of the two words, where there is a generator.
    view = digests["view"].max()
    found = _found(digests.filter(view=view), worst.filter(view=view)["latency_ns"], limit)
    series = {name: run[name] for name in (*KEPT_UP, "run", "started")}
    return {**series, "stage": limit.stage, "view": view, **_of(limit, *found)}


def _of(limit: Limit, found_ns: int | None, why: str) -> dict[str, Any]:
    return {"limit": limit.text, "limit_ns": limit.limit_ns, "found_ns": found_ns, "holds": why == "", "why": why}


def _found(buckets: pl.DataFrame, worst: pl.Series, limit: Limit) -> tuple[int | None, str]:
    """Returns the figure that a limit is about, and why it does not hold: nothing, if it does."""
    answered = buckets.drop_nulls("low_ns")
    count, total = int(answered["count"].sum()), int(buckets["count"].sum())
    if limit.share is not None and total < takes(limit.share):
        return None, f"too few samples: {takes(limit.share)} are needed, and there are {total}"
    share = Fraction(1) if limit.share is None else Fraction(limit.share)
    rank = max(1, math.ceil(share * total))
    if rank > count:
        return None, f"{total - count} of {total} triggers have no response of their own"
    low, high = of_rank(answered, worst, rank)
    if high < limit.limit_ns:
        return high, ""
    return high, "exceeded" if low >= limit.limit_ns else f"not sure: from {low} ns on"
