# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The rows that a run has in a lake, and the figures that rows of many runs give."""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime
from typing import Any

import polars as pl

from .buckets import WORST, digest, estimate
from .errors import Error
from .quantiles import column_of
from .run import Run

# These identify a series within a run.
SERIES = ["case", "stage", "view"]
# Delta tables have no unsigned integers.
SIGNED = {"seq": pl.Int64, "cpu": pl.Int32, "flags": pl.Int64, "interrupts": pl.Int32}


def identify(run: Run) -> str:
    """Returns 32 hexadecimal digits that follow from the manifest and the digest over all samples.

    A copy of a run is the same run. A measurement that is repeated is another one, also in the
    twin, because it began at another time or names another directory.
    """
    manifest = json.dumps(run.manifest, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(f"{manifest}\n{run.digest}".encode()).hexdigest()[:32]


def rows_of(run: Run, identity: str, place: str) -> dict[str, pl.DataFrame]:
    """Returns the rows of a run by table, in the order in which they have to be written."""
    if not any(case["stages"] for case in run.summary["cases"]):
        raise Error(
            f"{run.path} has no stages", "a lake keeps stages; keep the directories of benchmarks and of imports"
        )
    started = instant(run.manifest["started_utc"])
    month = f"{started:%Y-%m}"
    mark = pl.lit(identity).alias("run")
    samples = run.scan("samples").with_columns(pl.col(name).cast(kind) for name, kind in SIGNED.items())
    latest = samples.drop_nulls("latency_ns").sort("latency_ns", descending=True)
    worst = latest.group_by(SERIES, maintain_order=True).head(WORST).select(*SERIES, "latency_ns", "seq", "trigger_ns")
    digests = digest(samples, SERIES, "latency_ns").sort(*SERIES, "low_ns")
    cases = [_case(run, case) for case in run.summary["cases"]]
    runs = pl.DataFrame(cases).with_columns(
        mark,
        started=pl.lit(started),
        finished=pl.lit(instant(run.manifest["finished_utc"])),
        month=pl.lit(month),
        place=pl.lit(place),
    )
    marked = samples.with_columns(mark, month=pl.lit(month), place=pl.lit(place))
    lazily = {"samples": marked, "digests": digests.with_columns(mark), "worst": worst.with_columns(mark)}
    return {name: frame.collect() for name, frame in lazily.items()} | {"runs": runs}


def _case(run: Run, case: dict[str, Any]) -> dict[str, Any]:
    facts = {name: case[name] for name in ("case", "kernel", "release", "state")}
    accounts = {name: case[name] for name in ("triggers", "complete", "coalesced", "dropped")}
    return {
        **facts,
        "digest": run.digest,
        "scenario": run.manifest["scenario"],
        "rig": run.manifest["rig"],
        "tool_version": run.manifest["tool_version"],
        "is_virtual": bool(case["twin"]),
        **accounts,
        "missing": case["missing_triggers"],
    }


def figures(buckets: pl.DataFrame, worst: list[int], shares: list[float | str]) -> dict[str, Any]:
    """Returns the figures of one group: sums of digests, exact extremes, quantiles with their errors.

    Args:
        buckets: `run`, `low_ns`, `count`, `min_ns`, `max_ns` of all runs of the group.
        worst: the greatest values of the group, ns.
        shares: quantiles between 0 and 1.
    """
    answered = buckets.drop_nulls("low_ns")
    summed = answered.group_by("low_ns").agg(pl.col("count").sum(), pl.col("min_ns").min(), pl.col("max_ns").max())
    count = int(summed["count"].sum())
    found: dict[str, Any] = {
        "runs": buckets["run"].n_unique(),
        "count": count,
        "lost": int(buckets["count"].sum()) - count,
        "min_ns": summed["min_ns"].min(),
        "max_ns": summed["max_ns"].max(),
    }
    greatest = pl.Series(worst, dtype=pl.Int64)
    for share in shares:
        name = column_of(share)
        between = estimate(summed, greatest, share)
        middle = None if between is None else sum(between) // 2
        found[name] = middle
        found[name.replace("_ns", "_error_ns")] = None if between is None or middle is None else between[1] - middle
    return found


def of(**wanted: str | None) -> list[pl.Expr]:
    """Returns conditions on columns by their values; None is any value."""
    return [pl.col(name) == value for name, value in wanted.items() if value is not None]


def within(runs: pl.LazyFrame, since: str | datetime | None, until: str | datetime | None) -> pl.LazyFrame:
    """Returns the runs that began in a time: from `since` on, and before `until`."""
    if since is not None:
        runs = runs.filter(pl.col("started") >= instant(since))
    if until is not None:
        runs = runs.filter(pl.col("started") < instant(until))
    return runs


def instant(text: str | datetime) -> datetime:
    """Returns an instant in UTC: of `2026-01` and `2026-01-31` the first of that time."""
    if isinstance(text, datetime):
        return text if text.tzinfo else text.replace(tzinfo=UTC)
    try:
        read = datetime.fromisoformat(f"{text}-01" if len(text) == len("2026-01") else text)
    except ValueError:
        raise Error(f"{text!r} is no time", "write 2026-01, 2026-01-31 or 2026-01-31T12:00:00Z") from None
    return read if read.tzinfo else read.replace(tzinfo=UTC)
