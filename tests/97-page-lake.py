# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Makes a month of a farm out of real runs, plants a regression, and has the commands find it."""

import http.server
import json
import pathlib
import random
import subprocess
import sys
import threading
from datetime import UTC, datetime, timedelta

import polars as pl

from irqscope import Run
from irqscope.buckets import digest
from irqscope.lake import Lake
from irqscope.lake_rows import SERIES, rows_of
from irqscope.trend import maxima, moved, series_of, trend

lake, runs, told = Lake(sys.argv[1]), pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
real = [rows_of(Run(runs / f"real-{seed}"), "", "") for seed in (1, 2)]
PLACES, EACH, BAD, SINCE = 12, 40, 3, 25
# The month ends yesterday, before the real runs.
FIRST = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0) - timedelta(days=31)
random.seed(5)


def made(place, number):
    """Returns the rows of a run that took a real one's samples, a little longer or shorter, at another time."""
    scale = random.gauss(1, 0.01) * (1.06 if place == BAD and number >= SINCE else 1)
    base = random.choice(real)
    name, run = f"place {place:02}", f"{place * EACH + number:032x}"
    started = FIRST + timedelta(days=30 * number / EACH, minutes=7 * place)
    # In that place the kernel became another with that run, and everywhere at some other time the tool.
    release = "6.1.0-57-amd64" if place == BAD and number >= SINCE else "6.1.0-56-amd64"
    marks = {"run": pl.lit(run), "place": pl.lit(name), "month": pl.lit(f"{started:%Y-%m}")}
    samples = base["samples"].with_columns(latency_ns=(pl.col("latency_ns") * scale).cast(pl.Int64), **marks)
    times = {"started": pl.lit(started), "finished": pl.lit(started)}
    version = pl.lit("0.0.9" if number < place + 5 else "0.1.0")
    facts = base["runs"].with_columns(**marks, **times, release=pl.lit(release), tool_version=version)
    own = digest(samples.lazy(), SERIES, "latency_ns").collect().with_columns(run=marks["run"])
    worst = samples.drop_nulls("latency_ns").sort("latency_ns", descending=True).group_by(SERIES).head(1000)
    return {
        "samples": samples,
        "digests": own.select(base["digests"].columns),
        "worst": worst.select(base["worst"].columns),
        "runs": facts,
    }


farm = [made(place, number) for place in range(PLACES) for number in range(EACH)]
# One more run has a second case, which differs by the level of an axis: it is a series of its own.
more = made(PLACES, 0)
second = {name: rows.with_columns(case=pl.lit("6.1/load/loud")) for name, rows in more.items()}
farm += [more, second]
for table in ("samples", "digests", "worst", "runs"):
    lake._write(table, pl.concat([rows[table] for rows in farm]), "a month")
# Real runs lead to their directories.
for seed in (1, 2):
    lake.add(runs / f"real-{seed}", place="twin")
first_bad = f"{BAD * EACH + SINCE:032x}"
planted = FIRST + timedelta(days=30 * SINCE / EACH, minutes=7 * BAD)

figures = trend(lake, stage="user", view="outside")
assert len(figures) == PLACES * EACH + 4, len(figures)
of_more = [series["case"] for series, _ in series_of(figures) if series["place"] == f"place {PLACES:02}"]
assert of_more == ["6.1/load", "6.1/load/loud"], of_more
one = figures.filter(pl.col("run") == first_bad).to_dicts()[0]
mine = lake.scan("samples").filter(pl.col("run") == first_bad, stage="user", view="outside").collect()["latency_ns"]
assert (one["min_ns"], one["max_ns"], one["count"], one["lost"]) == (
    mine.min(), mine.max(), mine.count(), mine.null_count()
)
ordered = mine.drop_nulls().sort()
exact = ordered[(len(ordered) + 1) // 2 - 1]
assert abs(one["p50_ns"] - exact) <= exact / 256 + 1, (one["p50_ns"], exact)
assert one["p99_9_ns"] is None, "a quantile of too few samples"

# One change in all places, and where it was planted.
found = moved(figures).to_dicts()
assert [row["place"] for row in found] == [f"place {BAD:02}"], found
change = found[0]
assert change["earliest"] <= planted <= change["latest"], (change, planted)
assert change["latest"] - change["earliest"] < timedelta(days=8), change
assert change["low"] < 0.06 * change["before"] < change["high"], change
assert change["chance"] < 0.01 / PLACES
# Without it there is none, in any figure that has no level of its own.
rest = figures.filter(pl.col("place") != f"place {BAD:02}")
assert moved(rest, "p50_ns").is_empty() and moved(rest, "lost").is_empty()

# Maxima over intervals hold each latency.
intervals = maxima(lake, first_bad, every=timedelta(milliseconds=100)).filter(stage="user", view="outside")
assert intervals["max_ns"].max() == mine.max() and intervals["count"].sum() == mine.count() and len(intervals) > 3

# The command says the same and ends so that a script sees it; an alert reaches its receiver.
received = []


class Receiver(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        received.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self.send_response(200 if self.path == "/alerts" else 500)
        self.end_headers()

    def log_message(self, *_):
        pass


server = http.server.HTTPServer(("127.0.0.1", 0), Receiver)
threading.Thread(target=server.serve_forever, daemon=True).start()
address = f"http://127.0.0.1:{server.server_port}"


def changes(*more, status=0):
    command = [sys.executable, "-m", "irqscope.lake", "changes", "--lake", lake.url, *more]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == status, (more, done)
    return done.stdout + done.stderr


user = ["--stage", "user", "--view", "outside"]
assert first_bad[:-2] in changes(*user, "--fail", "--alert", f"{address}/alerts", status=1)
(alerts,) = received
assert [alert["labels"]["place"] for alert in alerts] == [f"place {BAD:02}"], alerts
assert alerts[0]["annotations"]["release"] == f"{change['before_release']} -> {change['release']}"
assert changes(*user, "--after", f"{change['started'] + timedelta(days=1):%F}", "--fail").count("\n") == 1
assert "did not take the alerts" in changes(*user, "--alert", f"{address}/elsewhere", status=1)
assert "no address of a webhook" in changes(*user, "--alert", "file:///etc/passwd", status=1)
assert "is no figure of a trend" in changes("--figure", "p12", status=1)
assert "is no time" in changes("--after", "yesterday", status=1)

times = {name: change[name].timestamp() * 1000 for name in ("earliest", "latest", "started")}
told.write_text(json.dumps({"place": f"place {BAD:02}", "series": PLACES + 3, "each": EACH, **times}))
print(f"planted {planted:%F %H:%M}, found {change['earliest']:%F %H:%M} to {change['latest']:%F %H:%M}")
