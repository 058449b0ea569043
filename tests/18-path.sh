# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: the path of every traced sample has as many instructions as its latency
# has virtual nanoseconds, also under page faults, and tracing changes no sample;
# a flame graph, folded stacks and a difference come of it. Answers that were merged cost no path of the triggers
# after them.
# Runs: beside others
. tests/lib/lib.sh

cat >"$WORK/few.toml" <<-TOML
	version = 1
	about = "A few triggers while processes come and go"
	kernels = ["6.1"]
	states = ["exec"]
	[trigger]
	kind = "line"
	mode = "together"
	frequency = "1kHz"
	jitter = "uniform"
	jitter-amount = "500us"
	seed = 1
	count = 60
TOML

expect 2 "$IRQSCOPE" run "$WORK/few.toml" --trace 40 --rig local
says "rig twin"
expect 0 "$IRQSCOPE" run "$WORK/few.toml" --out "$WORK/traced" --trace 40
expect 0 "$IRQSCOPE" run "$WORK/few.toml" --out "$WORK/plain"
cmp "$WORK/traced/samples.parquet" "$WORK/plain/samples.parquet" || fail "tracing changed a sample"

expect 2 "$IRQSCOPE" path "$WORK/plain"
says "--trace N"
expect 2 "$IRQSCOPE" path "$WORK/traced" --case 6.1/idle
says "there are 6.1/exec"
expect 2 "$IRQSCOPE" path "$WORK/traced" --at 40
says "0 to 39"
expect 2 "$IRQSCOPE" path "$WORK/traced" --at median
expect 0 "$IRQSCOPE" path "$WORK/traced" --stage thread --at max --svg "$WORK/a.svg" --folded "$WORK/a.folded" --json
cp "$WORK/said" "$WORK/a.json"
expect 2 "$IRQSCOPE" path "$WORK/traced" --svg "$WORK/a.svg"
says "name another file"
expect 0 "$IRQSCOPE" path "$WORK/traced" --stage thread --from p50 --to max --json
cp "$WORK/said" "$WORK/b.json"
expect 0 "$IRQSCOPE" path "$WORK/traced" --stage thread
says "irqscope_sample_start [irqscope]"

python3 - "$WORK" <<'PY'
import json, sys, xml.etree.ElementTree as xml
work = sys.argv[1] + "/"
shown, both = json.load(open(work + "a.json")), json.load(open(work + "b.json"))
check, sample = shown["check"], shown["sample"]
assert check["samples"] == check["equal"] == 40 * 10 and not check["cut_off"], check
assert sample["instructions"] * 2 == sample["latency_ns"], sample
assert sum(one["own"] for one in shown["functions"]) == sample["instructions"]
folded = [line.rsplit(" ", 1) for line in open(work + "a.folded")]
assert sum(int(count) for _, count in folded) == sample["instructions"]
titles = [title.text for title in xml.parse(work + "a.svg").iter("{http://www.w3.org/2000/svg}title")]
assert any("instructions (100.0%)" in title for title in titles) or len(titles) > 20, titles[:3]
difference = both["difference"]
more = sum(one["after"] - one["before"] for one in difference["functions"])
assert more == difference["after"] - difference["before"] == both["second"]["sample"]["instructions"] - both["first"]["sample"]["instructions"]
PY

# Half of the answers of these bursts are merged, and look from outside as if they were still to come: the trace goes
# on without them, and what is not in it is not said to disagree.
expect 0 "$IRQSCOPE" run bursts --kernel 6.1 --count 640 --trace 640 --no-report --out "$WORK/merged"
expect 0 "$IRQSCOPE" path "$WORK/merged" --stage softirq --json
holds "$WORK/said" "j['check']['samples'] + j['check']['cut_off'] == 640 + 320 and j['check']['cut_off'] < 48" "the bursts' paths"
holds "$WORK/said" "j['check']['equal'] == j['check']['samples'] and not j['check']['mismatches']" "the bursts' paths"
