# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: a finished run is shown and exported as asked: one burst or all, sweeps from another
# line's edge, explanations in rows, a part of the triggers, another rate, another view, bins
# of a nanosecond; a strict gate passes only what is shown to be within its limit.
# Runs: beside others
. tests/lib/lib.sh

sed 's/^count = .*/count = 64/' scenarios/bursts.toml >"$WORK/bursts.toml"
run=$WORK/bursts
expect 0 "$IRQSCOPE" run "$WORK/bursts.toml" --kernel 6.1 --out "$run"

# Four bursts of 16.
expect 0 "$IRQSCOPE" bursts "$run" --all
[ "$(grep -oE 'burst from trigger [0-9]+' "$WORK/said" | cut -d' ' -f4 | xargs)" = "0 16 32 48" ] || fail "not all bursts"
expect 0 "$IRQSCOPE" bursts "$run" --burst 2
[ "$(grep -oE 'burst from trigger [0-9]+' "$WORK/said")" = "burst from trigger 32" ] || fail "another burst"
expect 2 "$IRQSCOPE" bursts "$run" --burst 4
says "has 4 bursts, from 0"

expect 0 "$IRQSCOPE" scope "$run" --persist --align irq:rising --before 100us --after 900us --out "$WORK/scope.svg"
says "irq"
grep -qE '^ +irq .*begins 0 ns;' "$WORK/said" || { cat "$WORK/said"; fail "a sweep does not begin at irq's edge"; }
says "-100.00 µs"
says "900.00 µs"
expect 2 "$IRQSCOPE" scope "$run" --persist --align nowhere:rising --out "$WORK/none.svg"
says "there are trigger, irq, softirq"

# Each response is in one row: the counts of a stage's rows are its responses.
expect 0 "$IRQSCOPE" explain "$run" --rows
python3 - "$WORK/said" <<'PY'
import re, sys
counts = {}
for line in open(sys.argv[1]):
    if heading := re.match(r"6\.1/idle  (\w+)$", line):
        stage = heading[1]
    elif row := re.search(r"\s([\d,]+)\s+[\d.,]+ [nµm]?s\s+[\d.,]+ [nµm]?s\s+\w", line):
        counts[stage] = counts.get(stage, 0) + int(row[1].replace(",", ""))
assert counts == {"irq": 64, "softirq": 32}, counts
PY

rises() { # FILE: how often the trigger rises
	python3 - "$1" <<'PY'
import re, sys
head, body = open(sys.argv[1]).read().split("$enddefinitions $end")
[trigger] = re.findall(r"\$var wire 1 (\S+) trigger \$end", head)
print(len(re.findall(rf"^1{re.escape(trigger)}$", body.split("$end", 1)[1], re.M)))
PY
}
for first in 0 40; do
	expect 0 "$IRQSCOPE" export "$run" --format vcd --first $first --out "$WORK/from-$first.vcd"
	[ "$(rises "$WORK/from-$first.vcd")" = $((64 - first)) ] || fail "$(rises "$WORK/from-$first.vcd") triggers from $first on"
done
expect 0 "$IRQSCOPE" export "$run" --format sigrok --rate 10MHz --out "$WORK/lines.sr"
expect 0 sigrok-cli -i "$WORK/lines.sr" --show
says "Samplerate: 10000000"

# From inside a latency is shorter by the way from the stamp to the edge.
p50() { # VIEW
	expect 0 "$IRQSCOPE" compare "$run" "$run" --view "$1" --at p50 --stage irq --json
	field "$WORK/said" "j[0]['series'][0]['shifts'][0]['base_ns']"
}
for view in inside outside; do
	want=$(field "$run/summary.json" "[s['p50_ns'] for s in c['stages'] if (s['stage'], s['view']) == ('irq', '$view')][0]")
	[ "$(p50 $view)" = "$want" ] || fail "the view from $view has another median: $(p50 $view), not $want"
done
expect 4 "$IRQSCOPE" tail "$run" --view inside --every 1s
says "64 samples are too few"

# The longest section alone, and drawings of as many.
expect 0 "$IRQSCOPE" run faults --set 'faults.kinds=["irqs-off","irqs-off-nested"]' --count 500 --kernel 6.1 \
	--out "$WORK/locks"
