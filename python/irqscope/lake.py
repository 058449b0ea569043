# SPDX-License-Identifier: Apache-2.0 OR MIT
"""A lake: the runs of months and of many places in Delta tables, without a server.

    lake = Lake("s3://lab/latency")          # or a directory
    lake.add("runs/20260101T120000Z-demo", place="rack 3")
    lake.quantiles([0.5, 0.999], stage="user", by=["kernel", "state"], since="2026-01")

Needs `irqscope[lake]`. docs/lake.md has the tables, and what holds when writers race or die.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from datetime import datetime

import polars as pl

from .buckets import WORST
from .errors import Error
from .lake_rows import figures, identify, of, rows_of, within
from .run import Run

try:
    from deltalake import CommitProperties, DeltaTable, QueryBuilder, Transaction, write_deltalake
    from deltalake.exceptions import CommitFailedError, DeltaError, TableNotFoundError
except ImportError as error:
    raise Error("deltalake is not installed", "pip install 'irqscope[lake]'") from error

# In the order in which they are written: a run is visible by its rows in `runs`, which come last. With each the
# columns by which it is partitioned when it is made: a question about one stage reads that stage's files alone.
TABLES: dict[str, list[str]] = {"samples": ["month", "place"], "digests": ["stage"], "worst": ["stage"], "runs": []}
# How often a commit is tried again while others commit.
RETRIES = 100


class Lake:
    """Delta tables in a directory or an object store; any number of processes may add at once.

    Args:
        url: a directory, or `s3://BUCKET/PATH` and its kin.
        storage_options: keys of the object store, as delta-rs takes them; those of the environment
            (`AWS_ACCESS_KEY_ID`, …) by default.
    """

    def __init__(self, url: str | os.PathLike[str], storage_options: dict[str, str] | None = None) -> None:
        self.url = os.fspath(url).rstrip("/")
        self.storage_options = storage_options or {}

    def add(self, run: Run | str | os.PathLike[str], place: str | None = None) -> str:
        """Adds a finished run, and returns its identity in the lake, 32 hexadecimal digits.

        A run that is there already is not added again, by the same process or another, now or
        later: neither its rows nor its place change.

        Args:
            run: the run or its directory.
            place: where it was measured, such as a board's name; the rig's name by default.

        Raises:
            Error: the run is not complete, or has no stages, or the lake cannot be written.
        """
        run = run if isinstance(run, Run) else Run(run)
        if not run.manifest["complete"]:
            raise Error(f"{run.path} is not complete", "measure it again; what was received is in its log")
        identity = identify(run)
        for name, frame in rows_of(run, identity, place or run.manifest["rig"]).items():
            self._write(name, frame, identity)
        return identity

    def runs(self) -> pl.DataFrame:
        """Returns the table `runs`: one row for each case of each run."""
        return self.scan("runs").sort("started", "run", "case").collect()

    def scan(self, name: str) -> pl.LazyFrame:
        """Returns a table lazily, with the rows of runs that are wholly there."""
        frame = self.written(name)
        return (
            frame if name == "runs" else frame.join(self.written("runs").select("run").unique(), on="run", how="semi")
        )

    def query(self, sql: str) -> pl.DataFrame:
        """Returns what DataFusion answers: SQL over `runs`, `samples`, `digests` and `worst`.

        `samples`, `digests` and `worst` are views that have the rows of runs that are wholly there.
        """
        session = QueryBuilder()
        for name in TABLES:
            session.register(name if name == "runs" else f"{name}_written", self._table(name))
        for name in TABLES.keys() - {"runs"}:
            view = f"CREATE VIEW {name} AS SELECT * FROM {name}_written WHERE run IN (SELECT run FROM runs)"
            list(session.execute(view))
        try:
            return pl.DataFrame(session.execute(sql))
        except (DeltaError, OSError, ValueError) as error:
            raise Error(f"the query failed: {error}", "the tables' columns are in docs/lake.md") from error

    def quantiles(
        self,
        shares: Iterable[float | str] = ("0.5", "0.99", "0.999"),
        *,
        stage: str | None = None,
        view: str | None = None,
        by: Iterable[str] = ("kernel", "state"),
        since: str | datetime | None = None,
        until: str | datetime | None = None,
        where: pl.Expr | None = None,
    ) -> pl.DataFrame:
        """Returns quantiles over all runs of a time, from digests: no sample is read.

        Args:
            shares: quantiles between 0 and 1.
            stage: one stage; all by default.
            view: `outside` or `inside`; both by default, in rows of their own.
            by: columns of `runs` that make groups, such as `month`, `place`, `kernel`.
            since: the first instant, as a datetime or `2026-01`, `2026-01-31`.
            until: the first instant that no longer counts.
            where: a condition on columns of `runs`, such as `pl.col("scenario") == "demo"`.

        Returns:
            The columns of `by`, `stage`, `view`, `runs` (how many), `count` (answers), `lost` (triggers
            without an answer), `min_ns`, `max_ns` (exact), and for each quantile its estimate, such as
            `p99_ns`, and `p99_error_ns`, how far that is from the true one at most: 0 if it is exact.
        """
        groups = [*by, "stage", "view"]
        runs = self.written("runs") if where is None else self.written("runs").filter(where)
        runs = within(runs, since, until).select("run", "case", *by)
        only = of(stage=stage, view=view)
        chosen = {
            name: self.written(name).filter(*only).join(runs, on=["run", "case"]) for name in ("digests", "worst")
        }
        counts = ["low_ns", "count", "min_ns", "max_ns"]
        summed = chosen["digests"].select(*groups, "run", *counts).collect()
        kept = chosen["worst"].group_by(groups).agg(pl.col("latency_ns").top_k(WORST)).collect()
        worst = {tuple(row[name] for name in groups): row["latency_ns"] for row in kept.to_dicts()}
        wanted = list(shares)
        rows = [
            dict(zip(groups, key, strict=True)) | figures(part, worst.get(key, []), wanted)
            for key, part in summed.group_by(groups)
        ]
        if not rows:
            raise Error(f"{self.url} has no samples of that", "`Lake.runs()` has what there is")
        times = {name: pl.Int64 for name in rows[0] if name.endswith("_ns")}
        return pl.DataFrame(rows, schema_overrides=times, infer_schema_length=None).sort(groups)

    def _uri(self, name: str) -> str:
        return f"{self.url}/{name}"

    def _table(self, name: str) -> DeltaTable:
        try:
            return DeltaTable(self._uri(name), storage_options=self.storage_options)
        except TableNotFoundError:
            remedy = f"python -m irqscope.lake add RUN --lake {self.url}"
            raise Error(f"{self.url} has no table {name}: no run was added yet", remedy) from None

    def written(self, name: str) -> pl.LazyFrame:
        """Returns a table lazily with all rows, also those of runs that are not wholly there: join it with `runs`."""
        return pl.scan_delta(self._table(name))

    def _write(self, name: str, frame: pl.DataFrame, identity: str) -> None:
        """Appends a run's rows in one commit, once: the commit names the run as its transaction."""
        mark = CommitProperties(app_transactions=[Transaction(identity, 1)], max_commit_retries=RETRIES)
        for _ in range(RETRIES):
            try:
                table = DeltaTable(self._uri(name), storage_options=self.storage_options)
            except TableNotFoundError:
                self._create(name, frame)
                continue
            if table.transaction_version(identity) is not None:
                return
            try:
                write_deltalake(table, frame, mode="append", commit_properties=mark)
                return
            except CommitFailedError:
                # Another writer committed meanwhile, perhaps this very run: look again.
                continue
            except (DeltaError, OSError) as error:
                raise Error(f"cannot write {self._uri(name)}: {error}") from error
        raise Error(f"{self._uri(name)}: other writers came first {RETRIES} times", "add the run again")

    def _create(self, name: str, frame: pl.DataFrame) -> None:
        """Makes an empty table; another writer may have made it first, which is as good."""
        try:
            write_deltalake(
                self._uri(name),
                frame.clear(),
                mode="ignore",
                partition_by=TABLES[name],
                storage_options=self.storage_options,
            )
        except (DeltaError, OSError) as error:
            if not DeltaTable.is_deltatable(self._uri(name), storage_options=self.storage_options):
                raise Error(f"cannot make {self._uri(name)}: {error}", "check that the place can be written") from error


if __name__ == "__main__":
    from .lake_command import main

    main()
