# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: two executions of a scenario give the same samples to the byte, also while
# the host is kept busy, and on a kernel that has the frames' driver from its boot on; the demo's figures are the ones that the references found.
# The agent's file, which loads execute, has no directory of this machine in it.
# Runs: beside others, early
. tests/lib/lib.sh

for directory in "$PWD" "${CARGO_HOME:-$HOME/.cargo}"; do
	for agent in "$PARTS"/irqscope-agent-*; do
		! grep -aqF "$directory/" "$agent" || fail "$agent has $directory in it: scripts/build-agent cuts that off"
	done
done

# Fewer triggers than the demo has: what is compared is every byte of them.
sed 's/^count = .*/count = 600/' scenarios/demo.toml >"$WORK/demo.toml"
expect 0 "$IRQSCOPE" run "$WORK/demo.toml" --out "$WORK/a"
for _ in $(seq "$(nproc)"); do
	timeout 300 sh -c 'while :; do :; done' &
done
expect 0 "$IRQSCOPE" run "$WORK/demo.toml" --out "$WORK/b" --jobs 3
# Debian's since 6.12 have virtio built in: the port's device meets a driver when the machine goes on.
names="one two"
if in_soak "two more runs of 6.12"; then names="$names three four"; fi
for name in $names; do
	expect 0 "$IRQSCOPE" run demo --kernel 6.12 --state load --count 40 --out "$WORK/$name"
	cmp "$WORK/$name/samples.parquet" "$WORK/one/samples.parquet" ||
		fail "6.12 gives other samples, run $name"
	# The host is busy during one of the runs that have to be the same.
	kill $(jobs -p) 2>/dev/null || true
done

a=$(field "$WORK/a/summary.json" "j['digest']")
b=$(field "$WORK/b/summary.json" "j['digest']")
[ "$a" = "$b" ] || fail "digests differ: $a $b"
cmp "$WORK/a/samples.parquet" "$WORK/b/samples.parquet"

python3 - "$WORK/a/summary.json" <<'PY'
import json, sys
cases = {c["case"]: c for c in json.load(open(sys.argv[1]))["cases"]}
p50 = lambda case, stage: next(s["p50_ns"] for s in cases[case]["stages"] if s["stage"] == stage)
for case in cases.values():
    assert case["dropped"] == 0 and case["identity_holds"], case["case"]
softirq, tasklet, work = (p50("6.1/idle", stage) for stage in ("softirq", "tasklet", "work"))
assert softirq < tasklet < work, (softirq, tasklet, work)
for stage in ("softirq", "tasklet_hi", "tasklet"):
    assert p50("6.1-rt/idle", stage) > p50("6.1/idle", stage), stage
print("p50 on 6.1, idle:", softirq, tasklet, work)
PY
