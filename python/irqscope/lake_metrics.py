# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The newest runs of a lake as metrics, for Prometheus: OpenMetrics 1.0, which node_exporter's textfile
collector reads as well. Names are those of `irqscope export --format openmetrics`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import polars as pl

from .lake_gate import newest
from .quantiles import column_of
from .trend import SERIES, SHARES, trend

if TYPE_CHECKING:
    from .lake import Lake

Rows = list[dict[str, Any]]


def metrics(lake: Lake, verdicts: pl.DataFrame | None = None, **choice: Any) -> str:
    """Returns the figures of the newest run of each place, scenario and case as text.

    Args:
        lake: the lake.
        verdicts: what `irqscope.lake_gate.hold` returned, to be among them.
        choice: stage, view, since and until, as of `irqscope.trend.trend`.
    """
    times = {name: choice.get(name) for name in ("since", "until")}
    of_newest = newest(lake, **times).select("run", "case")
    rows = trend(lake, **choice).join(of_newest, on=["run", "case"]).sort(*SERIES).to_dicts()
    held = [] if verdicts is None else verdicts.drop_nulls("run").to_dicts()
    return "".join([*_figures(rows), *_held(held), "# EOF\n"])


def _figures(rows: Rows) -> Iterable[str]:
    quantiles = [
        (_labels(row) + f',quantile="{share}"', _seconds(row[column_of(share)]))
        for row in rows
        for share in SHARES
        if row[column_of(share)] is not None
    ]
    yield _family("irqscope_latency_seconds", "summary", "Latencies; quantiles from digests, to 0.4 %.", quantiles)
    for name in ("min", "max"):
        values = [(_labels(row), _seconds(row[f"{name}_ns"])) for row in rows if row[f"{name}_ns"] is not None]
        yield _family(f"irqscope_{name}_seconds", "gauge", f"The {name}imum latency.", values)
    lost = [(_labels(row), str(row["lost"])) for row in rows]
    yield _family("irqscope_without_value", "gauge", "Triggers without a response of their own.", lost)
    begun = [(_labels(row), f"{row['started'].timestamp():.3f}") for row in rows]
    yield _family("irqscope_started_seconds", "gauge", "When the run began, since 1970.", begun)


def _held(rows: Rows) -> Iterable[str]:
    labels = [(_labels(row) + f",{_label('limit', row['limit'])}", row) for row in rows]
    limits = [(label, _seconds(row["limit_ns"])) for label, row in labels]
    yield _family("irqscope_limit_seconds", "gauge", "A latency that the stage has to stay below.", limits)
    holds = [(label, str(int(row["holds"]))) for label, row in labels]
    yield _family("irqscope_limit_holds", "gauge", "Whether it does: 1 or 0.", holds)


def _family(name: str, kind: str, meaning: str, samples: list[tuple[str, str]]) -> str:
    if not samples:
        return ""
    unit = f"# UNIT {name} seconds\n" if name.endswith("_seconds") else ""
    lines = "".join(f"{name}{{{labels}}} {value}\n" for labels, value in samples)
    return f"# TYPE {name} {kind}\n{unit}# HELP {name} {meaning}\n{lines}"


def _labels(row: dict[str, Any]) -> str:
    return ",".join(_label(name, str(row[name]).lower() if name == "is_virtual" else row[name]) for name in SERIES)


def _label(name: str, value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'{name}="{escaped}"'


def _seconds(ns: int) -> str:
    """Formats nanoseconds as seconds, to the digit."""
    sign = "-" if ns < 0 else ""
    return f"{sign}{abs(ns) // 1_000_000_000}.{abs(ns) % 1_000_000_000:09}"
