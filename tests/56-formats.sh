# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: what other tools recorded becomes a run like every other, what is exported
# is read by parsers that others wrote, nothing is overwritten, and a damaged file
# is refused with its place.
# Runs: beside others
. tests/lib/lib.sh
data=$TESTS/data
python=target/venv/bin/python

# Real recordings, as one run: each a case, nothing made up.
expect 0 "$IRQSCOPE" import "$data"/cyclictest-?.txt "$data"/*.json "$data/oslat.txt" \
	"$data"/jitterdebugger/* "$data"/rtla-*.txt --out "$WORK/imported"
says "in which order and at which instants the samples came is not known"
says "samples lay beyond the histogram (the greatest was 2300"
[ "$(field "$WORK/imported/manifest.json" "len(j['cases'])")" = 11 ] || fail "not every file is a case"
grep -q "samples lay beyond" "$WORK/imported/manifest.json" || fail "the manifest is silent"
grep -q "The greatest\|Do not use" "$WORK/imported/report.html" && fail "the report warns wrongly"
expect 0 "$IRQSCOPE" report "$WORK/imported"

# A live one: a cyclictest of this machine.
cyclictest -q -i 1000 -l 200 -h 100000 >"$WORK/live.txt" || fail "cyclictest does not run"
expect 0 "$IRQSCOPE" import "$WORK/live.txt" --out "$WORK/live" --json
[ "$(field "$WORK/live/summary.json" "sum(b['count'] + b.get('beyond', {}).get('count', 0) for b in j['cases'][0]['benchmarks'])")" = 200 ] ||
	fail "not all of cyclictest's samples"

# Out: a run of this machine, and a histogram that came in.
expect 0 "$IRQSCOPE" bench sched gtod -l 1200 -i 500us --out "$WORK/run"
for format in csv openmetrics hdr rt-tests cyclictest; do
	expect 0 "$IRQSCOPE" export "$WORK/run" --format $format --out "$WORK/out.$format"
done
expect 2 "$IRQSCOPE" export "$WORK/run" --format csv --out "$WORK/out.csv"
says "nothing is overwritten"
expect 0 "$IRQSCOPE" export "$WORK/imported" --format csv --out "$WORK/counted.csv"
expect 2 "$IRQSCOPE" export "$WORK/imported" --format rt-tests
says "choose one with --case"
expect 2 "$IRQSCOPE" export "$WORK/run" --format csv --case 6.1/idel
says "there are"
"$python" "$TESTS/56-formats.py" "$WORK" "$data/cyclictest.json" || fail "a parser of others"

# node_exporter's textfile collector reads Prometheus' text, which promtool checks: of values on both
# sides of zero and of a histogram with overflows, too.
expect 0 "$IRQSCOPE" bench jitter -l 300 -i 500us --out "$WORK/jitter"
for metrics in run jitter imported; do
	"$IRQSCOPE" export "$WORK/$metrics" --format openmetrics >"$WORK/$metrics.metrics"
	target/promtool check metrics <"$WORK/$metrics.metrics" >"$WORK/said" 2>&1 || fail "promtool refuses $metrics: $(cat "$WORK/said")"
done
grep -q '^irqscope_deviation_seconds{.*share="0.5"' "$WORK/jitter.metrics" || fail "no deviations"

# The lines that OSADL's latency plots are drawn from, by the commands of that script.
grep -v -e "^#" -e "^$" "$WORK/out.cyclictest" | tr " " "\t" >"$WORK/histogram"
max=$(grep "Max Latencies" "$WORK/out.cyclictest" | tr " " "\n" | sort -n | tail -1 | sed 's/^0*//')
[ "$(tail -n 1 "$WORK/histogram" | cut -f1 | sed 's/^0*//')" = "$max" ] || fail "max $max is not in the last line"
[ "$(awk '{ n += $2 + $3 + $4 + $5 + $6 + $7 } END { print n }' "$WORK/histogram")" = \
	"$(field "$WORK/run/summary.json" "sum(b['count'] for b in j['cases'][0]['benchmarks'])")" ] ||
	fail "the columns do not have all samples"

# LAVA's lines, by Linaro's rules and through the definition's script; limits are verdicts.
"$IRQSCOPE" export "$WORK/run" --format lava >"$WORK/result.txt"
grep -qE '^sched\.[a-z0-9._]+\.max pass [0-9]+\.[0-9]{3} us$' "$WORK/result.txt" || fail "no measurement for LAVA"
grep -qvE '^(lava-test-set (start [A-Za-z0-9._-]+|stop)|[A-Za-z0-9._-]+ (pass [0-9]+\.[0-9]{3} us|(pass|fail) [0-9]+ count))$' \
	"$WORK/result.txt" && fail "a line that LAVA does not know"
