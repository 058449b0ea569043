# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Run directories, read as frames."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from .errors import Error, NotARun
from .quantiles import SHARES, column_of, quantile

if TYPE_CHECKING:
    import pandas

# The version of summary.json that this package knows; it rises when a reader has to know.
VERSION = 3
# One name, several, or None for all.
Names = str | Iterable[str] | None
# Each bit of the column `flags`.
FLAGS = {"hit": 1, "missing": 2, "coalesced": 4, "late": 8, "unsure": 16, "extra": 32, "window": 64}


class Run:
    """The directory that one execution of a scenario left behind.

    Nothing is read before it is asked for, and nothing is written. Instants and latencies are
    whole nanoseconds (Int64). A latency is null where a stage did not answer.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        if not (self.path / "manifest.json").is_file():
            raise NotARun(
                f"{self.path} is not a run directory: it has no manifest.json",
                "give the directory that `irqscope run` named",
            )

    def __repr__(self) -> str:
        return f"Run({str(self.path)!r}: {self.manifest['scenario']}, {', '.join(self.cases)})"

    @cached_property
    def manifest(self) -> dict[str, Any]:
        """manifest.json: scenario, kernels, command lines, clocks, CPUs, tool version."""
        return self._json("manifest.json")

    @cached_property
    def summary(self) -> dict[str, Any]:
        """summary.json: every figure of the table, accounts, warnings, the digest."""
        summary = self._json("summary.json")
        if summary["version"] != VERSION:
            raise NotARun(
                f"{self.path}/summary.json has version {summary['version']}, and this package reads version {VERSION}",
                f"derive it again with `irqscope report {self.path}`, or install the package of that irqscope",
            )
        return summary

    @property
    def digest(self) -> str:
        """The SHA-256 over all samples, in hexadecimal: equal digests mean equal samples."""
        return str(self.summary["digest"])

    @property
    def cases(self) -> list[str]:
        """The names of the cases, `kernel/state`, in their order."""
        return [case["case"] for case in self.summary["cases"]]

    @property
    def warnings(self) -> list[str]:
        """All warnings: those of the whole run, then those of each case, with its name."""
        of_cases = [f"{case['case']}: {text}" for case in self.summary["cases"] for text in case["warnings"]]
        return [*self.summary["warnings"], *of_cases]

    def figures(self) -> pl.DataFrame:
        """Returns the figures of summary.json, one row for each case, stage and view.

        Columns: `case`, `kernel`, `state`, `stage`, `view`, `count` and what else irqscope counts of
        it; `min_ns`, `p5_ns` to `p99_999_ns`, `max_ns` (Int64; null where fewer than ten samples lie
        beyond the quantile), `mean_ns`, `stddev_ns` (Float64).
        """
        return self._rows("stages")

    def benchmark_figures(self) -> pl.DataFrame:
        """Returns the figures of benchmarks, one row for each case, benchmark, variant and series."""
        return self._rows("benchmarks")

    def samples(self, case: Names = None, stage: Names = None, view: Names = None) -> pl.DataFrame:
        """Returns samples.parquet: one row for each sample, stage and view.

        Columns: `case`, `seq` (number of the trigger), `stage`, `view` (`outside` or `inside`),
        `trigger_ns` (instant on the view's own clock), `latency_ns` (null if not answered), `cpu`,
        `flags` (see `irqscope.run.FLAGS`), `interrupts`, `execution_ns`. In the order of case, seq,
        stage and view.
        """
        return self.scan("samples", case=case, stage=stage, view=view).collect()

    def interference(self, case: Names = None, stage: Names = None, view: Names = None) -> pl.DataFrame:
        """Returns interference.parquet: one row for each segment of a latency, with its cause.

        Columns: `case`, `seq`, `stage`, `view`, `part` (from 0), `start_ns` (from the trigger),
        `length_ns`, `cause`, `name`, `detail`. The segments of a latency add up to it. A run has
        them if it was made with `explain`.
        """
        return self.scan("interference", case=case, stage=stage, view=view).collect()

    def bench(self, case: Names = None, benchmark: Names = None) -> pl.DataFrame:
        """Returns bench.parquet: one row for each sample of a benchmark.

        Columns: `case`, `benchmark`, `variant`, `series`, `cpu`, `seq`, `at_ns`, `value_ns`, `count`.
        An imported histogram has one row for each bin, with `count` samples and without `seq` and
        `at_ns`.
        """
        return self.scan("bench", case=case, benchmark=benchmark).collect()

    def scan(self, name: str, **only: Names) -> pl.LazyFrame:
        """Returns `samples`, `interference` or `bench` lazily, for runs that do not fit into memory.

        Args:
            name: the file's name without `.parquet`.
            only: names by column; rows with other values are left out. A name that the run does
                not have is an error that lists those that it has.
        """
        path = self.path / f"{name}.parquet"
        if not path.is_file():
            remedies = {
                "interference": "measure with explain=True (`irqscope run --explain`)",
                "bench": "only `irqscope bench` and `irqscope import` leave benchmarks behind",
            }
            raise NotARun(f"{self.path} has no {path.name}", remedies.get(name, f"irqscope report {self.path}"))
        frame = pl.scan_parquet(path, glob=False)
        for column, names in only.items():
            if names is not None:
                wanted = [names] if isinstance(names, str) else list(names)
                self._check(frame, column, wanted)
                frame = frame.filter(pl.col(column).is_in(wanted))
        return frame

    def pandas(self, name: str = "samples", **only: Names) -> pandas.DataFrame:
        """Returns a frame as pandas has it: `samples`, `interference`, `bench` or `figures`.

        Integers stay integers where some are missing (pandas' `Int64` and its kin), text is
        categorical. Needs `irqscope[pandas]`; does not need pyarrow.
        """
        frame = self.figures() if name == "figures" else self.scan(name, **only).collect()
        from .to_pandas import to_pandas

        return to_pandas(frame)

    def latencies(self, stage: str, case: str | None = None, view: str | None = None) -> pl.Series:
        """Returns the latencies of one stage in ns, of shape (answers,), in the order of triggers.

        Args:
            stage: the stage's name, such as `user`.
            case: `kernel/state`; the only one by default.
            view: `outside` or `inside`; outside by default, where there is a generator.
        """
        case = case or self.only_case()
        rows = self.scan("samples", case=case, stage=stage, view=view or self.main_view(case))
        return rows.select("latency_ns").collect()["latency_ns"].drop_nulls()

    def quantiles(self, shares: Iterable[float | str] | None = None) -> pl.DataFrame:
        """Returns exact quantiles from all samples, one row for each case, stage and view.

        Args:
            shares: such as `[0.5, 0.999]`; those of summary.json by default.

        Returns:
            Columns `case`, `stage`, `view`, `count`, and one for each quantile, in ns: `p50_ns`,
            `p99_9_ns`. Null where fewer than ten samples lie beyond it.
        """
        wanted = {column_of(share): share for share in (shares or SHARES.values())}
        answered = self.scan("samples").select("case", "stage", "view", "latency_ns").drop_nulls().collect()
        rows = []
        for (case, stage, view), part in answered.group_by("case", "stage", "view", maintain_order=True):
            values = part["latency_ns"].sort()
            figures = {column: quantile(values, share) for column, share in wanted.items()}
            rows.append({"case": case, "stage": stage, "view": view, "count": len(values), **figures})
        return pl.DataFrame(rows, schema_overrides=dict.fromkeys(wanted, pl.Int64), infer_schema_length=None)

    def main_view(self, case: str) -> str:
        """Returns the view whose figures stand in the table: outside, where there is a generator."""
        return "outside" if any(row["view"] == "outside" for row in self._case(case)["stages"]) else "inside"

    def is_virtual(self, case: str) -> bool:
        """Returns whether a case's nanoseconds are the twin's: executed instructions, no time."""
        return bool(self._case(case)["twin"])

    def only_case(self) -> str:
        """Returns the name of the run's only case; of several, one has to be chosen."""
        if len(self.cases) != 1:
            raise Error(f"{self.path} has {len(self.cases)} cases", f"choose one with case=: {', '.join(self.cases)}")
        return self.cases[0]

    def _case(self, name: str) -> dict[str, Any]:
        for case in self.summary["cases"]:
            if case["case"] == name:
                return dict(case)
        raise Error(f"{self.path} has no case {name!r}", f"there are: {', '.join(self.cases)}")

    def _check(self, frame: pl.LazyFrame, column: str, wanted: list[str]) -> None:
        there = self.cases if column == "case" else None
        if there is None:
            there = frame.select(pl.col(column).unique().sort()).collect()[column].to_list()
        for name in wanted:
            if name not in there:
                raise Error(f"{self.path} has no {column} {name!r}", f"there are: {', '.join(map(str, there))}")

    def _rows(self, key: str) -> pl.DataFrame:
        floating = ("mean_ns", "stddev_ns")
        rows = [
            {"case": case["case"], "kernel": case["kernel"], "state": case["state"], **row}
            for case in self.summary["cases"]
            for row in case.get(key, [])
        ]
        times = [name for row in rows[:1] for name in row if name.endswith("_ns") and name not in floating]
        return pl.DataFrame(rows, schema_overrides=dict.fromkeys(times, pl.Int64), infer_schema_length=None)

    def _json(self, name: str) -> dict[str, Any]:
        path = self.path / name
        try:
            return dict(json.loads(path.read_text()))
        except FileNotFoundError:
            raise NotARun(f"{self.path} has no {name}", f"derive it with `irqscope report {self.path}`") from None
        except ValueError as error:
            remedy = f"derive it again with `irqscope report {self.path}`"
            raise NotARun(f"{path} is damaged: {error}", remedy) from None
