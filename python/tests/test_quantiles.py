# SPDX-License-Identifier: Apache-2.0 OR MIT
import random

import polars as pl
import pytest

from irqscope.quantiles import quantile, takes


def by_definition(values, numerator, denominator):
    """Returns the smallest value that at least this share of all values does not exceed."""
    values = sorted(values)
    return next(v for i, v in enumerate(values, 1) if i * denominator >= numerator * len(values))


def test_a_quantile_is_the_smallest_value_that_its_share_does_not_exceed():
    draw = random.Random(7)
    for length in [1, 2, 3, 10, 99, 100, 101, 1000]:
        values = [draw.randrange(1, 50) for _ in range(length)]
        for text, numerator, denominator in [("0.05", 1, 20), ("0.5", 1, 2), ("0.99", 99, 100), ("0.999", 999, 1000)]:
            want = by_definition(values, numerator, denominator)
            assert quantile(pl.Series(values), text, few=True) == want
            assert quantile(pl.Series(values), float(text), few=True) == want


def test_values_with_counts_are_values_repeated():
    values, counts = [30, 10, 20], [5, 7, 1000]
    repeated = pl.Series([v for v, n in zip(values, counts, strict=True) for _ in range(n)])
    for share in 0.001, 0.5, 0.99, 0.999:
        assert quantile(pl.Series(values), share, pl.Series(counts), few=True) == quantile(repeated, share, few=True)


def test_a_quantile_takes_ten_samples_beyond_it():
    assert [takes(share) for share in (0.5, 0.05, 0.95, 0.99, "0.999")] == [20, 200, 200, 1000, 10_000]
    assert quantile(pl.Series(range(999)), 0.99) is None
    assert quantile(pl.Series(range(1000)), 0.99) == 989
    assert quantile(pl.Series([], dtype=pl.Int64), 0.5, few=True) is None


def test_samples_beyond_a_histogram_count_and_have_no_value():
    values = pl.Series(range(1, 981))
    assert quantile(values, 0.5, beyond=20) == 500
    assert quantile(values, 0.99, beyond=20) is None


def test_a_null_is_no_sample():
    assert quantile(pl.Series([1, None, 2, None, 3]), 0.5, few=True) == 2


def test_a_share_lies_between_0_and_1():
    for share in 0, 1, 99:
        with pytest.raises(ValueError, match="p99 is 0.99"):
            quantile(pl.Series([1]), share)
