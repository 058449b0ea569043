# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: a scenario with several seeds runs each case once for each, with the samples that each seed
# alone gives, and its figures have intervals over them; seeds that change nothing are warned of, and
# have none.
# Runs: beside others
. tests/lib/lib.sh

cat >"$WORK/seeds.toml" <<-TOML
	version = 1
	about = "Several seeds"
	kernels = ["6.1"]
	states = ["one"]
	stages = ["irq", "user"]
	[trigger]
	kind = "line"
	period = "200us"
	jitter = "uniform"
	jitter-amount = "100us"
	settle = "10ms"
	seed = 2
	count = 1
TOML
run() { # OUT OPTIONS
	"$IRQSCOPE" run "$WORK/seeds.toml" --kernel 6.1 --count 300 --wide --out "$WORK/$1" "${@:2}" >"$WORK/$1.said" 2>&1
}
# Beside them one of them alone, and then a period without jitter.
others() {
	run alone --seed 3
	run fixed --seeds 2 --jobs 1 --set trigger.period=210us --set trigger.jitter=none \
		--set trigger.jitter-amount=0us
}
others &
run seeds --seeds 3 --jobs 1 || { cat "$WORK/seeds.said"; fail "no run of three seeds"; }
wait $! || { cat "$WORK/alone.said" "$WORK/fixed.said"; fail "no run of one seed, or of two"; }

python3 - "$WORK" <<'PY'
import json, math, statistics, sys
seeds, alone, fixed = (json.load(open(f"{sys.argv[1]}/{name}/summary.json")) for name in ("seeds", "alone", "fixed"))
assert [c["case"] for c in seeds["cases"]] == [f"6.1/one/seed-{seed}" for seed in (2, 3, 4)]
digests = [c["seed_digest"] for c in seeds["cases"]]
assert len(set(digests)) == 3, "seeds gave the same samples"
# The same bytes under a load, too: the guest does not know of the other seeds.
assert digests[1] == alone["digest"], "a seed among others gives other samples than alone"
assert [c["case"] for c in alone["cases"]] == ["6.1/one"] and "seeds" not in alone

(group,) = seeds["seeds"]
assert (group["case"], group["seeds"], group["left_out"]) == ("6.1/one", [2, 3, 4], []), group
assert not group["same_samples"] and group["level"] == 0.95 and "Student" in group["method"]
T = 4.302653  # Student's t of two degrees of freedom, 97.5 %
with_interval = 0
for stage in group["stages"]:
    of = lambda c: next(s for s in c["stages"] if (s["stage"], s["view"]) == (stage["stage"], stage["view"]))
    assert stage["count"] == sum(of(c)["count"] for c in seeds["cases"])
    # Of 300 samples there is no p99.
    assert stage["p99_ns"] is None
    for figure in ("p50_ns", "max_ns", "mean_ns"):
        values, one = [of(c)[figure] for c in seeds["cases"]], stage[figure]
        assert math.isclose(one["mean_ns"], statistics.mean(values)), (stage, figure)
        assert (one["lowest_ns"], one["highest_ns"]) == (min(values), max(values)), (stage, figure)
        # No interval without a width.
        assert (one["interval_ns"] is None) == (min(values) == max(values)), (stage, figure)
        if one["interval_ns"]:
            reach = T * statistics.stdev(values) / math.sqrt(3)
            expected = [one["mean_ns"] - reach, one["mean_ns"] + reach]
            assert all(math.isclose(a, b, rel_tol=1e-5, abs_tol=0.01) for a, b in zip(one["interval_ns"], expected))
            with_interval += 1
assert with_interval >= 2, "no figure depends on the seed"

(group,) = fixed["seeds"]
assert group["same_samples"], "without jitter two seeds differ"
figures = [one for stage in group["stages"] for one in stage.values() if isinstance(one, dict)]
assert figures and all(one["interval_ns"] is None for one in figures)
PY

# One line for each stage, whatever the number of seeds; and the report is as small.
[ "$(grep -cE "^(irq|user)? +6\.1/one +3 " "$WORK/seeds.said")" = 2 ] || { cat "$WORK/seeds.said"; fail "not a line for each stage"; }
cp "$WORK/seeds.said" "$WORK/said"
says "3 seeds, triggers 900 = 900 complete"
cp "$WORK/fixed.said" "$WORK/said"
says "warning: 6.1/one: the seeds gave the same samples"
# A maximum over seeds leads to the response of the seed that it is of.
[ "$(grep -oE 'href="#max-[0-9]+-(irq|user)"' "$WORK/seeds/report.html" | wc -l)" = 2 ] || fail "a maximum is no link"
[ "$(grep -oE 'id="max-[0-9]+-(irq|user)"' "$WORK/seeds/report.html" | wc -l)" = 2 ] || fail "not one response for each stage"
grep -q 'seed-3' "$WORK/seeds/report.html" && fail "the report has a case for each seed"
grep -q '6.1/one: 2, 3, 4' "$WORK/seeds/report.html" || fail "the report does not name the seeds"

# Wrong numbers of seeds, and seeds in a sweep.
expect 2 "$IRQSCOPE" run "$WORK/seeds.toml" --seeds 0 --out "$WORK/none"
says "trigger.seeds is 1 to 1000"
expect 2 "$IRQSCOPE" sweep "$WORK/seeds.toml" --seeds 2 --out "$WORK/none"
says "leave trigger.seeds out"
