# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: the hunt finds a load that a scenario brings among others that delay less, writes it as a scenario of
# at most 20 lines, which gives the same latency to the nanosecond; each culprit that it lists is repeated by
# its scenario, likewise; the third latest response is searched for likewise; the same seed searches in the same way; a load that cannot run is named; what cannot be searched is refused.
# Runs: beside others, early
. tests/lib/lib.sh

cat >"$WORK/own.toml" <<'TOML'
version = 1
about = "Two loads, one of which cannot run"
kernels = ["6.1"]
states = ["given"]
state.given = { loads = ["nothing"] }
load.nothing = { command = "no-such-program" }
trigger = { kind = "line", period = "1ms" }
TOML

hunt() { # OUT OPTION...
	local out=$1
	shift
	expect 0 "$IRQSCOPE" hunt "$WORK/own.toml" --stage user --count 60 --source exec --source busy \
		--source nothing --candidates 5 --json --out "$WORK/$out" "$@"
	sed -n '/^{/,$p' "$WORK/said" >"$WORK/$out.json"
}

hunt one --jobs 2
hunt other --jobs 1
python3 - "$WORK" <<'PY'
import json, sys
one, other = (json.load(open(f"{sys.argv[1]}/{name}.json")) for name in ("one", "other"))
for key in ("latency_ns", "next_ns", "longer_than_half", "answered", "measured", "failures", "failed", "functions", "functions_met", "culprits"):
    assert one[key] == other[key], f"{key}: {one[key]} and {other[key]}"
print(one["latency_ns"], one["measured"], one["failures"], one["functions"])
assert [name for name, _ in one["failed"]] == ["nothing"], one["failed"]
assert "no-such-program" in one["failed"][0][1], one["failed"]
assert one["functions"], "no path"
text = open(f"{sys.argv[1]}/one.toml").read()
assert "exec" in text, "the busier load is not part of what was found"
assert len(text.splitlines()) <= 20, text
culprits = one["culprits"]
print(one["functions_met"], [(each["culprit"], each["latency_ns"], each["loads"]) for each in culprits])
assert len(culprits) >= 2 and one["functions_met"] >= 2, "the search saw no culprits"
latencies = [each["latency_ns"] for each in culprits]
assert latencies == sorted(latencies, reverse=True), latencies
open(f"{sys.argv[1]}/culprit.toml", "w").write(culprits[1]["scenario"])
json.dump(culprits[1], open(f"{sys.argv[1]}/culprit.json", "w"))
PY
cmp "$WORK/one/samples.parquet" "$WORK/other/samples.parquet" || fail "two searches end with other samples"
expect 0 "$IRQSCOPE" run "$WORK/one.toml" --out "$WORK/again" --no-report
cmp "$WORK/again/samples.parquet" "$WORK/one/samples.parquet" || fail "the scenario gives other samples"
target/venv/bin/python - "$WORK" <<'PY'
import json, sys
import duckdb
one = json.load(open(f"{sys.argv[1]}/one.json"))
latencies = [latency for (latency,) in duckdb.sql(f"""
    SELECT latency_ns FROM '{sys.argv[1]}/one/samples.parquet'
    WHERE view = 'outside' AND latency_ns IS NOT NULL ORDER BY 1 DESC""").fetchall()]
seen = (one["answered"], one["longer_than_half"], one["next_ns"])
assert seen == (len(latencies), sum(each > latencies[0] // 2 for each in latencies), latencies[1]), (seen, latencies[:5])
PY
holds "$WORK/again/summary.json" \
	"[s['max_ns'] for s in c['stages'] if s['view'] == 'outside'] == [$(field "$WORK/one.json" "j['latency_ns']")]" \
	"the scenario has another latency"

# The second culprit holds up one response by as much, and is in what that one waited for.
expect 0 "$IRQSCOPE" run "$WORK/culprit.toml" --out "$WORK/culprit" --no-report
target/venv/bin/python - "$WORK" <<'PY'
import json, sys
import duckdb
run, culprit = f"{sys.argv[1]}/culprit", json.load(open(f"{sys.argv[1]}/culprit.json"))
waited = duckdb.sql(f"""
    SELECT DISTINCT cause || if(name = '', '', ': ' || name) || if(detail = '', '', ' (' || detail || ')')
    FROM '{run}/interference.parquet' JOIN '{run}/samples.parquet' USING (seq, stage)
    WHERE samples.view = 'outside' AND latency_ns = {culprit['latency_ns']}""").fetchall()
waited = [name for (name,) in waited]
assert culprit["culprit"] in waited, (culprit, waited)
PY

# A load with files is found from wherever the scenario lies, and a name may have a dot.
mkdir "$WORK/brought"
echo 'int main(void) { for (;;) getppid(); }' | gcc -static -w -include unistd.h -x c -o "$WORK/brought/hammer" -
cat >"$WORK/brought/own.toml" <<'TOML'
version = 1
about = "A load with a file"
kernels = ["6.1"]
states = ["given"]
state.given = { loads = ["hammer"] }
load.hammer = { command = "./hammer", files = ["hammer"] }
trigger = { kind = "line", period = "1ms" }
TOML
expect 0 "$IRQSCOPE" hunt "$WORK/brought/own.toml" --count 20 --source hammer --candidates 2 --out "$WORK/brought.d"
expect 0 "$IRQSCOPE" run "$WORK/brought.d.toml" --allow-commands --out "$WORK/brought.again" --no-report
cmp "$WORK/brought.d/samples.parquet" "$WORK/brought.again/samples.parquet" || fail "another place gives other samples"

# Delays of fewer than three responses do not count.
hunt third --nth 3
target/venv/bin/python - "$WORK" <<'PY'
import json, sys
import duckdb
third, one = (json.load(open(f"{sys.argv[1]}/{name}.json")) for name in ("third", "one"))
latest = duckdb.sql(f"""
    SELECT latency_ns, seq FROM '{sys.argv[1]}/third/samples.parquet'
    WHERE view = 'outside' AND latency_ns IS NOT NULL ORDER BY ALL DESC LIMIT 3""").fetchall()
assert latest[2] == (third["latency_ns"], third["seq"]), (latest, third["latency_ns"], third["seq"])
assert third["latency_ns"] <= one["latency_ns"], (third["latency_ns"], one["latency_ns"])
PY

# Without a record there are as many mixtures, and no culprit.
hunt unguided --unguided
holds "$WORK/unguided.json" "j['measured'] == $(field "$WORK/one.json" "j['measured']") and j['latency_ns'] > 0" \
	"another number of mixtures"
holds "$WORK/unguided.json" "j['culprits'] == [] and j['functions_met'] == 0" "culprits without a record"

expect 2 "$IRQSCOPE" hunt "$WORK/own.toml" --source exec --out "$WORK/one"
says "choose another --out"
expect 2 "$IRQSCOPE" hunt demo --stage user
says "choose by --kernel"
expect 2 "$IRQSCOPE" hunt demo --kernel 6.1 --source rain
says "there is no load rain"
expect 2 "$IRQSCOPE" hunt demo --kernel 6.1 --rig local
says "twin"
expect 4 "$IRQSCOPE" hunt "$WORK/own.toml" --source nothing --candidates 1 --search-seed 2 --budget 1m --out "$WORK/none"
says "no-such-program"
