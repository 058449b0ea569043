# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: a gate passes what is within its limits and names what is not, against a
# number and against a baseline, in text, TAP and JUnit; what was not measured, or
# never answered, or is invalid, never passes; nor does a run whose log lacks any record,
# has one twice, or has a bit turned in one.
# Runs: beside others
. tests/lib/lib.sh

cat >"$WORK/gate.toml" <<-TOML
	version = 1
	about = "Two kernels"
	kernels = ["6.1", "6.12"]
	states = ["idle"]
	stages = ["irq", "work_bh", "user"]
	[trigger]
	kind = "line"
	mode = "together"
	frequency = "1kHz"
	count = 1_000
TOML
expect 0 "$IRQSCOPE" run "$WORK/gate.toml" --out "$WORK/run"
run=$WORK/run

worst=$(field "$run/summary.json" "max(s['max_ns'] for c in j['cases'] for s in c['stages'] if s['stage']=='user' and s['view']=='outside')")
expect 0 "$IRQSCOPE" gate "$run" --max "user<$((worst + 1))ns@max"
[ ! -s "$WORK/said" ] || fail "says something though all is well"
# As late as the limit is not below it.
expect 1 "$IRQSCOPE" gate "$run" --max "user<${worst}ns@max" --max 'irq<1s@p99'
[ "$(grep -c "user (outside) < " "$WORK/said")" = "$(wc -l <"$WORK/said")" ] || fail "other lines than breaches"

python3 "$TESTS/55-gate.py" "$IRQSCOPE" "$run" "$WORK/damaged" || fail "see above"

# A quantile takes ten samples beyond it: a thousand triggers have p99 and no p99.9.
expect 1 "$IRQSCOPE" gate "$run" --max 'irq<1s@p99.9'
says "too few samples: p99.9 takes 10,000, and there are 1,000; hold max instead"
expect 1 "$IRQSCOPE" gate "$run" --against "$run" --allow 0% --at p99.9
says "too few samples for p99.9; it takes about 10,000 samples"

# Only 6.12 has this stage: 6.1 has not passed.
expect 1 "$IRQSCOPE" gate "$run" --max 'work_bh<1s@max'
says "6.1/idle: work_bh < 1 s at max: work_bh was not measured"
expect 0 "$IRQSCOPE" gate "$run#6.12/idle" --max 'work_bh<1s@max'
expect 2 "$IRQSCOPE" gate "$run" --max 'softirq<1s@max'
says "nothing called"
expect 2 "$IRQSCOPE" gate "$run" --max 'user<soon@max'
says "user<150us@p99.9"
expect 2 "$IRQSCOPE" gate "$run"
says "--max"

# A scenario's own limits: the answer and the report say whether they hold, and a gate needs no others.
own() { # STATUS LIMITS
	expect "$1" "$IRQSCOPE" run "$WORK/gate.toml" --kernel 6.1 --count 200 --set "limits=[$2]" --out "$WORK/own"
}
own 2 '"softirq<1s@max"'
says "no stage or benchmark called \`softirq\` is asked"
own 2 '"user<1s"'
says "user<150us@p99.9"
own 0 '"user<1s@p50", "irq<100ns@max"'
says "1 of 2 limits do not hold."
says "6.1/idle: irq (outside) < 100 ns at max: "
grep -q "1 of 2 limits do not hold" "$WORK/own/report.html" || fail "the report does not say that a limit is exceeded"
grep -q ">limit</text>" "$WORK/own/report.html" || fail "no histogram shows the limit"
expect 1 "$IRQSCOPE" gate "$WORK/own"
[ "$(wc -l <"$WORK/said")" = 1 ] && says "6.1/idle: irq (outside) < 100 ns at max" || fail "not the exceeded limit alone"
expect 0 "$IRQSCOPE" gate "$WORK/own" --max 'irq<1s@max'
expect 0 "$IRQSCOPE" report "$WORK/own" --intspect
grep -q ">OOB</text>" "$WORK/own/report.html" || fail "not INTSPECT's form"

# Against a baseline: itself, and another kernel.
expect 0 "$IRQSCOPE" gate "$run" --against "$run" --allow 0%
expect 1 "$IRQSCOPE" gate "$run#6.12/idle" --against "$run#6.1/idle" --allow 5% --stage user
says "within 5 % of the baseline at p50"
expect 1 "$IRQSCOPE" gate "$run#6.1/idle" --against "$run#6.12/idle" --allow 10000%
says "work_bh"

# Every verdict, for machines.
expect 1 "$IRQSCOPE" gate "$run" --max 'irq<1s@max' --max 'irq<1ns@max' --tap --junit "$WORK/verdicts.xml"
says "1..4"
says "ok 1 - 6.1/idle: irq (outside) < 1 s at max"
says "not ok 3 - 6.1/idle: irq (outside) < 1 ns at max"
python3 - "$WORK/verdicts.xml" <<'PY'
import sys, xml.etree.ElementTree as tree
suite = tree.parse(sys.argv[1]).getroot()[0]
assert (suite.get("tests"), suite.get("failures")) == ("4", "2")
assert sum(case.find("failure") is not None for case in suite) == 2
PY
expect 2 "$IRQSCOPE" gate "$run" --max 'irq<1s@max' --junit "$WORK/verdicts.xml"
says "name another file"
expect 1 "$IRQSCOPE" gate "$run#6.1/idle" --max "user<${worst}ns@max" --max 'irq<1ns@max' --json
holds "$WORK/said" "[v['passed'] for v in j] == [v['found_ns'] < v['limit_ns'] for v in j]" "a verdict"
holds "$WORK/said" "[v['limit_ns'] for v in j] == [$worst, 1] and not j[1]['passed']" "the limits"

# No verdict on an invalid measurement, however good its figures are: a log that
# lost its end.
cp -r "$run" "$WORK/torn"
truncate -s $(($(stat -c %s "$run/run.log") / 2)) "$WORK/torn/run.log"
expect 4 "$IRQSCOPE" gate "$WORK/torn" --max 'irq<1s@max'
says "no verdict"
expect 4 "$IRQSCOPE" gate "$run" --against "$WORK/torn"
says "no verdict"
