# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: sixteen writers put the same runs into a lake at once, and each run is there once; a writer
# that is killed leaves nothing to be seen; quantiles over all runs from digests hold the exact ones
# within the error that they state; DuckDB, DataFusion and Polars read the same, from a directory and
# from an object store. In make soak ClickHouse and a cluster of Spark do, too.
# Runs: beside others, early
. tests/lib/lib.sh

for seed in 1 2 3 4; do
	expect 0 "$IRQSCOPE" run demo --kernel 6.1 --state load --stage irq --stage user --count 1200 \
		--seed $seed --no-report --out "$WORK/run-$seed"
done
(cd python && PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$PWD ../target/venv/bin/python "$TESTS/69-lake.py" "$WORK")
if in_soak "ClickHouse and a cluster of Spark"; then
	[ -x target/engines/bin/python ] || fail "make soak installs them: scripts/bootstrap --release"
	target/engines/bin/python "$TESTS/69-engines.py" "$WORK/race" "$WORK" "${XDG_CACHE_HOME:-$HOME/.cache}/irqscope-build"
fi
