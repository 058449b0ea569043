# SPDX-License-Identifier: Apache-2.0 OR MIT
import random

import polars as pl
import pytest

from irqscope.buckets import DIGITS, RELATIVE_ERROR, WORST, bucket, digest, estimate
from irqscope.quantiles import quantile


def test_values_of_a_bucket_share_their_eight_highest_digits():
    draw = random.Random(3)
    values = [*range(2000), *(draw.randrange(1 << 62) for _ in range(2000)), (1 << 62) - 1, 1 << 40]
    values += [-value for value in values]
    got = pl.DataFrame({"v": values}).select(bucket(pl.col("v")))["v"].to_list()
    for value, low in zip(values, got, strict=True):
        shift = max(0, abs(value).bit_length() - DIGITS)
        want = abs(value) >> shift << shift
        assert low == (want if value > 0 else -want)
        assert abs(value - low) <= abs(low) / 2 ** (DIGITS - 1)


def drawn(seed, count):
    draw = random.Random(seed)
    return [int(draw.paretovariate(1.3) * 700) for _ in range(count)] + [None] * seed


def test_sums_of_digests_are_digests_of_sums_and_hold_the_quantiles():
    parts = [drawn(seed, 3000 + seed) for seed in range(1, 6)]
    frames = [pl.LazyFrame({"s": "user", "v": part}) for part in parts]
    by = ["s", "low_ns"]
    summed = pl.concat([digest(frame, ["s"], "v") for frame in frames])
    summed = summed.group_by(by).agg(pl.col("count").sum(), pl.col("min_ns").min(), pl.col("max_ns").max()).collect()
    of_all = digest(pl.concat(frames), ["s"], "v").collect()
    assert summed.sort(by).equals(of_all.sort(by).select(summed.columns))
    assert summed.filter(pl.col("low_ns").is_null())["count"].item() == 1 + 2 + 3 + 4 + 5
    values = pl.Series([value for part in parts for value in part if value is not None])
    worst = pl.concat([pl.Series(part, dtype=pl.Int64).drop_nulls().top_k(WORST) for part in parts])
    exact, estimated = 0, 0
    for per_mille in range(5, 1000, 5):
        low, high = estimate(summed, worst, f"0.{per_mille:03}")
        true = quantile(values, f"0.{per_mille:03}")
        assert low <= true <= high
        assert (high - low) / 2 <= RELATIVE_ERROR * low
        if len(values) - per_mille * len(values) // 1000 < WORST:
            assert low == high
        exact, estimated = exact + (low == high), estimated + (low != high)
    # Both ways were taken.
    assert exact > 10 and estimated > 10


@pytest.mark.parametrize("count", [0, 999, 1000])
def test_a_quantile_of_too_few_samples_is_not_given(count):
    values = list(range(count))
    buckets = digest(pl.LazyFrame({"v": pl.Series(values, dtype=pl.Int64)}), [], "v").collect() if count else None
    buckets = (
        buckets if count else pl.DataFrame(schema={name: pl.Int64 for name in ("low_ns", "count", "min_ns", "max_ns")})
    )
    assert (estimate(buckets, pl.Series(values, dtype=pl.Int64), 0.99) is None) == (count < 1000)
