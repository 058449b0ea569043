# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Fills lakes with measured runs, by many writers and by some that are killed, and reads them back."""

import csv
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time
import urllib.request

import duckdb
import duckdb_extension_delta
import polars as pl
from deltalake import CommitProperties, DeltaTable, Transaction, write_deltalake
from deltalake.exceptions import CommitFailedError

from irqscope import Error, Run, quantile
from irqscope.buckets import RELATIVE_ERROR
from irqscope.lake import TABLES, Lake
from irqscope.lake_rows import identify

work = pathlib.Path(sys.argv[1])
runs = [work / f"run-{seed}" for seed in (1, 2, 3, 4)]
# A copy elsewhere is the same run.
shutil.copytree(runs[0], work / "copy")
SERIES = {"stage": "user", "view": "outside"}


def add(lake, *those, die_after=None):
    """Starts a process that adds runs, or one that is killed when it has written this table."""
    program = ["-m", "irqscope.lake", "add", *map(str, those), "--lake", str(lake), "--place", "here"]
    if die_after:
        program = ["-c", f"""
import os, signal
from irqscope.lake import Lake
class Dying(Lake):
    def _write(self, name, frame, identity):
        super()._write(name, frame, identity)
        if name == {die_after!r}:
            os.kill(os.getpid(), signal.SIGKILL)
Dying({str(lake)!r}).add({str(those[0])!r}, place="here")
"""]
    return subprocess.Popen([sys.executable, *program], stdout=subprocess.DEVNULL)


def rows_of(run):
    return Run(run).scan("samples").select(pl.len()).collect().item()


def once(lake, those):
    """Requires that each of these runs has its rows once, in every table."""
    for name in TABLES:
        table = pl.scan_delta(lake._table(name)).select("run").collect()["run"]
        assert table.n_unique() == len(those), f"{name}: {table.n_unique()} runs"
    assert lake.scan("samples").select(pl.len()).collect().item() == sum(map(rows_of, those))
    assert lake.scan("digests").select(pl.col("count").sum()).collect().item() == sum(map(rows_of, those))
    assert lake.runs().height == len(those)


# Sixteen at once, all of them the same three runs and a copy, in another order each.
race = Lake(work / "race")
began = time.monotonic()
turns = [runs[:3], [runs[1], runs[2], work / "copy"], [runs[2], work / "copy", runs[1]]]
writers = [add(race.url, *turns[number % 3]) for number in range(16)]
assert [writer.wait() for writer in writers] == [0] * 16
once(race, runs[:3])
print(f"16 writers: {time.monotonic() - began:.1f} s, each run is there once")

# Writers that die behind each table but the last: nothing of the fourth run is seen, until it is added.
before = race.quantiles(["0.5", "0.99"])
for table in ("samples", "digests", "worst"):
    assert add(race.url, runs[3], die_after=table).wait() == -signal.SIGKILL
    written = pl.scan_delta(race._table(table)).select("run").collect()["run"].n_unique()
    assert written == 4, f"{table}: {written} runs were written"
    once_seen = [race.scan(name).select(pl.col("run").n_unique()).collect().item() for name in TABLES]
    assert once_seen == [3, 3, 3, 3], once_seen
    assert race.query("SELECT count(DISTINCT run) AS n FROM samples")["n"].item() == 3
    assert race.quantiles(["0.5", "0.99"]).equals(before)
# Nor is a file without its commit.
(file,) = [file for file in DeltaTable(f"{race.url}/digests").file_uris()][:1]
shutil.copy(file, f"{race.url}/digests/part-orphan.snappy.parquet")
assert race.quantiles(["0.5", "0.99"]).equals(before)
assert add(race.url, runs[3]).wait() == 0
once(race, runs)
# Small files become large ones, and what is there is still known.
for name in TABLES:
    assert DeltaTable(f"{race.url}/{name}").optimize.compact()["numFilesRemoved"] > 1
assert add(race.url, *runs).wait() == 0
once(race, runs)
print("killed behind each of 3 tables: nothing was seen, and adding the run again completed it")

# Quantiles of all runs from digests, against all samples.
shares = ["0.05", "0.5", "0.95", "0.99"]
samples = pl.concat([Run(run).scan("samples") for run in runs]).collect()
found = race.quantiles(shares, by=["kernel"])
exact = estimated = 0
for row in found.to_dicts():
    mine = samples.filter(pl.col("stage") == row["stage"], pl.col("view") == row["view"])["latency_ns"]
    assert (row["count"], row["lost"]) == (mine.count(), mine.null_count())
    assert (row["min_ns"], row["max_ns"], row["runs"]) == (mine.min(), mine.max(), 4)
    for share, name in zip(shares, ("p5", "p50", "p95", "p99")):
        true, error = quantile(mine, share), row[f"{name}_error_ns"]
        assert abs(row[f"{name}_ns"] - true) <= error <= RELATIVE_ERROR * true + 1, (row, share, true)
        exact, estimated = exact + (error == 0), estimated + (error > 0)
