# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: 16 interrupts that come faster than their softirq are all handled; without
# a counter the softirq runs less often, and every trigger that was merged is named
# with the run that it went into; with one it runs 16 times, the last of them after
# ten rounds in ksoftirqd (fewer where a tick comes), which a hog keeps from the CPU while the hard
# handler's latency stays as it is. Twice the same, to the bit.
# Runs: beside others
. tests/lib/lib.sh

run() { # SCENARIO NAME
	local name=$2
	sed 's/^count = .*/count = 160/' "$TESTS/../scenarios/$1.toml" >"$WORK/$name.toml"
	expect 0 "$IRQSCOPE" run "$WORK/$name.toml" --kernel 6.1 --out "$WORK/$name"
	expect 0 "$IRQSCOPE" bursts "$WORK/$name" --json
	cp "$WORK/said" "$WORK/$name.json"
	expect 0 "$IRQSCOPE" explain "$WORK/$name"
	says ", 0 not the sum of their segments"
}
run bursts plain
says "merged with an earlier one"
expect 0 "$IRQSCOPE" explain "$WORK/plain" --json
python3 - "$WORK/said" <<'PYTHON' || fail "a trigger is neither explained nor left out"
import json, sys
for stage in json.load(open(sys.argv[1])):
    assert stage["count"] + sum(stage["left_out"].values()) == 160, stage
PYTHON
run bursts-counter counter
run bursts-counter again
run bursts-hog hog
[ "$(field "$WORK/counter/summary.json" "j['digest']")" = "$(field "$WORK/again/summary.json" "j['digest']")" ] ||
	fail "two runs differ"

target/venv/bin/python - "$WORK" <<'PYTHON' || fail "see above"
import json, sys
import duckdb

work = sys.argv[1]


def cases(name):
    return {case["case"]: case["bursts"] for case in json.load(open(f"{work}/{name}.json"))}


def stage(burst, name):
    return next(one for one in burst["stages"] if one["stage"] == name)


def check(holds, what):
    if not holds:
        sys.exit(f"FAIL: {what}")


for name in ("plain", "counter", "hog"):
    for case, bursts in cases(name).items():
        check(len(bursts) == 10, f"{name} {case}: {len(bursts)} bursts")
        for burst in bursts:
            irq, softirq = stage(burst, "irq"), stage(burst, "softirq")
            check(burst["asserted"] == irq["ran"] == 16, f"{name} {case}: {irq}")
            check(softirq["raised"] == 16, f"{name} {case}: {softirq}")
            check(softirq["ran"] + len(softirq["merged"]) == 16, f"{name} {case}: {softirq}")
            ran = [n for n in range(16) if n not in [m["trigger"] for m in softirq["merged"]]]
            for merge in softirq["merged"]:
                # Into the last trigger before it that has a run of its own.
                before = [n for n in ran if n < merge["trigger"]]
                check(merge["into"] == before[-1], f"{name} {case}: {merge}")

plain, idle = cases("plain")["6.1/idle"], cases("counter")["6.1/idle"]
hog = cases("hog")["6.1/hog"]
# A softirq that waits for the 70 us of another trigger's is not on its own path: that is as long as
# in the first of a burst, which nothing holds up.
held, own, alone = duckdb.sql(f"""
    with each as (
        select seq, sum(length_ns) filter (cause = 'own path') as own,
            coalesce(sum(length_ns) filter (name = 'softirq, for another trigger'), 0) as held
        from '{work}/plain/interference.parquet' where stage = 'softirq' group by seq)
    select count(*) filter (held between 30_000 and 80_000), max(own), max(own) filter (seq % 16 = 0) from each
""").fetchone()
check(held > 50 and own < alone + 3_000, f"{held} held up, own path {own} ns, of the first {alone} ns")
check(all(stage(burst, "softirq")["ran"] < 16 for burst in plain), "none merged")
check(all(stage(burst, "softirq")["ran"] == 16 for burst in idle + hog), "not 16 with the counter")
# The bursts in which the tick counted the jiffy on.
ticks = duckdb.sql(
    f"select distinct seq // 16 from '{work}/counter/interference.parquet' where detail = 'tick_sched_timer'"
).fetchall()
ticks = {number for (number,) in ticks}
for number, burst in enumerate(idle):
    # MAX_SOFTIRQ_RESTART in kernel/softirq.c, or earlier where another thread is to run, as the
    # CPU's stopper is once, or where the jiffy of MAX_SOFTIRQ_TIME ends.
    [one] = burst["handed"]
    stopped = any(thread["thread"].startswith("migration/") for thread in one["ahead"])
    early = stopped or number in ticks
    check(one["rounds"] <= 10 if early else one["rounds"] == 10, f"idle: {ticks} {burst['handed']}")
    check(one["waited_ns"] < 100_000, f"idle: {burst['handed']}")
