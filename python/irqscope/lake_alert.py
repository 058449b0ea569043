# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Changes of a lake as alerts: JSON as Prometheus' Alertmanager takes it, which any webhook can read.

The labels of an alert are the same whenever the same change is found, so that Alertmanager, which knows
alerts by their labels, reports each change once. https://prometheus.io/docs/alerting/latest/clients/
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


def alerts(lake: str, figure: str, found: pl.DataFrame) -> list[dict[str, Any]]:
    """Returns an alert for each row of `irqscope.trend.moved`."""
    return [_alert(lake, figure, row) for row in found.to_dicts()]


def _alert(lake: str, figure: str, row: dict[str, Any]) -> dict[str, Any]:
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


def alert(url: str, lake: str, figure: str, found: pl.DataFrame) -> None:
    """Posts the changes that were found; without any, nothing is sent.

    Args:
        url: such as `http://localhost:9093/api/v2/alerts`, or any webhook.
        lake: the lake's address.
        figure: the figure whose level moved.
        found: what `irqscope.trend.moved` returned.

    Raises:
        Error: the receiver cannot be reached, or refuses them.
    """
    if found.is_empty():
        return
    if not url.startswith(("http://", "https://")):
        raise Error(f"{url!r} is no address of a webhook", "http://HOST:PORT/PATH or https://HOST/PATH")
    body = json.dumps(alerts(lake, figure, found)).encode()
    request = urllib.request.Request(url, body, {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=LIMIT):
            pass
    except (urllib.error.URLError, OSError) as error:
        raise Error(f"{url} did not take the alerts: {error}", "see that the receiver runs") from error
