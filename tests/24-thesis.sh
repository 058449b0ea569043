# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: the thesis from end to end: its generator's settings (1 kHz, 25 % duty, 16
# samples a packet) reach the generator, every stage of a loaded target answers,
# every trigger is accounted for in both views, and the run directory has it all.
# Runs: beside others
. tests/lib/lib.sh

# The bundled scenario with fewer triggers.
sed 's/^count = .*/count = 1_000/' scenarios/thesis.toml >"$WORK/thesis.toml"
grep -q '^count = 1_000' "$WORK/thesis.toml" || fail "the scenario has no count"
expect 0 "$IRQSCOPE" run "$WORK/thesis.toml" --wide --out "$WORK/run"
says "(generator twin)"
for file in manifest.json run.log samples.parquet summary.json report.html; do
	[ -s "$WORK/run/$file" ] || fail "no $file"
done

target/venv/bin/python - "$WORK/run" <<'PY'
import duckdb, json, sys
run = sys.argv[1]
manifest = json.load(open(f"{run}/manifest.json"))
summary = json.load(open(f"{run}/summary.json"))
assert manifest["complete"]
assert len(summary["cases"]) == 2
packets = [case["plan"]["work"]["stages"]["outside"]["settings"]["packet"] for case in manifest["cases"]]
assert packets == [16, 16], packets
for case in summary["cases"]:
    outside = case["outside"]
    assert case["identity_holds"], case["case"]
    assert case["triggers"] == outside["triggers"] == 1000, outside
    assert (outside["period_ns"], outside["high_ns"]) == (1_000_000, 250_000), outside
    # work_bh is 6.9's; these kernels have the ten others.
    stages = {stage["stage"] for stage in case["stages"] if stage["view"] == "outside"}
    assert len(stages) == 10, stages
    assert outside["edges"] == outside["answers"] + outside["extra"] and not outside["dropped"]
samples = f"'{run}/samples.parquet'"
gaps, = duckdb.sql(f"""
    SELECT count(*) FILTER (step <> 1000000) FROM
        (SELECT trigger_ns - lag(trigger_ns) OVER (PARTITION BY "case" ORDER BY seq) AS step
         FROM (SELECT DISTINCT "case", seq, trigger_ns FROM {samples} WHERE "view" = 'outside'))
    WHERE step IS NOT NULL""").fetchone()
assert gaps == 0, f"{gaps} triggers are not 1 ms after the one before"
PY
