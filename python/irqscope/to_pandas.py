# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Frames of Polars as frames of pandas, without pyarrow.

Polars' own `to_pandas` needs pyarrow, and makes integers with nulls floating-point numbers unless
it is asked for Arrow's types.
"""

from __future__ import annotations

import polars as pl

from .errors import Error

try:
    import pandas
except ImportError as error:
    raise Error("pandas is not installed", "pip install 'irqscope[pandas]'") from error


def to_pandas(frame: pl.DataFrame) -> pandas.DataFrame:
    """Returns the same rows and columns, integers as nullable integers, text as categories."""
    return pandas.DataFrame({column.name: _array(column) for column in frame.get_columns()})


def _array(column: pl.Series) -> pandas.api.extensions.ExtensionArray:
    if column.dtype == pl.String:
        names = column.unique().drop_nulls().sort()
        codes = column.cast(pl.Enum(names)).to_physical().cast(pl.Int32).fill_null(-1)
        return pandas.Categorical.from_codes(codes.to_numpy(), categories=names.to_list())
    missing = column.is_null().to_numpy()
    if column.dtype.is_integer():
        return pandas.arrays.IntegerArray(column.fill_null(0).to_numpy().copy(), missing.copy())
    if column.dtype.is_float():
        return pandas.arrays.FloatingArray(column.fill_null(0.0).to_numpy().copy(), missing.copy())
    return pandas.array(column.to_list())
