# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Exact quantiles, as irqscope's own tables have them: order statistics by nearest rank."""

from __future__ import annotations

import math
from fractions import Fraction

import polars as pl

# The quantiles of summary.json, by the names that they have there.
SHARES: dict[str, str] = {
    "p5_ns": "0.05",
    "p50_ns": "0.5",
    "p95_ns": "0.95",
    "p99_ns": "0.99",
    "p99_9_ns": "0.999",
    "p99_99_ns": "0.9999",
    "p99_999_ns": "0.99999",
}
# How many samples must lie beyond a quantile for it to be given.
BEYOND = 10


def takes(share: float | str) -> int:
    """Returns how many samples a quantile takes, so that ten lie beyond it: p99 takes 1,000."""
    exact = _exact(share)
    return math.ceil(BEYOND / min(exact, 1 - exact))


def quantile(
    values: pl.Series, share: float | str, counts: pl.Series | None = None, *, beyond: int = 0, few: bool = False
) -> int | None:
    """Returns the quantile of integers by nearest rank (Hyndman and Fan's type 1): one of them.

    Args:
        values: integers of shape (n,), in nanoseconds; nulls are no samples.
        share: the quantile, between 0 and 1, both excluded. `"0.999"` and `0.999` are the same.
        counts: how often each value came, of shape (n,); each once by default.
        beyond: how many more samples are greater than all values and have no value of their own.
        few: gives a quantile of fewer samples than it takes as well, as irqscope does not.

    Returns:
        Nanoseconds, or None: of too few samples, or where the quantile lies beyond the values.
    """
    exact = _exact(share)
    each = pl.repeat(1, len(values), eager=True) if counts is None else counts
    table = pl.DataFrame({"value": values, "count": each})
    table = table.drop_nulls("value").sort("value").with_columns(pl.col("count").cast(pl.Int64).cum_sum().alias("upto"))
    known = table["upto"][-1] if len(table) else 0
    total = known + beyond
    if total == 0 or (not few and total < takes(share)):
        return None
    rank = max(1, math.ceil(exact * total))
    if rank > known:
        return None
    return int(table["value"][int(table["upto"].search_sorted(rank, side="left"))])


def column_of(share: float | str) -> str:
    """Returns the name of a quantile's column, as in summary.json: 0.999 is `p99_9_ns`."""
    per_cent = f"{float(_exact(share) * 100):.10f}".rstrip("0").rstrip(".")
    return f"p{per_cent.replace('.', '_')}_ns"


def _exact(share: float | str) -> Fraction:
    """Returns the decimal number that was written: 0.999 as a float is a little less."""
    exact = Fraction(str(share))
    if not 0 < exact < 1:
        raise ValueError(f"{share} is no share: a quantile lies between 0 and 1, p99 is 0.99")
    return exact
