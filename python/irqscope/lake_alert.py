# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Changes and exceeded limits of a lake as alerts: JSON as Prometheus' Alertmanager takes it.

The labels of an alert are the same whenever the same thing is found, so that Alertmanager, which knows
alerts by their labels, reports each once. https://prometheus.io/docs/alerting/latest/clients/
"""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from typing import Any

import polars as pl

from .errors import Error
from .trend import SERIES

# How long the receiver may take, in seconds.
LIMIT = 30

Alert = dict[str, Any]


def of_changes(lake: str, figure: str, found: pl.DataFrame) -> list[Alert]:
    """Returns an alert for each row of `irqscope.trend.moved`."""
    return [_change(lake, figure, row) for row in found.to_dicts()]


def of_limits(lake: str, verdicts: pl.DataFrame) -> list[Alert]:
    """Returns an alert for each limit of `irqscope.lake_gate.hold` that does not hold."""
    return [_limit(lake, row) for row in verdicts.filter(~pl.col("holds")).to_dicts()]


def _change(lake: str, figure: str, row: dict[str, Any]) -> Alert:
    series = {name: str(row[name]) for name in SERIES}
    unit = " ns" if figure.endswith("_ns") else ""
    return {
        "labels": {"alertname": "irqscope_change", "lake": lake, "figure": figure, "run": row["run"], **series},
        "annotations": {
            "summary": f"{row['place']}: {row['stage']} {figure.removesuffix('_ns')} is {row['after']:g}{unit}, "
            f"it was {row['before']:g}{unit}",
            "difference": f"{row['difference']:+g}{unit} [{row['low']:+g}, {row['high']:+g}] with 95 %",
            "release": f"{row['before_release']} -> {row['release']}",
            "chance": f"{row['chance']:.2g}",
        },
        "startsAt": row["started"].isoformat(),
    }


def _limit(lake: str, row: dict[str, Any]) -> Alert:
    series = {name: str(row[name]) for name in SERIES if row[name] is not None}
    run = {} if row["run"] is None else {"run": row["run"]}
    found = "" if row["found_ns"] is None else f", it is {row['found_ns']:g} ns"
    begun = {} if row["started"] is None else {"startsAt": row["started"].isoformat()}
    return {
        "labels": {"alertname": "irqscope_limit", "lake": lake, "limit": row["limit"], **run, **series},
        "annotations": {"summary": f"{row['place']}: {row['limit']}{found}: {row['why']}"},
        **begun,
    }


def post(url: str, alerts: list[Alert]) -> None:
    """Posts alerts; without any, nothing is sent.

    Args:
        url: such as `http://localhost:9093/api/v2/alerts`, or any webhook.
        alerts: what `of_changes` or `of_limits` returned.

    Raises:
        Error: the receiver cannot be reached, or refuses them.
    """
    if not alerts:
        return
    if not url.startswith(("http://", "https://")):
        raise Error(f"{url!r} is no address of a webhook", "http://HOST:PORT/PATH or https://HOST/PATH")
    body = json.dumps(alerts).encode()
    request = urllib.request.Request(url, body, {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=LIMIT):
            pass
    except (urllib.error.URLError, OSError) as error:
        raise Error(f"{url} did not take the alerts: {error}", "see that the receiver runs") from error
