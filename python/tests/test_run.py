# SPDX-License-Identifier: Apache-2.0 OR MIT
import json
import math
import shutil

import polars as pl
import pytest

import irqscope
from irqscope.run import FLAGS


def test_quantiles_from_the_samples_are_those_of_the_summary(run):
    """All of them, and null where the summary has null."""
    computed = {(row["case"], row["stage"], row["view"]): row for row in run.quantiles().to_dicts()}
    given = 0
    for case in run.summary["cases"]:
        for stage in case["stages"]:
            row = computed.pop((case["case"], stage["stage"], stage["view"]))
            for name in ("count", *irqscope.quantiles.SHARES):
                assert row[name] == stage[name], (stage["stage"], stage["view"], name)
                given += stage[name] is not None
    assert not computed
    # Count, p5, p50 and p95 of ten stages in both views, and p99 of irq.
    assert given >= 82


def test_extremes_and_moments_are_those_of_the_summary(run):
    for figures in run.figures().to_dicts():
        values = run.latencies(figures["stage"], view=figures["view"])
        assert values.dtype == pl.Int64
        assert (values.min(), values.max()) == (figures["min_ns"], figures["max_ns"])
        assert math.isclose(values.mean(), figures["mean_ns"], rel_tol=1e-12)
        assert math.isclose(values.std(), figures["stddev_ns"], rel_tol=1e-9)


def test_pandas_has_the_same_samples_with_integers(run):
    frame = run.pandas(stage=["irq", "user"])
    polars = run.samples(stage=["irq", "user"])
    assert list(frame.columns) == polars.columns
    assert len(frame) == len(polars) > 0
    assert str(frame["latency_ns"].dtype) == "Int64"
    # Never measured here: all are null, and stay integers.
    assert frame["execution_ns"].isna().all() and str(frame["execution_ns"].dtype) == "Int64"
    for column in polars.columns:
        assert [None if value is None else value for value in polars[column]] == [
            None if missing else value for value, missing in zip(frame[column], frame[column].isna(), strict=True)
        ]


def test_missing_text_and_numbers_stay_missing_in_pandas():
    from irqscope.to_pandas import to_pandas

    frame = to_pandas(pl.DataFrame({"n": [1, None], "x": [None, 0.5], "t": ["b", None], "f": [True, False]}))
    assert frame["n"].isna().tolist() == [False, True] and frame["n"][0] == 1
    assert frame["x"].isna().tolist() == [True, False] and frame["x"][1] == 0.5
    assert frame["t"].isna().tolist() == [False, True] and frame["t"][0] == "b"
    assert frame["f"].tolist() == [True, False]


def test_segments_of_a_latency_add_up_to_it(run):
    segments = run.interference(stage="user", view="outside")
    sums = segments.group_by("seq").agg(pl.col("length_ns").sum())
    joined = run.samples(stage="user", view="outside").join(sums, on="seq")
    assert len(joined) == segments["seq"].n_unique() > 0
    assert (joined["length_ns"] == joined["latency_ns"]).all()


def test_flags_are_named(run):
    hit = run.samples(stage="user", view="outside").filter(pl.col("flags") & FLAGS["hit"] != 0)
    figures = run.figures().filter((pl.col("stage") == "user") & (pl.col("view") == "outside"))
    assert len(hit) == figures["hit"].item()


def test_a_histogram_of_another_tool_has_counts(imported):
    rows = imported.bench()
    figures = imported.benchmark_figures()
    assert rows["count"].sum() == figures["count"].sum() > 0
    assert rows["at_ns"].is_null().all()
    for row in figures.to_dicts():
        part = rows.filter(pl.col("series") == row["series"])
        beyond = row["beyond"]["count"]
        assert beyond > 0
        for name, share in irqscope.quantiles.SHARES.items():
            assert irqscope.quantile(part["value_ns"], share, part["count"], beyond=beyond) == row[name]


def test_a_name_that_is_not_there_is_an_error_with_those_that_are(run):
    for ask in (
        lambda: run.samples(stage="usr"),
        lambda: run.latencies("usr"),
        lambda: irqscope.plots.histogram(run, stage="usr"),
    ):
        with pytest.raises(irqscope.Error, match="no stage 'usr'") as caught:
            ask()
        assert "user" in caught.value.remedy
    with pytest.raises(irqscope.Error, match="no case '6.1/idel'") as caught:
        run.samples(case="6.1/idel")
    assert caught.value.remedy == "there are: 6.1/idle"


def test_what_is_no_run_is_an_error_with_a_remedy(run, imported, tmp_path):
    with pytest.raises(irqscope.NotARun, match="no manifest.json"):
        irqscope.Run(tmp_path)
    with pytest.raises(irqscope.NotARun, match="no interference.parquet") as caught:
        imported.interference()
    assert "explain=True" in caught.value.remedy
    for name in "manifest.json", "summary.json":
        shutil.copy(run.path / name, tmp_path)
    (tmp_path / "summary.json").write_text(json.dumps(run.summary | {"version": 99}))
    with pytest.raises(irqscope.NotARun, match="version 99") as caught:
        _ = irqscope.Run(tmp_path).digest
    assert "irqscope report" in caught.value.remedy
    (tmp_path / "summary.json").write_text('{"version": 3, ')
    with pytest.raises(irqscope.NotARun, match="damaged"):
        _ = irqscope.Run(tmp_path).digest
    (tmp_path / "summary.json").unlink()
    with pytest.raises(irqscope.NotARun, match="has no summary.json"):
        _ = irqscope.Run(tmp_path).cases
