# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: the runs that each released version wrote are read by this one: their tables are derived again
# with the same samples, and they are compared, held against limits, explained and exported; the Python
# package reads them.
# Runs: beside others
. tests/lib/lib.sh

reads() { # STATUS COMMAND...
	local want=$1 got=0
	shift
	"$@" >"$WORK/said" 2>&1 || got=$?
	[ "$got" = "$want" ] || {
		cat "$WORK/said"
		fail "exit $got instead of $want with a run of $version: $* (keep a reader for it; a version \
that is not released gets its runs anew by scripts/release-runs)"
	}
}

count=0
for released in "$TESTS"/data/releases/*/; do
	version=$(basename "$released")
	cp -r "$released" "$WORK/$version"
	twin=$WORK/$version/twin imported=$WORK/$version/imported
	before=$(field "$twin/summary.json" "j['digest']")
	reads 0 "$IRQSCOPE" report "$twin" --wide
	says "6.1/load  triggers 40 = 40 complete"
	[ "$(field "$twin/summary.json" "j['digest']")" = "$before" ] || fail "other samples are derived from a run of $version"
	[ -s "$twin/report.html" ] || fail "no report of a run of $version"
	reads 0 "$IRQSCOPE" compare "$twin#6.1/idle" "$twin#6.1/load"
	says "user"
	reads 0 "$IRQSCOPE" gate "$twin" --max 'user<1s@max'
	reads 1 "$IRQSCOPE" gate "$twin" --max 'user<1ns@max'
	reads 0 "$IRQSCOPE" explain "$twin"
	says "latencies explained, 0 not the sum of their segments"
	for format in csv openmetrics lava hdr; do
		reads 0 "$IRQSCOPE" export "$twin" --format $format --out "$WORK/$version/twin.$format"
		[ -s "$WORK/$version/twin.$format" ] || fail "an empty $format of a run of $version"
	done
	reads 0 "$IRQSCOPE" export "$twin" --format vcd --case 6.1/idle --out "$WORK/$version/twin.vcd"
	reads 0 "$IRQSCOPE" report "$imported"
	reads 0 "$IRQSCOPE" export "$imported" --format rt-tests
	reads 0 "$IRQSCOPE" compare "$imported" "$released/imported"
	PYTHONPATH=python reads 0 target/venv/bin/python -c '
import irqscope, sys
run = irqscope.Run(sys.argv[1])
assert run.samples(stage="user").filter(view="outside").height == 80 and run.interference().height > 0
assert run.figures().height > 0 and irqscope.Run(sys.argv[2]).benchmark_figures().height > 0' "$twin" "$imported"
	count=$((count + 1))
done
[ $count -gt 0 ] || fail "there are no runs of released versions"
[ -d "$TESTS/data/releases/$("$IRQSCOPE" --version | cut -d' ' -f2)" ] || fail "this version has no runs: scripts/release-runs"
echo "$count versions"
