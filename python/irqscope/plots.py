# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Pictures of runs by matplotlib: histograms, percentiles, two runs over each other.

Each function returns a `Picture`, a matplotlib Figure, which a notebook shows and `savefig` writes.
Needs `irqscope[plot]`.
"""

from __future__ import annotations

import io
from collections.abc import Iterable
from typing import TYPE_CHECKING

from .errors import Error
from .run import Run
from .series import Series, series_of

try:
    import numpy as np
    from matplotlib.figure import Figure
    from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter
except ImportError as error:
    raise Error("matplotlib is not installed", "pip install 'irqscope[plot]'") from error

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Two colours that people with colour blindness distinguish, and that differ in grey (Okabe and Ito).
COLOURS = ("#0072b2", "#d55e00")
# The lines of a histogram: what is drawn, and how.
MARKS = {"p50": (0.5, ":"), "p99": (0.99, "--")}
WIDTH = 7.0  # inches
HEIGHT = 1.8  # inches, of one stage
BINS = 100


class Picture(Figure):
    """A Figure that a notebook shows without pyplot, which would keep every figure in memory."""

    def _repr_png_(self) -> bytes:
        written = io.BytesIO()
        self.savefig(written, format="png")
        return written.getvalue()


def histogram(
    run: Run,
    case: str | None = None,
    stage: str | Iterable[str] | None = None,
    view: str | None = None,
    bins: int = BINS,
) -> Picture:
    """Draws a histogram for each stage, both axes logarithmic, with lines at p50, p99 and maximum.

    A quantile that fewer than ten samples lie beyond has no line. Bins have equal width on the
    logarithmic axis, which is the same for all stages.

    Args:
        run: the run.
        case: `kernel/state`; the only one by default.
        stage: one stage or several; all by default. In a run of benchmarks: their names.
        view: `outside` or `inside`; outside by default, where there is a generator.
        bins: how many bins the axis has.
    """
    rows = series_of(run, case, stage, view)
    edges = _edges(rows, bins)
    figure, axes = _grid(len(rows))
    for axis, row in zip(axes, rows, strict=True):
        axis.hist(row.values_ns, bins=edges.tolist(), weights=row.counts, color=COLOURS[0])
        for name, (share, style) in MARKS.items():
            if (at := row.quantile(share)) is not None:
                axis.axvline(at, color="black", linestyle=style, label=f"{name} {_text(at)}")
        axis.axvline(row.max_ns, color=COLOURS[1], label=f"max {_text(row.max_ns)}")
        axis.set_yscale("log")
        axis.set_ylim(bottom=0.7)  # one sample is seen
        axis.yaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
        axis.yaxis.set_minor_formatter(NullFormatter())
        axis.set_ylabel("samples")
        _finish(axis, row, edges)
    _finish_figure(figure, axes, rows, f"{run.path.name}: {rows[0].case}")
    return figure


def percentiles(
    run: Run, case: str | None = None, stage: str | Iterable[str] | None = None, view: str | None = None
) -> Picture:
    """Draws which share of the samples is later than a latency, both axes logarithmic.

    The complement of the cumulative distribution, exact, a step at each sample: where the curve
    crosses 10⁻² is p99, and where it ends is the maximum. Arguments as `histogram` has them.
    """
    rows = series_of(run, case, stage, view)
    figure = Picture(figsize=(WIDTH, WIDTH * 0.6), layout="constrained")
    axis = figure.subplots()
    for row in rows:
        _survival(axis, row, label=row.name)
    axis.set_title(f"{run.path.name}: {rows[0].case}", loc="left", fontsize="medium")
    _finish_survival(axis, rows)
    figure.legend(fontsize="small", loc="outside right upper")
    return figure


def comparison(
    before: Run,
    after: Run,
    case: str | None = None,
    stage: str | Iterable[str] | None = None,
    view: str | None = None,
    after_case: str | None = None,
) -> Picture:
    """Draws two runs over each other: for each stage both shares of samples that are later.

    A picture only: `irqscope compare` says how sure a difference is. Arguments as `histogram` has
    them; `after_case` is the case of the second run, where it has another name or both are one run.
    """
    pairs = _pairs(series_of(before, case, stage, view), series_of(after, after_case or case, stage, view))
    figure, axes = _grid(len(pairs), height=HEIGHT * 1.3)
    for axis, pair in zip(axes, pairs, strict=True):
        for run, row, colour in zip((before, after), pair, COLOURS, strict=True):
            p99 = row.quantile(0.99)
            label = f"{run.path.name} {row.case}: " + (f"p99 {_text(p99)}, " if p99 is not None else "")
            _survival(axis, row, label=f"{label}max {_text(row.max_ns)}", color=colour)
        axis.set_title(pair[0].name, loc="left", fontsize="medium")
        _finish_survival(axis, pair)
        axis.legend(fontsize="small", loc="upper right")
    return figure


def _pairs(before: list[Series], after: list[Series]) -> list[tuple[Series, Series]]:
    """Returns what both have, by name; virtual and real nanoseconds are never compared."""
    if before[0].is_virtual != after[0].is_virtual:
        raise Error(
            "one run is the twin's and the other is not: virtual nanoseconds are executed instructions, and no time",
            "compare runs of one rig",
        )
    others = {row.name: row for row in after}
    pairs = [(row, others[row.name]) for row in before if row.name in others]
    if not pairs:
        raise Error("the runs have no stage in common", f"there are: {_names(before)}; and: {_names(after)}")
    return pairs


def _survival(axis: Axes, row: Series, label: str, color: str | None = None) -> None:
    """Draws the share of samples that are later, from 1 at the minimum to the last sample's."""
    order = np.argsort(row.values_ns, kind="stable")
    values = row.values_ns[order]
    total = row.counts.sum() + row.beyond
    later = 1 - np.cumsum(row.counts[order]) / total
    share = np.concatenate(([1.0], later))
    if row.beyond == 0:
        share[-1] = 0.5 / total  # zero has no place on a logarithmic axis: half a sample
    axis.step(np.concatenate((values[:1], values)), share, where="post", label=label, color=color)