expect 0 "$IRQSCOPE" locks "$WORK/locks" --json
sites=$(field "$WORK/said" "len(j[0]['sites'])")
[ "$sites" -ge 2 ] || fail "only $sites sections"
expect 0 "$IRQSCOPE" locks "$WORK/locks" --top 1 --draw 0
says "$((sites - 1)) more sites are shorter"
! grep -q '█' "$WORK/said" || fail "a drawing that was not asked for"
expect 0 "$IRQSCOPE" locks "$WORK/locks" --draw 1
drawings=$(awk '/^  from/ { if (!drawn) n++ } { drawn = /^  from/ } END { print n }' "$WORK/said")
[ "$drawings" = 1 ] || { cat "$WORK/said"; fail "not one drawing"; }

# Benchmarks' samples in the bins of cyclictest, and of a nanosecond.
run=$WORK/bench
expect 0 "$IRQSCOPE" bench sched -l 200 -i 500us --cpus 0,1 --priority "rr 5" --out "$run"
least=$(field "$run/summary.json" "min(b['min_ns'] for b in c['benchmarks'])")
[ "$(field "$run/summary.json" "sorted(b['cpu'] for b in c['benchmarks'])")" = "[0, 1]" ] || fail "not on CPUs 0 and 1"
expect 0 "$IRQSCOPE" export "$run" --format cyclictest --bins 2 --sum
says "# Histogram Overflows:"
python3 - "$WORK/said" "$run/summary.json" <<'PY'
import json, sys
lines = open(sys.argv[1]).read().splitlines()
[case] = json.load(open(sys.argv[2]))["cases"]
# A busy host skips periods, and says so.
by_cpu = sorted(case["benchmarks"], key=lambda one: one["cpu"])
assert all(one["count"] + one["skipped"] == 200 for one in by_cpu), by_cpu
counts = [one["count"] for one in by_cpu]
bins = [line.split() for line in lines if line[:1].isdigit()]
assert [int(row[0]) for row in bins] == [0, 1], bins
over = next(line for line in lines if line.startswith("# Histogram Overflows:")).split(":")[1].split()
columns = [[int(row[at]) for row in bins] + [int(over[at - 1])] for at in (1, 2, 3)]
assert [sum(column) for column in columns] == [*counts, sum(counts)], columns
assert columns[2] == [a + b for a, b in zip(*columns[:2])], columns
PY
expect 0 "$IRQSCOPE" export "$run" --format rt-tests --nanoseconds
[ "$(field "$WORK/said" "min(int(ns) for t in j['thread'].values() for ns in t['histogram'])")" = "$least" ] ||
	fail "bins are no nanoseconds"
for unit in "" --nanoseconds; do
	expect 0 "$IRQSCOPE" import "$TESTS/data/cyclictest-h.txt" $unit --out "$WORK/imported$unit"
done
[ "$(field "$WORK/imported/summary.json" "c['benchmarks'][0]['max_ns']")" = \
	"$(field "$WORK/imported--nanoseconds/summary.json" "c['benchmarks'][0]['max_ns'] * 1000")" ] || fail "no nanoseconds"

# Of a run against itself nothing is shown to be worse, nor that nothing is. Samples of
# this machine may hang together so closely that 200 say nothing; these are drawn.
python3 -c '
import random
draw = random.Random(1).expovariate
print(*(f"{0:8}:{n:8}:{1000 + int(draw(1 / 300)):8}" for n in range(400)), sep="\n")
' >"$WORK/drawn.txt"
run=$WORK/drawn
expect 0 "$IRQSCOPE" import "$run.txt" --nanoseconds --out "$run"
expect 0 "$IRQSCOPE" gate "$run" --against "$run" --allow 0% --at p50
expect 1 "$IRQSCOPE" gate "$run" --against "$run" --allow 0% --at p50 --strict

# A twin under load answers as one without.
expect 2 "$IRQSCOPE" twin --load nonsense
says "unknown load"
"$IRQSCOPE" twin --load busy --port 0 >"$WORK/twin" 2>&1 &
twin=$!
within 120 grep -q "the target answers" "$WORK/twin"
at=$(sed -n 's/.*listens on //p' "$WORK/twin")
expect 0 "$IRQSCOPE" generator set --connect "$at" --period 2ms --count 50
expect 0 "$IRQSCOPE" generator start --connect "$at" --follow
says "triggers   50 = 50 complete"
kill -INT $twin
wait $twin || fail "twin ended with $?"

expect 0 "$IRQSCOPE" kernel fetch --all
expect 0 "$IRQSCOPE" kernel list
for kernel in 6.1 6.1-rt 6.12 6.12-rt; do
	grep -q "^$kernel .*vmlinuz" "$WORK/said" || fail "$kernel is not there"
done
echo "PASS: options choose what they say"
