# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: with exponential jitter the time from trigger to trigger is the period and more, by times
# of the mean that was asked for and up to several times as long; the same seed gives the same
# instants, and another one others, whether a file or options set them.
# Runs: beside others
. tests/lib/lib.sh

# By the file, and twice by options that set the same keys.
sed -e 's/^count = .*/count = 400/' \
	-e 's/^period = .*/period = "5ms"\njitter = "exponential"\njitter-amount = "400us"\nseed = 1/' \
	"$TESTS/scenarios/few.toml" >"$WORK/a.toml"
expect 0 "$IRQSCOPE" run "$WORK/a.toml" --out "$WORK/a"
for run in "b 1" "c 2"; do
	read -r name seed <<<"$run"
	expect 0 "$IRQSCOPE" run "$TESTS/scenarios/few.toml" --out "$WORK/$name" --count 400 --seed $seed \
		--state idle --stage irq --stage softirq --set trigger.period=5ms \
		--set trigger.jitter=exponential --set trigger.jitter-amount=400us
done
cmp "$WORK/a/samples.parquet" "$WORK/b/samples.parquet" || fail "the same seed gives other samples"

target/venv/bin/python - "$WORK" <<'PY'
import duckdb, sys
PERIOD, MEAN, COUNT = 5_000_000, 400_000, 400


def longer(name):
    """By how much the steps from trigger to trigger are longer than the period."""
    instants = [row[0] for row in duckdb.sql(f"""
        SELECT DISTINCT trigger_ns FROM '{sys.argv[1]}/{name}/samples.parquet'
        WHERE "view" = 'outside' ORDER BY 1""").fetchall()]
    assert len(instants) == COUNT, len(instants)
    return [after - before - PERIOD for before, after in zip(instants, instants[1:])]


a, c = longer("a"), longer("c")
assert a != c, "another seed gives the same instants"
for steps in a, c:
    mean = sum(steps) / len(steps)
    # The standard error of the mean of 399 is a twentieth of it; e^-1 of them are longer.
    above = sum(step > MEAN for step in steps) / len(steps)
    print(f"mean {mean:.0f} ns, {100 * above:.0f} % above the mean asked for, {min(steps)} to {max(steps)} ns")
    assert 0.8 * MEAN < mean < 1.2 * MEAN and 0.28 < above < 0.46, (mean, above)
    assert 0 <= min(steps) < 0.05 * MEAN and 3 * MEAN < max(steps) < 12 * MEAN, (min(steps), max(steps))
PY