mkdir "$WORK/lava" "$WORK/bin"
ln -s "$(realpath "$IRQSCOPE")" "$WORK/bin/irqscope"
# LAVA's own command, as far as a script sees it.
printf '#!/bin/sh\necho "$@" >>%s\n' "$WORK/lava/calls" >"$WORK/bin/lava-test-case"
chmod +x "$WORK/bin/lava-test-case"
(
	cd "$WORK/lava"
	status=0
	PATH=$WORK/bin:$PATH "$(realpath "$TESTS")/../integrations/lava/irqscope.sh" \
		-r "$WORK/run" -l "sched<10s@max sched<1ns@max" >said 2>&1 || status=$?
	[ $status = 1 ] || fail "a limit that is exceeded is not the status: $(cat said)"
)
grep -q '^limit.sched_10s@max --result pass' "$WORK/lava/calls" || fail "a limit that holds is not passed"
grep -q '^limit.sched_1ns@max --result fail' "$WORK/lava/calls" || fail "a limit that is exceeded is not failed"
grep -q 'max --result pass --measurement [0-9.]* --units us' "$WORK/lava/calls" || fail "no measurement arrives"

# KernelCI's, by their own validator.
expect 2 "$IRQSCOPE" export "$WORK/run" --format kcidb
says "add --origin NAME and --build NAME:ID"
expect 2 "$IRQSCOPE" export "$WORK/run" --format kcidb --origin lab --build 6700
says "ORIGIN:ID"
"$IRQSCOPE" export "$WORK/run" --format kcidb --origin lab --build maestro:6700 >"$WORK/kcidb.json"
"$python" - "$WORK/kcidb.json" "$WORK/run/summary.json" <<'PY' || fail "KernelCI's schema"
import json, sys
from kcidb_io.schema import V5_3
tests = V5_3.validate(json.load(open(sys.argv[1])))["tests"]
[case] = json.load(open(sys.argv[2]))["cases"]
greatest = sorted(b["max_ns"] for b in case["benchmarks"])
assert sorted(round(t["number"]["value"] * 1e9) for t in tests if t["path"].endswith(".max")) == greatest, greatest
assert len({t["id"] for t in tests}) == len(tests)
PY

# It is submitted as KernelCI takes it: the stand-in checks the token, and by KCIDB's own schema what arrives.
"$python" "$TESTS/56-kcidb.py" "$WORK/kcidb.json" || fail "the submission"

# In again: what was exported is what is imported.
expect 0 "$IRQSCOPE" import "$WORK/out.csv" --out "$WORK/again"
for run in run again; do
	"$IRQSCOPE" export "$WORK/$run" --format openmetrics | grep -v '^irqscope_run_info' >"$WORK/$run.prom"
done
# A busy machine lets periods pass, of which CSV knows nothing.
for run in run again; do
	grep -v 'outcome="skipped"' "$WORK/$run.prom" >"$WORK/$run.figures"
done
cmp "$WORK/run.figures" "$WORK/again.figures" || fail "CSV and back changes figures"
expect 0 "$IRQSCOPE" bench sched -l 50 -i 500us --format rt-tests --out "$WORK/bench"
says '"cmdline:"'

# A histogram of cyclictest -N does not say so: no unit is guessed.
cyclictest -q -N -i 1000 -l 50 -h 1000000 >"$WORK/nanoseconds.txt" || fail "cyclictest -N does not run"
expect 2 "$IRQSCOPE" import "$WORK/nanoseconds.txt" --out "$WORK/none"
says "--nanoseconds (cyclictest ran with -N) or --microseconds"
for unit in nanoseconds microseconds; do
	expect 0 "$IRQSCOPE" import "$WORK/nanoseconds.txt" --$unit --out "$WORK/as-$unit"
done
[ "$(field "$WORK/as-microseconds/summary.json" "j['cases'][0]['benchmarks'][0]['min_ns']")" = \
	"$(field "$WORK/as-nanoseconds/summary.json" "j['cases'][0]['benchmarks'][0]['min_ns'] * 1000")" ] ||
	fail "a unit that was named is not taken"

# Overflows go out as they came in.
grep -E "^# (Max Latencies|Histogram Overflows):" "$data/cyclictest-h.txt" >"$WORK/there"
expect 0 "$IRQSCOPE" import "$data/cyclictest-h.txt" --out "$WORK/overflows"
"$IRQSCOPE" export "$WORK/overflows" --format cyclictest | grep -E "^# (Max Latencies|Histogram Overflows):" >"$WORK/back"
cmp "$WORK/there" "$WORK/back" || fail "overflows or maxima are lost"

# Damage, and where it is.
sed 's/^000020 .*/000020 x y/' "$data/cyclictest-h.txt" >"$WORK/damaged.txt"
expect 2 "$IRQSCOPE" import "$WORK/damaged.txt" --out "$WORK/none"
says 'damaged.txt: line 23: `x` is no number'
head -c 100 "$data/jitterdebugger/samples.raw" >"$WORK/torn.raw"
expect 2 "$IRQSCOPE" import "$WORK/torn.raw" --out "$WORK/none"
says "torn.raw: byte 84: 16 bytes are left of a sample of 28"
: >"$WORK/empty.txt"
expect 2 "$IRQSCOPE" import "$WORK/empty.txt" --out "$WORK/none"
says "it is empty"
expect 2 "$IRQSCOPE" import "$WORK" --out "$WORK/none"
expect 2 "$IRQSCOPE" import "$data/oslat.txt" --out "$WORK/run"
says "nothing is overwritten"
[ ! -e "$WORK/none" ] || fail "a refused file left a directory behind"
