# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: execution times that are set are those that are measured, to the instruction,
# from outside and inside and in every stage; and a burst of 10,000 interrupts with
# all stages on is accounted for, merged and counted.
# Runs: beside others
. tests/lib/lib.sh

executing() { # NAME TIME
	cat >"$WORK/$1.toml" <<-TOML
		version = 1
		about = "Every stage executes for a while"
		kernels = ["6.1"]
		states = ["idle"]
		stages = ["irq", "softirq", "tasklet_hi", "tasklet", "work_hi", "work", "work_unbound", "thread", "kthread", "user"]
		execution = { irq = "$2", softirq = "$2", tasklet_hi = "$2", tasklet = "$2", work_hi = "$2", work = "$2", work_unbound = "$2", thread = "$2", kthread = "$2", user = "$2" }
		[trigger]
		kind = "line"
	mode = "together"
		period = "10ms"
		count = 64
	TOML
	expect 0 "$IRQSCOPE" run "$WORK/$1.toml" --out "$WORK/$1"
}
executing short 10us
executing long 210us

burst() { # NAME COMPENSATION
	cat >"$WORK/$1.toml" <<-TOML
		version = 1
		about = "One burst of ten thousand, every stage"
		kernels = ["6.1"]
		states = ["idle"]
		compensate = "$2"
		[trigger]
		kind = "line"
	mode = "together"
		period = "1s"
		burst = 10000
		interval = "20us"
		count = 10000
	TOML
	expect 0 "$IRQSCOPE" run "$WORK/$1.toml" --out "$WORK/$1"
}
burst merged none
burst counted counter

python3 - "$WORK" <<'PYTHON' || fail "see above"
import json, sys

work = sys.argv[1]


def case(name):
    with open(f"{work}/{name}/summary.json", encoding="utf-8") as file:
        return json.load(file)["cases"][0]


def check(holds, what):
    if not holds:
        sys.exit(f"FAIL: {what}")


short, long = (
    {(one["stage"], one["view"]): one["execution"] for one in case(name)["stages"]}
    for name in ("short", "long")
)
check(len(short) == 20, f"{len(short)} lines")
for key in short:
    # Of 64 the least was not interrupted.
    longer = long[key]["min_ns"] - short[key]["min_ns"]
    check(longer == 200_000, f"{key}: 200 µs more are {longer} ns")
    check(short[key]["count"] == long[key]["count"] == 64, f"{key}: {short[key]}")

merged, counted = case("merged"), case("counted")
for one in (merged, counted):
    check(one["identity_holds"] and one["triggers"] == 10_000, one)
    sum = one["complete"] + one["missing_triggers"] + one["coalesced"] + one["dropped"]
    check(sum == 10_000, f"{sum} of 10,000")
check(merged["coalesced"] > 0, "none merged")
check(counted["complete"] == 10_000, f"counted: {counted['complete']} complete")
PYTHON
echo "PASS: execution times are exact, and bursts of 10,000 are accounted for"
