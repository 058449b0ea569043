# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: every stage that a kernel has answers every trigger, on all four kernels and
# in both views,
# with a clean kernel log, a table, the identity and the cost printed; the first screen of a run
# has an answer, fits, and its table can be sorted and read by programs.
# Runs: beside others
. tests/lib/lib.sh

expect 0 "$IRQSCOPE" run "$TESTS/scenarios/quick.toml" --wide --out "$WORK/run"
says "triggers 300 = 300 complete"
for kernel in 6.1 6.1-rt 6.12 6.12-rt; do
	says "$kernel/idle"
done
python3 - "$WORK/run/summary.json" <<'PY'
import itertools, json, sys
everywhere = "irq softirq tasklet_hi tasklet work_hi work work_unbound thread kthread user".split()
for case in json.load(open(sys.argv[1]))["cases"]:
    stages = everywhere + ["work_bh"] * (case["kernel"] in ("6.12", "6.12-rt")) # it came with 6.9
    answers = {(stage["stage"], stage["view"]): stage["count"] for stage in case["stages"]}
    assert answers == dict.fromkeys(itertools.product(stages, ("outside", "inside")), 300), (case["case"], answers)
PY
[ "$(field "$WORK/run/manifest.json" "j['complete']")" = True ] || fail "manifest is not complete"

# The first screen: an answer of 20 lines at most and a table, which fit 80 columns and have no
# colours in a pipe; on a terminal of any width they fit that, and NO_COLOR is heeded.
cd "$WORK"
expect 0 "$IRQSCOPE" report run
says "The worst response of each case:"
says "All 1,200 triggers are accounted for: 1,200 complete"
# A sentence goes on in the next line wherever that is.
tr -s '\n ' ' ' <"$WORK/said" >"$WORK/unwrapped"
grep -q "on 6.12-rt: " "$WORK/unwrapped" || { cat "$WORK/said"; fail "compares no kernels"; }
says "next: irqscope run … --explain"
says "report  run/report.html"
python3 - said <<'PY'
import sys
lines = open(sys.argv[1]).read().split("\n")
long = [line for line in lines if len(line) > 80]
assert not long, long
assert lines.index("") <= 20, "the answer is longer than 20 lines"
assert "\x1b" not in "".join(lines)
heads = lines[lines.index("") + 1].split()
assert heads == "stage case p50 p99 max lost".split(), heads
PY
on_terminal() { # COLUMNS COMMAND
	script -qec "stty cols $1; $2" typescript </dev/null >/dev/null
	sed -e '/^Script /d' -e 's/\r$//' typescript >said
}
for columns in 60 200; do
	NO_COLOR=1 on_terminal $columns "$IRQSCOPE report run"
	[ "$(sed -n '/^stage/,/^$/p' said | wc -L)" -le $columns ] || { cat said; fail "the table does not fit $columns columns"; }
	! grep -q "$(printf '\033')" said || fail "a colour in spite of NO_COLOR"
done
grep -q '^stage.* mean ' said || { cat said; fail "a wide terminal has no more columns"; }

expect 0 "$IRQSCOPE" report run --csv --columns stage,case,count,max,lost --sort max
python3 - said <<'PY'
import csv, json, sys
rows = list(csv.DictReader(open(sys.argv[1])))
assert list(rows[0]) == ["stage", "case", "count", "max_ns", "lost"], rows[0]
maxima = [float(row["max_ns"]) for row in rows]
assert maxima == sorted(maxima, reverse=True)
said = {(row["stage"], row["case"]): (int(row["count"]), float(row["max_ns"])) for row in rows}
cases = json.load(open("run/summary.json"))["cases"]
stages = [(one, case["case"]) for case in cases for one in case["stages"] if one["view"] == "outside"]
assert said == {(one["stage"], case): (one["count"], one["max_ns"]) for one, case in stages}
PY
expect 2 "$IRQSCOPE" report run --columns stage,longest
says "p99.999"
expect 2 "$IRQSCOPE" report run --wide --sort max
