# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: a sweep finds the same knee twice, between its first step and its last;
# every trigger of every step is accounted for, the hopeless ones too; and all of
# it can be derived again from the run directory.
# Runs: beside others
. tests/lib/lib.sh

sweep() { # OUT ARGUMENTS
	expect 0 "$IRQSCOPE" sweep knee --kernel 6.1 --count 300 --from 4kHz --to 64kHz \
		--steps-per-octave 1 --out "$WORK/$1" "${@:2}"
}

sweep a
says "knee: the highest frequency"
says "5 steps, triggers 1,500 ="
sed -n '/^stage/,/^6.1/p' "$WORK/said" >"$WORK/table"
sweep b --json --jobs 1
cmp "$WORK/a/sweep.json" "$WORK/b/sweep.json"
cmp "$WORK/a/samples.parquet" "$WORK/b/samples.parquet"
sed -n '/^{/,/^}/p' "$WORK/said" | cmp - "$WORK/b/sweep.json"

python3 - "$WORK/a" <<'PY'
import json, sys
sweep, summary = (json.load(open(f"{sys.argv[1]}/{name}.json")) for name in ("sweep", "summary"))
assert sweep["digest"] == summary["digest"]
for case in summary["cases"]:
    assert case["identity_holds"] and case["triggers"] == 300, case["case"]
    assert case["outside"]["extra"] == case["outside"]["unsure"] == 0, case["case"]
series = {s["stage"]: s for s in sweep["series"]}
assert len(series) == 10 and {s["view"] for s in sweep["series"]} == {"outside"}
for stage, one in series.items():
    points = one["points"]
    assert [p["frequency_hz"] for p in points] == [4e3, 8e3, 16e3, 32e3, 64e3], stage
    for p in points:
        assert p["count"] + p["coalesced"] + p["missing"] == p["triggers"] == 300, (stage, p)
        assert p["keeps_up"] == (p["count"] == 300), (stage, p)
    print(stage, one["knee"])
# The handler takes a few microseconds at most, a workqueue some ten.
assert series["irq"]["knee"] == {"kind": "beyond", "frequency_hz": 64e3}
for stage in ("softirq", "tasklet", "work", "thread"):
    knee = series[stage]["knee"]
    # Neither the first step nor the last: both sides of it were measured.
    assert knee["kind"] == "at" and 4e3 < knee["frequency_hz"] < 64e3, (stage, knee)
    assert knee["ratio"] == 2, knee
PY

rm -r "$WORK/a/sweep.json" "$WORK/a/summary.json" "$WORK/a/report.html" "$WORK/a/figures"
expect 0 "$IRQSCOPE" report "$WORK/a"
sed -n '/^stage/,/^6.1/p' "$WORK/said" | cmp - "$WORK/table"
cmp "$WORK/a/sweep.json" "$WORK/b/sweep.json"
for name in sweep sweep-softirq sweep-user; do
	[ -s "$WORK/a/figures/$name.svg" ] && [ -s "$WORK/a/figures/$name.png" ] || fail "no figure $name"
	cmp "$WORK/a/figures/$name.svg" "$WORK/b/figures/$name.svg"
done
grep -q 'The highest trigger frequency kept up with' "$WORK/a/report.html" || fail "not in the report"

# Nothing is begun where there is no sweep.
cd "$WORK"
expect 2 "$IRQSCOPE" sweep knee --from 2kHz --to 1kHz --out none
says "2kHz does not lie below 1kHz"
expect 2 "$IRQSCOPE" sweep knee --from 0Hz --out none
says "which 0mHz does not"
expect 2 "$IRQSCOPE" sweep knee --to 1MHz --out none
says "to 100kHz, which 1000kHz does not"
expect 2 "$IRQSCOPE" sweep knee --to fast --out none
says "1kHz"
expect 2 "$IRQSCOPE" sweep knee --steps-per-octave 0 --out none
expect 2 "$IRQSCOPE" sweep knee --count 0 --out none
says "count is 1 to"
expect 2 "$IRQSCOPE" sweep intspect --out none
says "a sweep needs the view from outside"
[ ! -e none ] || fail "something was begun"
