# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Digests of latencies: counts in logarithmic buckets, which add up over any number of runs.

A bucket holds the values that share their sign and their eight highest binary digits: values below
256 have a bucket each, and above a bucket is at most 1/128 of its least value wide. All is
arithmetic of integers, so that every machine makes the same buckets. A bucket keeps the least and
the greatest value in it, too: the extremes of a sum of digests are exact, and a quantile, which
lies in a known bucket, lies between those two.
"""

from __future__ import annotations

import math
from fractions import Fraction

import polars as pl

from .quantiles import takes

# The binary digits that the values of a bucket share.
DIGITS = 8
# No estimate is farther from the true quantile than this share of it: half a bucket's width.
RELATIVE_ERROR = 1 / 2**DIGITS
# The greatest values of a series that are kept as they are.
WORST = 1000


def bucket(value: pl.Expr) -> pl.Expr:
    """Returns the least magnitude of the value's bucket, with the value's sign."""
    magnitude = value.abs()
    shift = (64 - magnitude.bitwise_leading_zeros().cast(pl.Int64) - DIGITS).clip(lower_bound=0)
    width = pl.lit(2, pl.Int64).pow(shift)
    return (magnitude // width * width * value.sign()).cast(pl.Int64)


def digest(samples: pl.LazyFrame, by: list[str], value: str) -> pl.LazyFrame:
    """Returns one row for each bucket of each series: `low_ns`, `count`, `min_ns`, `max_ns`.

    Values that are null make a row of their own, whose `low_ns` is null: triggers without a
    response are counted, and never lost.
    """
    of = pl.col(value)
    return (
        samples.with_columns(low_ns=bucket(of))
        .group_by(*by, "low_ns")
        .agg(count=pl.len().cast(pl.Int64), min_ns=of.min(), max_ns=of.max())
    )


def estimate(buckets: pl.DataFrame, worst: pl.Series, share: float | str) -> tuple[int, int] | None:
    """Returns between which two values a quantile by nearest rank lies; the same twice if it is exact.

    Args:
        buckets: `low_ns`, `count`, `min_ns`, `max_ns` of one sum of digests, in any order.
        worst: the greatest values of the same samples; all of them or the `WORST` greatest of each run.
        share: the quantile, between 0 and 1.

    Returns:
        Nanoseconds, or None where fewer than ten samples lie beyond the quantile.
    """
    total = int(buckets.drop_nulls("low_ns")["count"].sum())
    if total < takes(share):
        return None
    return of_rank(buckets, worst, max(1, math.ceil(Fraction(str(share)) * total)))


def of_rank(buckets: pl.DataFrame, worst: pl.Series, rank: int) -> tuple[int, int]:
    """Returns between which two values the one of a rank lies, counted from 1 for the least; as `estimate`."""
    rows = buckets.drop_nulls("low_ns").sort("min_ns")
    upto = rows["count"].cum_sum()
    # The k-th greatest of all is the k-th greatest of what was kept, for every k that each run kept.
    from_top = int(upto[-1]) - rank + 1
    if from_top <= min(WORST, len(worst)):
        exact = int(worst.sort(descending=True)[from_top - 1])
        return exact, exact
    at = int(upto.search_sorted(rank, side="left"))
    return int(rows["min_ns"][at]), int(rows["max_ns"][at])
