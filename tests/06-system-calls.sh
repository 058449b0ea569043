# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: system calls with their arguments are a load: they hold responses up in the kernel, in the functions that
# explain names, on a PC, an Arm and a RISC-V machine; the same samples come twice; a call that fails at first,
# or cannot be read, is said with the kernel's answer or with its place; the agent makes them without a case until it
# is stopped; the hunt finds the sequence that delays, and writes it as a scenario that repeats it.
# Runs: beside others, early
. tests/lib/lib.sh

cat >"$WORK/calls.toml" <<'TOML'
version = 1
about = "Memory that is mapped, protected and given back"
kernels = ["6.1", "6.1-rt"]
stages = ["user"]
states = ["idle", "protect"]
trigger = { kind = "line", count = 150, period = "2111us", jitter = "uniform", jitter-amount = "1ms", seed = 1 }
state.protect = { loads = ["protect"] }

[load.protect]
calls = [
	"r0 = mmap(0, 16M, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS|MAP_POPULATE, -1, 0)",
	"mprotect(r0, 16M, PROT_READ)",
	"madvise(r0, 16M, MADV_HUGEPAGE)?",
]
user = "65534"
count = 2
TOML
edited() { sed "$2" "$WORK/calls.toml" >"$WORK/$1.toml"; }

expect 0 "$IRQSCOPE" run "$WORK/calls.toml" --explain --no-report --out "$WORK/one"
expect 0 "$IRQSCOPE" run "$WORK/calls.toml" --explain --no-report --out "$WORK/two"
cmp "$WORK/one/samples.parquet" "$WORK/two/samples.parquet" || fail "other samples the second time"
target/venv/bin/python - "$WORK/one" <<'PY' || fail "the calls did not run as they were written"
import json, sys
import duckdb
run = sys.argv[1]
cases = {case["case"]: case for case in json.load(open(f"{run}/summary.json"))["cases"]}
latest = {name: next(s["max_ns"] for s in case["stages"] if s["view"] == "outside") for name, case in cases.items()}
print(latest)
# A stock kernel frees 16 MB without a place at which a thread can be preempted; with PREEMPT_RT it can.
assert latest["6.1/protect"] > 20 * latest["6.1/idle"] and latest["6.1/protect"] > 10 * latest["6.1-rt/protect"]
parts = duckdb.sql(f"""
    SELECT name, detail, count(*) FROM '{run}/interference.parquet'
    WHERE "case" = '6.1/protect' AND cause = 'not preempted' GROUP BY ALL""").fetchall()
print(parts[:5])
freeing = [part for part in parts if part[0] == "load-protect" and "unmap_region" in part[1]]
assert freeing, parts
[own] = next(case for case in json.load(open(f"{run}/manifest.json"))["cases"] if case["state"]["own"])["state"]["own"]
assert own["command"][0] == "irqscope-calls" and own["command"][2] == "mprotect(r0, 16M, PROT_READ)", own
PY

for kernel in 6.1-arm64 6.12-riscv64; do
	expect 0 "$IRQSCOPE" run "$WORK/calls.toml" --kernel "$kernel" --count 40 --no-report --out "$WORK/$kernel"
	holds "$WORK/$kernel/summary.json" \
		"(lambda latest: latest[1] > 3 * latest[0])([s['max_ns'] for case in j['cases'] for s in case['stages'] if s['view'] == 'outside'])" \
		"on $kernel the calls delay nothing"
done

# A wrong call is said before a guest boots, or with the kernel's answer.
edited unknown 's/PROT_READ)"/PROT_REED)"/'
expect 2 "$IRQSCOPE" scenario check "$WORK/unknown.toml"
says "no constant PROT_REED is known"
edited early 's/mprotect(r0/mprotect(r1/'
expect 2 "$IRQSCOPE" scenario check "$WORK/early.toml"
says "no call before it keeps r1"
edited fork 's/mprotect(r0, 16M, PROT_READ)/fork()/'
expect 2 "$IRQSCOPE" scenario check "$WORK/fork.toml"
says "does not come back"
edited both 's/^user = /command = ".\/hammer"\nuser = /'
expect 2 "$IRQSCOPE" scenario check "$WORK/both.toml"
says "a load is one of them"
edited failing 's/PROT_READ)"/77)"/'
expect 4 "$IRQSCOPE" run "$WORK/failing.toml" --kernel 6.1 --state protect --no-report --out "$WORK/failing"
says "mprotect(r0, 16M, 77): EINVAL"

# Without a case, on this machine: until it is stopped, and with nothing left.
agent=$PARTS/irqscope-agent-$(uname -m)
expect 3 "$agent" load calls 'r0 = eventfd2(0, 0)' 'write(r0, &4, 4)'
says "write(r0, &4, 4): EINVAL"
expect 2 "$agent" load calls 'sync'
says "is no call"
"$agent" load calls 'r0 = memfd_create("left by irqscope", 0)' 'clock_nanosleep(CLOCK_MONOTONIC, 0, [0, 1000000], 0)' &
load=$!
within 20 pgrep -x load-calls
sleep 1
files=$(find "/proc/$(pgrep -x load-calls)/fd" -lname '*left by irqscope*' 2>/dev/null | wc -l)
[ "$files" -le 1 ] || fail "$files descriptors of passes that have ended"
kill -TERM $load
wait $load || fail "the agent's load ended with $?"
nothing_left "^load-calls"
if pgrep -x load-calls; then fail "the calls go on without their agent"; fi

expect 0 "$IRQSCOPE" hunt demo --kernel 6.1 --stage user --count 40 --candidates 6 --json --out "$WORK/hunted" \
	--source call:mprotect --source call:getpid --source call:kill
sed -n '/^{/,$p' "$WORK/said" >"$WORK/hunted.json"
cat "$WORK/hunted.toml"
grep -q 'calls = .*mprotect(r0, ' "$WORK/hunted.toml" || fail "the hunt did not find the calls that delay"
[ "$(wc -l <"$WORK/hunted.toml")" -le 20 ] || fail "what was found is long"
expect 0 "$IRQSCOPE" run "$WORK/hunted.toml" --no-report --out "$WORK/again"
holds "$WORK/again/summary.json" \
	"[s['max_ns'] for s in c['stages'] if s['view'] == 'outside'] == [$(field "$WORK/hunted.json" "j['latency_ns']")]" \
	"the scenario has another latency"
