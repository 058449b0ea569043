# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: every benchmark runs on a stock and on an RT kernel in the twin, and two runs
# give the same samples and figures to the byte; of three threads the highest waits
# for the middle one's work without priority inheritance, also where that work has
# no end of its own, and with it for the lowest one's critical section alone.
# Runs: beside others
. tests/lib/lib.sh

# The bundled benchmarks, fewer of each.
sed -e 's/^states = .*/states = ["idle"]/' -e '/^\[state.load\]/,/^$/d' \
	-e 's/^count = .*/count = 40/' -e '/^\[bench.inversion\]/,/^$/s/^count = .*/count = 5/' \
	-e 's/^duration = .*/duration = "20ms"/' scenarios/rt-benchmarks.toml >"$WORK/small.toml"
for run in a b; do
	expect 0 "$IRQSCOPE" run "$WORK/small.toml" --out "$WORK/$run"
done
cmp "$WORK/a/bench.parquet" "$WORK/b/bench.parquet"
cmp "$WORK/a/summary.json" "$WORK/b/summary.json"

target/venv/bin/python "$TESTS/60-three-threads.py" "$WORK/a"
