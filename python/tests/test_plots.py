# SPDX-License-Identifier: Apache-2.0 OR MIT
import numpy as np
import pytest

import irqscope
from irqscope import plots
from irqscope.series import series_of


def figures_of(run, stage):
    return next(row for row in run.figures().to_dicts() if row["stage"] == stage and row["view"] == "outside")


def test_a_histogram_has_all_samples_and_lines_at_the_exact_figures(run):
    picture = plots.histogram(run, stage=["irq", "user"])
    for axis, stage in zip(picture.axes, ("irq", "user"), strict=True):
        figures = figures_of(run, stage)
        assert sum(bar.get_height() for bar in axis.patches) == figures["count"]
        at = {line.get_label().split()[0]: line.get_xdata()[0] for line in axis.lines}
        assert at["max"] == figures["max_ns"]
        assert at["p50"] == figures["p50_ns"]
        # p99 of user takes more samples than there are.
        assert at.get("p99") == figures["p99_ns"]
        assert axis.get_xscale() == axis.get_yscale() == "log"
    assert figures_of(run, "irq")["p99_ns"] is not None
    assert figures_of(run, "user")["p99_ns"] is None
    assert "virtual" in picture.axes[-1].get_xlabel()
    assert picture._repr_png_().startswith(b"\x89PNG")


def test_a_histogram_has_an_axis_for_each_stage(run):
    assert len(plots.histogram(run).axes) == 10


def test_percentiles_cross_a_hundredth_at_p99_and_end_at_the_maximum(run):
    (line,) = plots.percentiles(run, stage="irq").axes[0].lines
    latency, share = line.get_data()
    figures = figures_of(run, "irq")
    # The first latency at which no more than a hundredth of the samples are later.
    assert latency[np.argmax(share <= 0.01 + 1e-12)] == figures["p99_ns"]
    assert latency[0] == figures["min_ns"] and share[0] == 1
    assert latency[-1] == figures["max_ns"] and 0 < share[-1] < 1 / figures["count"]
    assert (np.diff(share) <= 0).all() and (np.diff(latency) >= 0).all()


def test_a_comparison_has_both_runs_over_each_other(run):
    picture = plots.comparison(run, run, stage=["irq", "thread"])
    for axis in picture.axes:
        first, second = axis.lines
        assert np.array_equal(first.get_data(), second.get_data())
        assert first.get_color() != second.get_color()


def test_virtual_and_real_nanoseconds_are_not_compared(run, imported):
    with pytest.raises(irqscope.Error, match="virtual nanoseconds") as caught:
        plots.comparison(run, imported)
    assert "one rig" in caught.value.remedy


def test_overflows_of_a_histogram_are_counted_and_the_maximum_is_the_tools(imported):
    rows = series_of(imported, None, None, None)
    assert [row.max_ns for row in rows] == imported.benchmark_figures()["max_ns"].to_list()
    picture = plots.histogram(imported)
    for axis, row in zip(picture.axes, rows, strict=True):
        assert sum(bar.get_height() for bar in axis.patches) == row.count
        assert f"{row.beyond} without a value" in axis.get_title(loc="left")
        assert "virtual" not in axis.get_xlabel()
    for line, row in zip(plots.percentiles(imported).axes[0].lines, rows, strict=True):
        assert line.get_ydata()[-1] == pytest.approx(row.beyond / (row.count + row.beyond))
