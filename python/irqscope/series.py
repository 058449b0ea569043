# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Values to draw: of a stage in one view, or of one series of a benchmark."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

from .errors import Error
from .quantiles import quantile
from .run import Run

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True)
class Series:
    """Values with how often each came.

    Attributes:
        case: `kernel/state`.
        name: the stage and its view, or benchmark, variant and series.
        values_ns: int64 of shape (n,).
        counts: how often each came, int64 of shape (n,).
        beyond: how many samples lie beyond an imported histogram.
        lost: triggers or samples without a value, those beyond included.
        max_ns: the longest; of an imported histogram what the tool itself saw.
        is_virtual: whether these are the twin's nanoseconds.
    """

    case: str
    name: str
    values_ns: np.ndarray
    counts: np.ndarray
    beyond: int
    lost: int
    max_ns: int
    is_virtual: bool

    @property
    def count(self) -> int:
        """How many samples have a value."""
        return int(self.counts.sum())

    @property
    def min_ns(self) -> int:
        """The shortest."""
        return int(self.values_ns.min())

    def quantile(self, share: float) -> int | None:
        """Returns a quantile in ns, exactly as irqscope's tables have it."""
        return quantile(pl.Series(self.values_ns), share, pl.Series(self.counts), beyond=self.beyond)


def series_of(run: Run, case: str | None, stage: str | Iterable[str] | None, view: str | None) -> list[Series]:
    """Returns the series of one case: of its stages, or of its benchmarks where it has no stages."""
    case = case or run.only_case()
    names = [stage] if isinstance(stage, str) else None if stage is None else list(stage)
    figures = next((found for found in run.summary["cases"] if found["case"] == case), None)
    if figures is None:
        raise Error(f"{run.path} has no case {case!r}", f"there are: {', '.join(run.cases)}")
    of_stages = bool(figures["stages"])
    if of_stages:
        view = view or run.main_view(case)
        rows = [row for row in figures["stages"] if row["view"] == view]
        frame = run.samples(case=case, stage=names, view=view)
    else:
        rows = figures.get("benchmarks", [])
        frame = run.bench(case=case, benchmark=names)
    made = [
        _series(run, case, row, frame)
        for row in rows
        if (names is None or row["stage" if of_stages else "benchmark"] in names) and row["count"]
    ]
    if not made:
        raise Error(f"{run.path}: no sample of {case} has a value", f"irqscope report {run.path} --wide says why")
    return made


def _series(run: Run, case: str, row: dict[str, Any], frame: pl.DataFrame) -> Series:
    if "stage" in row:
        part = frame.filter(pl.col("stage") == row["stage"])["latency_ns"].drop_nulls().to_frame("value_ns")
        part = part.with_columns(count=pl.lit(1, pl.Int64))
        name, lost = f"{row['stage']} ({row['view']})", row["missing"] + row["coalesced"]
    else:
        of = (pl.col("benchmark") == row["benchmark"]) & (pl.col("variant") == row["variant"])
        part = frame.filter(of & (pl.col("series") == row["series"])).select("value_ns", pl.col("count").cast(pl.Int64))
        name, lost = f"{row['benchmark']} {row['variant']} {row['series']}".strip(), row["skipped"] + row["dropped"]
    return Series(
        case=case,
        name=name,
        values_ns=part["value_ns"].to_numpy(),
        counts=part["count"].to_numpy(),
        beyond=(row.get("beyond") or {}).get("count", 0),
        lost=lost,
        max_ns=row["max_ns"],
        is_virtual=run.is_virtual(case),
    )
