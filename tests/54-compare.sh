# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: two kernels are compared repeatably in the twin, and what was not measured alike
# is named; real measurements get intervals and a test with their methods; a tail
# is estimated or refused with a reason; wrong input says what would be right.
# Runs: beside others
. tests/lib/lib.sh

scenario() { # FILE COUNT LINES
	cat >"$1" <<-TOML
		version = 1
		about = "Two kernels"
		kernels = ["6.1", "6.1-rt"]
		states = ["idle"]
		stages = ["irq", "user"]
		$3
		[trigger]
		kind = "line"
		frequency = "1kHz"
		jitter = "uniform"
		jitter-amount = "500us"
		count = $2
	TOML
}
scenario "$WORK/one.toml" 300 ""
scenario "$WORK/two.toml" 200 $'[priority]\nuser = "fifo 70"'
sed -i "s/, \"6.1-rt\"//" "$WORK/two.toml"
expect 0 "$IRQSCOPE" run "$WORK/one.toml" --out "$WORK/one"
expect 0 "$IRQSCOPE" run "$WORK/two.toml" --out "$WORK/two"

# Kernel against kernel: exact, with figures that are those of the summary.
expect 0 "$IRQSCOPE" compare "$WORK/one" --json
cp "$WORK/said" "$WORK/kernels.json"
python3 - "$WORK/kernels.json" "$WORK/one/summary.json" <<'PY'
import json, sys
(comparison,), summary = (json.load(open(name)) for name in sys.argv[1:])
assert comparison["exact"] and comparison["interval_method"] is None
assert [d["what"] for d in comparison["differences"]] == ["kernel", "preemption"], comparison["differences"]
base, other = ({s["stage"]: s for s in case["stages"] if s["view"] == "outside"} for case in summary["cases"])
assert len(comparison["series"]) == 2
for series in comparison["series"]:
    stage = series["series"].split()[0]
    for shift in series["shifts"]:
        name = {0.5: "p50_ns", 0.99: "p99_ns", 0.999: "p99_9_ns", 1: "max_ns"}.get(shift["quantile"])
        sides = [one[stage][name] if name else None for one in (base, other)]
        if None not in sides:
            assert shift["difference_ns"] == sides[1] - sides[0], (stage, shift)
        # Of 300 samples there is no p99.
        assert (shift["base_ns"] is None) == (0.99 <= shift["quantile"] < 1), shift
        assert (shift["needed"] is None) == (shift["base_ns"] is not None), shift
        assert shift["interval"] is None and series["test"] is None
PY
expect 0 "$IRQSCOPE" compare "$WORK/one" --at p50,p99 --stage user
says "user (outside): p99: too few samples; it takes 1,000"
expect 0 "$IRQSCOPE" compare "$WORK/one" --at p50 --stage user
says "repeatable: the twin gives these samples again"
grep -qE '^p50: other is (later|earlier) in 1 of 1; the most: user \(outside\), [+-][0-9.]+' "$WORK/said" || fail "no sentence"
says "not a hardware latency"

# A run against itself is the same, sample by sample.
expect 0 "$IRQSCOPE" compare "$WORK/one" "$WORK/one"
[ "$(grep -c "identical, sample by sample" "$WORK/said")" = 4 ] || fail "not identical with itself"
says "Both sides have the same samples."

# Settings that were not alike are named, and only those.
expect 0 "$IRQSCOPE" compare "$WORK/one#6.1/idle" "$WORK/two#6.1/idle"
says "warning: scheduling of user differs: fifo 80 | fifo 70"
says "triggers asked for: 300 | 200"
[ "$(grep -c "^warning:" "$WORK/said")" = 1 ] || fail "warns of more than the priority"

# Another seed, and another build of the agent, are named.
expect 0 "$IRQSCOPE" run "$WORK/two.toml" --seed 2 --out "$WORK/seed"
cp -r "$WORK/seed" "$WORK/build"
sed -i 's/"irqscope-agent": "[0-9a-f]*"/"irqscope-agent": "0123456789ab"/' "$WORK/build/manifest.json"
expect 0 "$IRQSCOPE" compare "$WORK/two" "$WORK/build"
says "warning: seed differs: "
says "warning: irqscope's agent differs: "
expect 0 "$IRQSCOPE" compare "$WORK/two" "$WORK/two"
[ "$(grep -c "^warning:" "$WORK/said")" = 0 ] || fail "warns of one build"

# A page with pictures, never over another one.
expect 0 "$IRQSCOPE" compare "$WORK/one" --out "$WORK/page"
for file in compare.html compare.json figures/shift-user-outside.svg figures/tail-user-outside.png \
	figures/cumulative-irq-outside.svg; do
	[ -s "$WORK/page/$file" ] || fail "no $file"
done
grep -q "All stages of all cases" "$WORK/page/compare.html" || fail "no overview of all series"
expect 2 "$IRQSCOPE" compare "$WORK/one" --out "$WORK/page"
says "exists already"

# Real measurements: intervals, a test, their methods.
for run in a b; do
	expect 0 "$IRQSCOPE" bench gtod sched -l 3000 -i 200us --out "$WORK/$run"
done
expect 0 "$IRQSCOPE" compare "$WORK/a" "$WORK/b" --json
python3 - "$WORK/said" <<'PY'
import json, sys
(comparison,) = json.load(open(sys.argv[1]))
assert not comparison["exact"] and "MOVER" in comparison["interval_method"]
assert len(comparison["series"]) >= 2
for series in comparison["series"]:
    assert 0 < series["test"]["p"] <= 1 if series["test"] else series["test_needs"] > 0, series
    for shift in series["shifts"]:
        limits = shift["interval"]
        assert limits or shift["needed"], shift
        assert not limits or limits["low_ns"] <= limits["estimate_ns"] <= limits["high_ns"], shift
PY
expect 2 "$IRQSCOPE" compare "$WORK/one" "$WORK/a#$(field "$WORK/a/manifest.json" "j['cases'][0]['case']")"
says "cannot be compared"

# A tail or the reason why not; which one depends on the machine.
status=0
"$IRQSCOPE" tail "$WORK/a" >"$WORK/said" || status=$?
[ $status = 0 ] || [ $status = 4 ] || fail "tail ended with $status"
grep -qE "exceeded once in|no tail: " "$WORK/said" || fail "neither a tail nor a reason"
expect 4 "$IRQSCOPE" tail "$WORK/one"
says "300 samples are too few"

expect 2 "$IRQSCOPE" compare "$WORK/one#6.2/idle" "$WORK/two"
says "there are: 6.1/idle, 6.1-rt/idle"
expect 2 "$IRQSCOPE" compare "$WORK/one#6.1/idle"
says "nothing to compare it with"
expect 2 "$IRQSCOPE" compare "$WORK/nowhere" "$WORK/one"
says "not a run directory"
expect 2 "$IRQSCOPE" compare "$WORK/one" --stage work
says "measure nothing in common"
expect 2 "$IRQSCOPE" compare "$WORK/one" --at p100.5
says "p99.9"
expect 2 "$IRQSCOPE" tail "$WORK/one" --stage work
says "there are: "
