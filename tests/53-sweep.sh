# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: a sweep finds the same knee twice, between its first step and its last;
# every trigger of every step is accounted for, the hopeless ones too; and all of
# it can be derived again from the run directory.
# Runs: beside others
. tests/lib/lib.sh

sweep() { # OUT ARGUMENTS
	expect 0 "$IRQSCOPE" sweep knee --kernel 6.1 --stage irq --stage softirq --stage work --count 300 \
		--from 50kHz --to 100kHz --steps-per-octave 1 --out "$WORK/$1" "${@:2}"
}

sweep a
says "knee: the highest frequency"
says "6 steps, triggers 1,800 ="
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
assert list(series) == ["irq", "softirq", "work"] and {s["view"] for s in sweep["series"]} == {"outside"}
for stage, one in series.items():
    points = one["points"]
    assert [p["frequency_hz"] for p in points] == [5e4, 1e5], stage
    for p in points:
        assert p["case"].startswith(f"6.1/idle/{stage}/"), p
        assert p["count"] + p["coalesced"] + p["missing"] == p["triggers"] == 300, (stage, p)
        assert p["keeps_up"] == (p["count"] == 300), (stage, p)
    print(stage, one["knee"])
# Each stage by itself: the handler and the softirq take a few microseconds, a workqueue some ten.
for stage in ("irq", "softirq"):
    assert series[stage]["knee"] == {"kind": "beyond", "frequency_hz": 1e5}, stage
# Neither the first step nor the last: both sides of it were measured.
assert series["work"]["knee"] == {"kind": "at", "frequency_hz": 5e4, "next_hz": 1e5, "ratio": 2}
PY

rm -r "$WORK/a/sweep.json" "$WORK/a/summary.json" "$WORK/a/report.html" "$WORK/a/figures"
expect 0 "$IRQSCOPE" report "$WORK/a"
sed -n '/^stage/,/^6.1/p' "$WORK/said" | cmp - "$WORK/table"
cmp "$WORK/a/sweep.json" "$WORK/b/sweep.json"
for name in sweep sweep-softirq sweep-work; do
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
