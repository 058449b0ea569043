# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Holds limits of places against the lake of 97-page-lake.py: as `irqscope gate` says of the same run, and
what a lake alone has: the newest run of each place, places without a run, stages without samples."""

import http.server
import json
import pathlib
import subprocess
import sys
import threading

import polars as pl

from irqscope.errors import Error
from irqscope.lake import Lake
from irqscope.lake_gate import Limit, hold, newest, read_limits

lake, run, irqscope = Lake(sys.argv[1]), sys.argv[2], sys.argv[3]
stages = json.load(open(f"{run}/summary.json"))["cases"][0]["stages"]


def value(stage, name):
    return next(
        one[name] for one in stages if (one["stage"], one["view"]) == (stage, "outside")
    )


# Limits just met and just exceeded, at quantiles of which the digests know the exact figure, or its bucket.
texts = ["user<1s@p99.9", "irq<1s@max", "user<1ns@p50"]
for stage in ("irq", "user"):
    for name, quantile in (("p50_ns", "p50"), ("p99_ns", "p99"), ("max_ns", "max")):
        figure = value(stage, name)
        texts += [
            f"{stage}<{figure}ns@{quantile}",
            f"{stage}<{figure * 102 // 100 + 2}ns@{quantile}",
        ]
command = [irqscope, "gate", run, "--json"] + [
    word for text in texts for word in ("--max", text)
]
said = json.loads(subprocess.run(command, capture_output=True, check=False).stdout)
limits = {None: [], "twin": [Limit.parse(text) for text in texts]}
held = hold(lake, limits).to_dicts()
assert len(held) == len(said) == len(texts)
for ours, theirs in zip(held, said, strict=True):
    assert ours["holds"] == theirs["passed"], (ours, theirs)
    if ours["found_ns"] is not None and theirs["found_ns"] is not None:
        assert (
            0 <= ours["found_ns"] - theirs["found_ns"] <= theirs["found_ns"] / 128 + 1
        ), (ours, theirs)
assert {one["holds"] for one in held} == {True, False}
assert next(one for one in held if one["limit"] == "user<1s@p99.9")["why"].startswith(
    "too few samples"
)

# The newest run of each place and case; other limits for one place; a stage that was not measured.
runs = newest(lake)
assert len(runs) == 15 and runs.filter(place="twin").height == 1, runs
for row in runs.to_dicts():
    mine = lake.scan("runs").filter(place=row["place"], case=row["case"]).collect()
    assert row["started"] == mine["started"].max()
file = pathlib.Path("limits.toml")
file.write_text(
    'limits = ["user<1s@max"]\n[place]\n"place 03" = ["softirq<1s@p50", "user<1us@p50"]\n'
)
found = hold(lake, read_limits(file)).to_dicts()
mine = [row for row in found if row["place"] == "place 03"]
assert [(row["limit"], row["holds"], row["why"]) for row in mine] == [
    ("softirq<1s@p50", False, "was not measured"),
    ("user<1us@p50", False, "exceeded"),
], mine
assert len(found) == 14 + 2, len(found)

received = []


class Receiver(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        received.append(
            json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        )
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_):
        pass


server = http.server.HTTPServer(("127.0.0.1", 0), Receiver)
threading.Thread(target=server.serve_forever, daemon=True).start()


def ask(*words, status):
    done = subprocess.run(
        [sys.executable, "-m", "irqscope.lake", *words, "--lake", lake.url],
        capture_output=True,
        text=True,
    )
    assert done.returncode == status, (words, done)
    return done.stdout if status == 0 else done.stdout + done.stderr


table = ask(
    "gate",
    "--limits",
    "limits.toml",
    "--alert",
    f"http://127.0.0.1:{server.server_port}",
    status=1,
)
assert table.count("was not measured") == 1, table
bad = [row for row in found if not row["holds"]]
(alerts,) = received
assert len(alerts) == len(bad) and {
    alert["labels"]["alertname"] for alert in alerts
} == {"irqscope_limit"}
text = ask(
    "metrics",
    "--limits",
    "limits.toml",
    "--stage",
    "user",
    "--view",
    "outside",
    status=0,
)
pathlib.Path("lake.prom").write_text(text)
one = next(
    line
    for line in text.splitlines()
    if line.startswith('irqscope_max_seconds{place="twin"')
)
assert float(one.split()[1]) * 1e9 == value("user", "max_ns"), one
assert text.count("irqscope_limit_holds{") == len(found) - 1 and text.endswith(
    "# EOF\n"
)

# Mistakes are named.
for wrong, words in (
    ("", "no limits"),
    ('limits = "user<1us@p50"', "no limits"),
    ("limits = [1", "cannot read"),
    ('limits = ["user<1us"]', "no limit"),
    ('limits = ["user<1us@p100"]', "no quantile"),
    ("[places]\na = []", "no limits"),
    ("limits = [7]", "no limit"),
):
    file.write_text(wrong)
    assert words in ask("gate", "--limits", "limits.toml", status=1), wrong
file.write_text('[place]\nnowhere = ["user<1us@p50"]\n')
assert "places with runs: place 00" in ask("gate", "--limits", "limits.toml", status=1)
# A gate that holds nothing has not passed.
file.write_text('limits = ["user<1s@p50"]\n')
assert "no limit is of any" in ask("gate", "--limits", "limits.toml", "--since", "2999-01", status=1)
file.write_text("limits = []\n")
assert "no limit is of any" in ask("gate", "--limits", "limits.toml", status=1)
assert "cannot read limits" in ask("gate", "--limits", "missing.toml", status=1)
try:
    Limit.parse("user < 1.5 ms @ p99.99")
    Limit.parse("user<1us@p99.9.9")
except Error as error:
    assert "p99.9.9" in error.message
else:
    raise AssertionError("p99.9.9 is a quantile")
assert pl.DataFrame(held)["limit_ns"].dtype == pl.Int64
print(f"{len(texts)} limits as irqscope gate has them")
