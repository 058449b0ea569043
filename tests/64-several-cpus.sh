# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: guests of two and four CPUs give the same samples each time, from a kept state and from a
# boot of their own, while the host is busy; a thread is woken from another CPU later than
# from its own; other CPUs' turns are no cause but themselves; paths and sections are those of the CPU
# under test; a CPU that is not there is refused.
# Runs: beside others, early
. tests/lib/lib.sh

scenario=$TESTS/scenarios/two-cpus.toml
for name in one two; do
	if [ $name = one ]; then
		for _ in $(seq "$(nproc)"); do
			timeout 60 sh -c 'while :; do :; done' &
		done
	fi
	expect 0 "$IRQSCOPE" run "$scenario" --kernel 6.1-rt --state exec --count 40 --no-report --out "$WORK/$name"
	kill $(jobs -p) 2>/dev/null || true
done
cmp "$WORK/one/samples.parquet" "$WORK/two/samples.parquet" || fail "two runs differ"
holds "$WORK/one/summary.json" "c['identity_holds'] and c['complete'] == c['triggers'] == 40" \
	"not all triggers of two CPUs are complete"
# Without the kept states the guest is booted.
cache_without "$WORK/cache" snapshots
expect 0 env IRQSCOPE_CACHE="$WORK/cache" "$IRQSCOPE" run "$scenario" --kernel 6.1-rt --state exec --count 40 \
	--no-report --out "$WORK/booted"
cmp "$WORK/one/samples.parquet" "$WORK/booted/samples.parquet" || fail "another boot gives other samples"
if in_soak "four CPUs"; then
	for name in four again; do
		expect 0 "$IRQSCOPE" run "$scenario" --kernel 6.12 --state exec --count 20 --no-report \
			--set twin.cpus=4 --set trigger.cpu=3 --set twin.quantum=10us --out "$WORK/$name"
	done
	cmp "$WORK/four/samples.parquet" "$WORK/again/samples.parquet" || fail "four CPUs differ"
	# A worker may be kept waiting beyond the next trigger: its answer is then the answer to both.
	holds "$WORK/four/summary.json" "c['identity_holds'] and c['complete'] + c['coalesced'] == c['triggers'] == 20" \
		"a trigger of four CPUs is lost"
fi

remote=$TESTS/scenarios/remote.toml
expect 0 "$IRQSCOPE" run "$remote" --kernel 6.1 --set bench.async.count=50 --out "$WORK/remote" --json
expect 0 "$IRQSCOPE" run "$remote" --kernel 6.1 --set bench.async.count=50 --set bench.async.from-cpu=0 \
	--out "$WORK/near" --json
python3 - "$WORK/remote/summary.json" "$WORK/near/summary.json" <<'PY'
import json, sys
def medians(path):
    [case] = json.load(open(path))["cases"]
    return {row["variant"]: row["p50_ns"] for row in case["benchmarks"]}
remote, near = map(medians, sys.argv[1:])
print("p50, from the other CPU and from its own:", {name: (remote[name], near[name]) for name in remote})
# The waker of a condition variable holds its mutex: on one CPU the thread has to wait for it again.
del remote["condvar"]
assert len(remote) == 5 and all(remote[name] > near[name] for name in remote)
PY

# The same instructions lead to an answer whether the other CPU is busy or not; for every second one of
# them that one has its turn.
busy=$TESTS/scenarios/two-busy.toml
expect 0 "$IRQSCOPE" run "$busy" --allow-commands --no-report --count 150 --out "$WORK/busy"
runs=busy
if in_soak "other CPUs' turns beside timers"; then
	runs="busy timer"
	expect 0 "$IRQSCOPE" run "$busy" --allow-commands --no-report --count 40 --state both \
		--set trigger.kind=timer --set 'views=["inside"]' --out "$WORK/timer"
fi
for run in $runs; do
	expect 0 "$IRQSCOPE" explain "$WORK/$run"
	says ", 0 not the sum of their segments"
done
target/venv/bin/python - "$WORK" $runs <<'PY' || fail "turns are taken for something else"
import duckdb, sys
def causes(run):
    rows = duckdb.sql(f"SELECT DISTINCT cause FROM '{sys.argv[1]}/{run}/interference.parquet'").fetchall()
    return {cause for cause, in rows}
def own(case, stage):
    return duckdb.sql(f"""
        SELECT median(own), quantile_disc(own, 0.9), avg(latency) FROM
            (SELECT sum(length_ns) FILTER (cause <> 'turn of another CPU') own, sum(length_ns) latency
             FROM '{sys.argv[1]}/busy/interference.parquet'
             WHERE "case" = '6.1/{case}' AND stage = '{stage}' GROUP BY seq
             HAVING bool_and(cause IN ('own path', 'probes', 'turn of another CPU')))""").fetchone()
for run in sys.argv[2:]:
    print(run, sorted(causes(run)))
    assert not causes(run) & {"hypervisor or firmware", "interrupts disabled", "own path prolonged", "unexplained"}
    assert "turn of another CPU" in causes(run)
for stage in ("irq", "softirq", "user"):
    one, both = own("one", stage), own("both", stage)
    print(stage, "own median, own 90 %, latency's mean:", one, both)
    assert one[:2] == both[:2], "another CPU's work changes a CPU's own"
    # The mean: a single response meets whole turns, and that of a handler is shorter than one.
    assert 1.8 * one[2] < both[2] < 2.2 * one[2]
PY

expect 2 "$IRQSCOPE" run "$scenario" --set trigger.cpu=2
says "there is no CPU 2: twin.cpus is 2"
expect 2 "$IRQSCOPE" run "$remote" --set bench.async.from-cpu=7
says "bench.async.from-cpu"
expect 2 "$IRQSCOPE" run "$scenario" --set twin.cpus=9
says "twin.cpus is 1 to 8"
expect 2 "$IRQSCOPE" run "$scenario" --set twin.quantum=1ns
says "twin.quantum is 100ns to 1ms"

# Path and sections of the CPU under test beside a busy one: the samples stay what they are, each path's
# instructions and the other CPU's turns are its latency, and sections are found.
viewed() { # NAME OPTION...
	expect 0 "$IRQSCOPE" run "$TESTS/scenarios/two-busy.toml" --allow-commands --state both --count 24 --no-report "${@:2}" --out "$WORK/$1"
}
viewed plain
viewed traced --trace 24
viewed whole --sections
for name in traced whole; do
	cmp "$WORK/plain/samples.parquet" "$WORK/$name/samples.parquet" || fail "other samples with a view: $name"
done
expect 0 "$IRQSCOPE" path "$WORK/traced" --stage user --json
holds "$WORK/said" "j['check']['samples'] > 24 and j['check']['equal'] == j['check']['samples'] and not j['check']['cut_off']" "the paths"
holds "$WORK/said" "j['sample']['others_ns'] > 0" "the other CPU had turns"
expect 0 "$IRQSCOPE" locks "$WORK/whole" --json
holds "$WORK/said" "len(j) == 1 and len(j[0]['sites']) > 20" "sections"
