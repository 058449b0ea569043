# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: DuckDB reads samples.parquet and, knowing nothing of irqscope, computes
# the figures of summary.json to the digit.
# Runs: beside others
. tests/lib/lib.sh

expect 0 "$IRQSCOPE" run "$TESTS/scenarios/quick.toml" --kernel 6.1 --out "$WORK/run"
target/venv/bin/python "$TESTS/12-duckdb.py" "$WORK/run"