whole = sum(one["rounds"] == 10 for burst in idle for one in burst["handed"])
check(whole > len(idle) / 2, f"idle: {whole} of {len(idle)} had ten rounds")
longest = max((one for burst in hog for one in burst["handed"]), key=lambda one: one["waited_ns"] or 0)
check(longest["waited_ns"] > 100_000_000, f"hog: ksoftirqd did not wait: {longest}")
ahead = longest["ahead"][0]
check((ahead["thread"], ahead["priority"]) == ("irqscope-hog", "real-time 40"), f"hog: {longest}")
most = lambda bursts, name: max(stage(one, name)["max_ns"] for one in bursts)
check(most(hog, "softirq") > longest["waited_ns"], f"hog: {most(hog, 'softirq')} ns")
# The handler would not show it: no later than a tenth of one softirq.
check(most(hog, "irq") - most(idle, "irq") < 7_000, f"irq: {most(hog, 'irq')}, {most(idle, 'irq')}")
PYTHON

# Text, drawings, and the programs that the lines are for.
grep -q 'id="scope"' "$WORK/plain/report.html" || fail "no scope view in the report"
for file in sweep persistence; do
	[ -s "$WORK/plain/figures/$file-6.1-idle.png" ] || fail "no figures/$file-6.1-idle.png"
done
expect 0 "$IRQSCOPE" bursts "$WORK/plain" --case 6.1/idle
says "merged"
expect 0 "$IRQSCOPE" scope "$WORK/plain" --out "$WORK/one.svg"
says "one sweep, seen from outside"
expect 0 "$IRQSCOPE" scope "$WORK/plain" --persist --after 1500us --out "$WORK/many.png"
says "10 sweeps, each from where trigger rises"
[ "$(head -c 4 "$WORK/many.png" | tail -c 3)" = PNG ] || fail "no PNG"
expect 2 "$IRQSCOPE" scope "$WORK/plain" --out "$WORK/one.svg"
says "name another file"
expect 0 "$IRQSCOPE" export "$WORK/plain" --format vcd --out "$WORK/lines.vcd"
expect 0 "$IRQSCOPE" export "$WORK/plain" --format sigrok --triggers 16 --out "$WORK/lines.sr"
vcd2fst "$WORK/lines.vcd" "$WORK/lines.fst" || fail "GTKWave's vcd2fst does not read the VCD"
fst2vcd "$WORK/lines.fst" >"$WORK/back.vcd" || fail "fst2vcd does not read it back"
rises() { # FILE NAME
	python3 - "$1" "$2" <<'PYTHON'
import re, sys
path, name = sys.argv[1:]
text = open(path).read()
ids = re.findall(rf"\$var wire 1 (\S+) {name} \$end", text)
body = text.split("$enddefinitions")[1]
print(sum(len(re.findall(rf"(?<!\S)1{re.escape(one)}(?!\S)", body)) for one in ids))
PYTHON
}
[ "$(rises "$WORK/back.vcd" irq)" = 160 ] || fail "GTKWave: $(rises "$WORK/back.vcd" irq) pulses of irq, not 160"
expect 0 sigrok-cli -i "$WORK/lines.sr" --show
says "irq"
sigrok-cli -i "$WORK/lines.sr" -O vcd >"$WORK/sigrok.vcd" || fail "sigrok-cli cannot read the session"
[ "$(rises "$WORK/sigrok.vcd" irq)" = 16 ] || fail "sigrok: $(rises "$WORK/sigrok.vcd" irq) pulses of irq, not 16"
sigrok-cli -I vcd -i "$WORK/lines.vcd" -O bits >/dev/null || fail "sigrok-cli cannot read the VCD"
echo "PASS: bursts are counted, named and drawn"
