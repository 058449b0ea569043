# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: every command of the tour, of the pages for continuous integration and of those for people
# who come from another tool runs as it stands there, in an empty directory, and leaves behind what
# the page says.
# Runs: beside others, early
. tests/lib/lib.sh

# DuckDB's command line is not among the packages of tests; its engine is.
mkdir "$WORK/bin"
ln -s "$(realpath "$IRQSCOPE")" "$WORK/bin/irqscope"
cat >"$WORK/bin/duckdb" <<-SHIM
	#!$PWD/target/venv/bin/python
	import sys, duckdb
	assert sys.argv[1] == "-c" and len(sys.argv) == 3, sys.argv
	print(duckdb.sql(sys.argv[2]))
SHIM
chmod +x "$WORK/bin/duckdb"
export IRQSCOPE_PARTS=$PARTS PATH=$WORK/bin:$PATH

# Runs the commands of a document in a directory of its own, and requires how many there are at least.
follow() { # DOCUMENT COMMANDS
	local name script began=$SECONDS
	name=$(basename "$1" .md)
	script=$WORK/$name.script
	python3 "$TESTS/lib/commands.py" "$1" >"$script"
	[ "$(grep -cE '^(irqscope|cyclictest|duckdb|cat) ' "$script")" -ge "$2" ] || fail "$1: fewer than $2 commands were found"
	mkdir -p "$WORK/$name"
	(cd "$WORK/$name" && bash -eux "$script") >"$WORK/$name.output" 2>&1 ||
		fail "$1: $(tail -n 30 "$WORK/$name.output")"
	echo "$1: $(grep -c '^+ irqscope' "$WORK/$name.output") commands of irqscope in $((SECONDS - began)) s"
}
shows() { # DOCUMENT TEXT
	grep -qF -- "$2" "$WORK/$1.output" || fail "$1 does not show: $2: $(cat "$WORK/$1.output")"
}

follow docs/tour.md 17
tour=$WORK/tour
shows tour "too late without a real-time priority"
shows tour "later than the baseline"
[ -s "$tour/first/report.html" ] && [ -s "$tour/after.csv" ] || fail "the tour leaves no report or export"
grep -q '^irqscope_latency_seconds{.*stage="user"' "$tour/after.prom" || fail "no metrics"
# The page says less than half, under the stream; idle is the first case.
for run in before after; do
	field "$tour/$run/summary.json" \
		"max(s['max_ns'] for s in j['cases'][1]['stages'] if (s['stage'], s['view']) == ('user', 'outside'))" >"$WORK/$run.worst"
done
[ $((2 * $(cat "$WORK/after.worst"))) -lt "$(cat "$WORK/before.worst")" ] || fail "the tour's figures do not hold"

follow docs/ci.md 9
python3 - "$WORK/ci" <<'PY'
import pathlib, sys, xml.etree.ElementTree as xml
for name, verdicts in ("verdicts.xml", 2), ("limits.xml", 2), ("against.xml", 4):
    suites = xml.parse(pathlib.Path(sys.argv[1], name)).getroot()
    cases = list(suites.iter("testcase"))
    assert (len(cases), suites.get("failures")) == (verdicts, "0"), (name, len(cases), suites.attrib)
PY
shows ci "ok 1 - 6.1-rt/stream"

# Recordings in place of the tools that are not here.
mkdir "$WORK/from-rtla" "$WORK/from-latmus"
cp "$TESTS/data/rtla-timerlat.txt" "$WORK/from-rtla/timerlat.txt"
printf '# sampling period: 1000 microseconds\n# min latency: 1.100\n# avg latency: 2.000\n# max latency: 3.400\n# sample count: 6\n1 2\n2 3\n3 1\n' \
	>"$WORK/from-latmus/plot.txt"
follow docs/from-cyclictest.md 10
shows from-cyclictest "in which order they came is not known, so there is no interval and no test"
follow docs/from-rtla.md 3
shows from-rtla ": not on this machine: rtla"
follow docs/from-latmus.md 3
shows from-latmus "begins"