def _finish_survival(axis: Axes, rows: Iterable[Series]) -> None:
    rows = list(rows)
    axis.set_yscale("log")
    axis.set_ylabel("share that is later")
    axis.set_xlabel(_unit(rows))
    _scale(axis, rows)
    axis.grid(which="major", alpha=0.3)


def _finish(axis: Axes, row: Series, edges: np.ndarray) -> None:
    lost = f", {row.lost:,} without a value" if row.lost else ""
    axis.set_title(f"{row.name}: {row.count:,} samples{lost}", loc="left", fontsize="medium")
    _scale(axis, [row])
    axis.set_xlim(edges[0], edges[-1])
    axis.legend(fontsize="small", loc="upper right")


def _finish_figure(figure: Figure, axes: list[Axes], rows: list[Series], title: str) -> None:
    axes[-1].set_xlabel(_unit(rows))
    figure.suptitle(title, x=0.01, ha="left")


def _grid(count: int, height: float = HEIGHT) -> tuple[Picture, list[Axes]]:
    figure = Picture(figsize=(WIDTH, 0.6 + height * count), layout="constrained")
    return figure, list(figure.subplots(count, 1, squeeze=False)[:, 0])


def _edges(rows: list[Series], bins: int) -> np.ndarray:
    """Returns the edges of bins that hold all values, of shape (bins + 1,)."""
    low, high = min(row.min_ns for row in rows), max(row.max_ns for row in rows)
    if low > 0:
        # A little more on both sides: rounding must not put an extreme outside.
        return np.geomspace(low * 0.95, high * 1.05, bins + 1)
    return np.linspace(low - 1, high + 1, bins + 1)


def _scale(axis: Axes, rows: list[Series]) -> None:
    """Makes the axis of latencies logarithmic, where all are above zero."""
    if min(row.min_ns for row in rows) > 0:
        axis.set_xscale("log")
        axis.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axis.xaxis.set_minor_formatter(NullFormatter())
    axis.xaxis.set_major_formatter(lambda value, _position: _text(value))


def _unit(rows: Iterable[Series]) -> str:
    return "virtual latency: counted instructions" if all(row.is_virtual for row in rows) else "latency"


def _text(nanoseconds: float) -> str:
    """Returns a span as people read it: three digits and a unit."""
    for size, unit in (1e9, "s"), (1e6, "ms"), (1e3, "µs"):
        if abs(nanoseconds) >= size:
            return f"{nanoseconds / size:.4g} {unit}"
    return f"{nanoseconds:.4g} ns"


def _names(rows: list[Series]) -> str:
    return ", ".join(row.name for row in rows)