assert len(found) == 4 and exact >= 4 and estimated >= 4, (len(found), exact, estimated)
print(f"{exact} quantiles are exact, {estimated} within {RELATIVE_ERROR:.2%}")

assert RELATIVE_ERROR == 1 / 256, "docs/lake.md says 1/256"

# The thousand greatest of each series are those of the run.
for run in runs:
    whole = Run(run).scan("samples").drop_nulls("latency_ns").collect()
    kept = race.scan("worst").filter(pl.col("run") == identify(Run(run))).collect()
    for (stage, view), part in whole.group_by("stage", "view"):
        mine = kept.filter(pl.col("stage") == stage, pl.col("view") == view)["latency_ns"].sort(descending=True)
        assert mine.to_list() == part["latency_ns"].sort(descending=True).head(1000).to_list(), (stage, view)
        assert len(mine) == 1000

# A time, a place, a group.
month = race.runs()["month"][0]
assert race.quantiles(since=month, by=["month", "place"], **SERIES)["runs"].item() == 4
assert race.quantiles(where=pl.col("run") == race.runs()["run"][0], **SERIES)["runs"].item() == 1
for ask in ({"until": month}, {"since": "soon"}, {"stage": "usr"}):
    try:
        race.quantiles(**ask)
        raise AssertionError(ask)
    except Error as error:
        assert error.remedy, error

# The same question to three engines.
sql = 'SELECT stage, "view", count(*) AS n, sum(latency_ns) AS total, min(latency_ns) AS low, max(latency_ns) AS high'
sql += ' FROM samples GROUP BY stage, "view" ORDER BY stage, "view"'
extension = next(pathlib.Path(duckdb_extension_delta.__file__).parent.glob("extensions/*/delta.duckdb_extension"))
duck = duckdb.connect()
duck.execute(f"LOAD '{extension}'")
whole = f"SELECT run FROM delta_scan('{race.url}/runs')"
duck.execute(f"CREATE VIEW samples AS SELECT * FROM delta_scan('{race.url}/samples') WHERE run IN ({whole})")
answers = {
    "DuckDB": [tuple(map(str, row)) for row in duck.execute(sql).fetchall()],
    "DataFusion": [tuple(map(str, row)) for row in race.query(sql).rows()],
    "Polars": [tuple(map(str, row)) for row in pl.SQLContext(samples=samples).execute(sql, eager=True).rows()],
}
assert answers["DuckDB"] == answers["DataFusion"] == answers["Polars"] and len(answers["Polars"]) == 4, answers
shell = [sys.executable, "-m", "irqscope.lake", "query", sql, "--lake", race.url]
lines = subprocess.check_output(shell, text=True).splitlines()
assert [tuple(row) for row in csv.reader(lines[1:])] == answers["DataFusion"]
print(f"{', '.join(answers)} agree on {len(answers['Polars'])} series")

# An object store on this machine. One process after the other: the store is a double whose own
# put-if-absent need not be atomic; that it is asked for, a commit from an old state shows.
with open(work / "store", "wb") as log:
    store = subprocess.Popen([sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", "0"], stderr=log)
try:
    until = time.monotonic() + 60
    while "Running on http" not in (said := (work / "store").read_text()):
        assert time.monotonic() < until and store.poll() is None, said
        time.sleep(0.1)
    address = said.split("Running on ")[1].split()[0]
    urllib.request.urlopen(urllib.request.Request(f"{address}/lab", method="PUT"))
    os.environ |= {"AWS_ACCESS_KEY_ID": "k", "AWS_SECRET_ACCESS_KEY": "s", "AWS_REGION": "us-east-1"}
    os.environ |= {"AWS_ENDPOINT_URL": address, "AWS_ALLOW_HTTP": "true"}
    remote = Lake("s3://lab/latency")
    for run in (*runs, runs[0]):
        assert add(remote.url, run).wait() == 0
    once(remote, runs)
    assert remote.quantiles(shares).equals(race.quantiles(shares))
    old, new = (DeltaTable(f"{remote.url}/runs") for _ in range(2))
    mark, frame = CommitProperties(app_transactions=[Transaction("x", 1)]), remote.runs().head(1)
    write_deltalake(new, frame, mode="append", commit_properties=mark)
    try:
        write_deltalake(old, frame, mode="append", commit_properties=mark)
        raise AssertionError("the same transaction was committed twice")
    except CommitFailedError:
        pass
finally:
    store.kill()
    store.wait()
print("the object store has the same figures")
