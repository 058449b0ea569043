# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The command line of a lake: `python -m irqscope.lake --help`."""

from __future__ import annotations

import argparse
import sys
from typing import TypedDict

import polars as pl

from .errors import Error
from .lake import Lake
from .lake_alert import of_changes, of_limits, post
from .lake_answers import answer_lines
from .lake_gate import hold, read_limits
from .lake_metrics import metrics
from .lake_rows import instant
from .trend import CHANCE, FIGURES, moved, trend

Options = argparse.Namespace


def main() -> None:
    """Adds runs to a lake, or asks it."""
    options = _parser().parse_args()
    try:
        sys.exit(options.act(Lake(options.lake), options))
    except Error as error:
        sys.exit(f"irqscope.lake: {error.message}" + (f"\n  remedy: {error.remedy}" if error.remedy else ""))


def _add(lake: Lake, options: Options) -> None:
    for run in options.runs:
        print(lake.add(run, options.place), run)


def _query(lake: Lake, options: Options) -> None:
    _print(lake.query(options.sql))


def _quantiles(lake: Lake, options: Options) -> None:
    _print(lake.quantiles(options.shares, by=options.by.split(","), **_choice(options)))


def _trend(lake: Lake, options: Options) -> None:
    _print(trend(lake, **_choice(options)))


def _changes(lake: Lake, options: Options) -> int:
    found = moved(trend(lake, **_choice(options)), options.figure, options.chance)
    if options.after is not None:
        found = found.filter(pl.col("started") >= instant(options.after))
    _print(found)
    if options.alert is not None:
        post(options.alert, of_changes(lake.url, options.figure, found))
    return 1 if options.fail and len(found) else 0


def _gate(lake: Lake, options: Options) -> int:
    found = _held(lake, options)
    _print(found)
    if options.alert is not None:
        post(options.alert, of_limits(lake.url, found))
    return 0 if found["holds"].all() else 1


def _metrics(lake: Lake, options: Options) -> None:
    verdicts = None if options.limits is None else _held(lake, options)
    sys.stdout.write(metrics(lake, verdicts, **_choice(options)))


def _held(lake: Lake, options: Options) -> pl.DataFrame:
    return hold(lake, read_limits(options.limits), view=options.view, since=options.since, until=options.until)


def _answer(lake: Lake, _: Options) -> None:
    answer_lines(lake, sys.stdin, sys.stdout)


def _print(frame: pl.DataFrame) -> None:
    sys.stdout.write(frame.write_csv())


class _Choice(TypedDict):
    stage: str | None
    view: str | None
    since: str | None
    until: str | None


def _choice(options: Options) -> _Choice:
    return _Choice(stage=options.stage, view=options.view, since=options.since, until=options.until)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m irqscope.lake", description="The runs of months in Delta tables.")
    commands = parser.add_subparsers(dest="command", required=True)

    add = commands.add_parser("add", help="add runs; one that is there already is left as it is")
    add.add_argument("runs", nargs="+", metavar="RUN", help="the directory of a run")
    add.add_argument("--place", help="where it was measured, such as a board's name (the rig's name)")
    add.set_defaults(act=_add)

    query = commands.add_parser("query", help="print what SQL over runs, samples, digests and worst gives, as CSV")
    query.add_argument("sql", metavar="SQL")
    query.set_defaults(act=_query)

    quantiles = commands.add_parser("quantiles", help="print quantiles over all runs of a time, as CSV")
    quantiles.add_argument("shares", nargs="*", default=["0.5", "0.99", "0.999"], metavar="SHARE", help="such as 0.999")
    quantiles.add_argument("--by", default="kernel,state", metavar="COLUMNS", help="groups (kernel,state)")
    quantiles.set_defaults(act=_quantiles)

    figures = commands.add_parser("trend", help="print the figures of each run, in the order of their begin, as CSV")
    figures.set_defaults(act=_trend)

    changes = commands.add_parser("changes", help="print where a figure's level moved, the latest first, as CSV")
    changes.add_argument("--figure", default="p50_ns", help=f"{', '.join(FIGURES)} (p50_ns)")
    changes.add_argument(
        "--chance",
        type=float,
        default=CHANCE,
        metavar="P",
        help=f"the probability that anything is printed where nothing has changed ({CHANCE})",
    )
    changes.add_argument("--after", metavar="DAY", help="only changes from this day on, such as 2026-01-31")
    changes.add_argument("--fail", action="store_true", help="end with status 1 if anything is printed")
    changes.add_argument("--alert", metavar="URL", help="post them as alerts, as Prometheus' Alertmanager takes them")
    changes.set_defaults(act=_changes)

    gate = commands.add_parser("gate", help="hold the newest run of each place, scenario and case against its limits")
    gate.add_argument("--alert", metavar="URL", help="post those that do not hold as alerts, as changes does")
    gate.set_defaults(act=_gate)

    newest = commands.add_parser("metrics", help="print the newest figures of each place as OpenMetrics")
    newest.set_defaults(act=_metrics)
    for command in (gate, newest):
        command.add_argument(
            "--limits", metavar="FILE", required=command is gate, help="limits of places, as TOML: docs/lake.md"
        )

    answer = commands.add_parser("answer", help="answer the pages of irqscope serve: a JSON document for each line")
    answer.set_defaults(act=_answer)

    for command in (quantiles, figures, changes, newest):
        command.add_argument("--stage", help="one stage (all)")
    for command in (quantiles, figures, changes, gate, newest):
        command.add_argument("--view", help="outside or inside (both)")
        command.add_argument("--since", metavar="TIME", help="2026-01, 2026-01-31 or an instant")
        command.add_argument("--until", metavar="TIME", help="the first instant that no longer counts")
    for command in commands.choices.values():
        command.add_argument("--lake", required=True, metavar="URL", help="a directory, or s3://BUCKET/PATH")
    return parser
