# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: tests/run itself. A test that passes, fails, is skipped or takes too long is
# counted as such, in words, TAP and JUnit, and nothing that it started survives it; a
# skip fails where skips are forbidden, unless the machine lacks what the test needs; a
# guest that was booted twice is counted; a number is exact, and a test that does not
# exist is an error.
# Runs: beside others
. tests/lib/lib.sh

mkdir "$WORK/suite"
test_file() { # NUMBER-NAME, its commands on stdin
	printf '# Goal: to %s.\n# Runs: beside others\n. tests/lib/lib.sh\n' "$1" >"$WORK/suite/$1.sh"
	cat >>"$WORK/suite/$1.sh"
}
test_file 1-pass <<<'echo fine'
test_file 10-skip <<<'skip moon "there is no moon"'
test_file 11-silent <<<'exit 77'
test_file 12-fail <<<'sleep 1000 & fail "<with> $(printf "\001") a reason"'
test_file 13-slow <<<'(trap "" TERM; sleep 1001) & sleep 1001'
test_file 14-boots <<<'echo positions >"$WORK/console.hung"'
test_file 15-boots <<<'mkdir "$WORK/b"; echo positions >"$WORK/b/console.hung"'

# Of the outer runner's settings none reaches the inner one.
suite() { # STATUS ARGUMENT...
	expect "$1" env -u IRQSCOPE_NO_SKIP IRQSCOPE_TESTS_OUTPUT="$WORK/output-of" \
		IRQSCOPE_DURATIONS="$WORK/durations.csv" ${NO_SKIP:+IRQSCOPE_NO_SKIP=1} \
		tests/run --directory "$WORK/suite" "${@:2}"
}

suite 0 --list
[ "$(wc -l <"$WORK/said")" = 7 ] || fail "not seven tests"
says "10  skip                    beside others                     -  to 10-skip."
suite 0 1
[ "$(tail -n 1 "$WORK/said")" = "1 passed, 0 failed, 0 skipped" ] || fail "1 is not 1-pass alone"
suite 0 --only pass 10-skip
says "skipped 10-skip (0 s): moon: there is no moon"
[ "$(tail -n 1 "$WORK/said")" = "1 passed, 0 failed, 1 skipped" ] || fail "names choose otherwise"
suite 2 1 2
says "no test is '2'"

suite 1 --jobs 4 --time-limit 2 --tap "$WORK/tap" --junit "$WORK/junit.xml"
[ "$(tail -n 1 "$WORK/said")" = "3 passed, 3 failed, 1 skipped" ] || fail "other counts"
says "FAILED  11-silent (0 s), exit 77, kept in"
says "FAILED  13-slow"
says "not done within 2 s"
says "slowest: 13-slow"
sed '/^slowest/q' "$WORK/said" | grep -A1 "^12-fail failed, exit 1:" | grep -q "a reason" ||
	fail "what a failed test said is not repeated at the end"
says "guests booted twice: 2, limit 1:"
nothing_left '^sleep 100[01]$'
grep -qx 'ok 2 - 10-skip # SKIP moon: there is no moon' "$WORK/tap" || fail "no skip in TAP"
[ "$(grep -c '^not ok' "$WORK/tap")" = 3 ] || fail "other failures in TAP"
python3 - "$WORK/junit.xml" "$WORK/durations.csv" <<'PY'
import csv, sys, xml.etree.ElementTree as tree
suite = tree.parse(sys.argv[1]).getroot()
assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("7", "3", "1")
[failed] = [case for case in suite if case.get("name") == "12-fail"]
assert "<with>  a reason" in failed.find("failure").text
rows = list(csv.DictReader(open(sys.argv[2])))
assert [row["verdict"] for row in rows if row["test"] == "1-pass"] == ["passed"] * 3
PY

# Parts have each test once, and durations of several machines become one table.
for part in 1/3 2/3 3/3; do
	suite 0 --part $part --list
	cat "$WORK/said" >>"$WORK/parts"
done
[ "$(sort "$WORK/parts" | uniq -c | awk '$1 == 1' | wc -l)" = 7 ] || fail "parts are not the whole"
suite 2 --part 4/3
says "'4/3' is no part: 2/4 is the second of four"
{
	cat "$WORK/durations.csv"
	printf 'when,commit,test,verdict,seconds\r\n2000-01-01T00:00:00+00:00,a,14-boots,passed,10.0\r\n'
} >"$WORK/both.csv"
mv "$WORK/both.csv" "$WORK/durations.csv"
suite 0 --trend
grep -qE '^1-pass +3 +0 ' "$WORK/said" || fail "not three passes"
grep -qE '^14-boots +2 +0 +5\.[0-9]s +0\.[0-9]s +0\.0' "$WORK/said" || fail "not the median of both, and the later one last"

# Two guests in one run are too many, one is not.
suite 1 14 15
suite 0 14

# A skip for which the machine gives no reason fails where skips are forbidden.
NO_SKIP=1 suite 1 10
says "skipped, though this machine could: moon: there is no moon"
test_file 16-rustup <<<'PATH=/usr/bin:/bin; skip rustup "there is no Rust for it"'
if tests/lib/machine.py rustup; then want=0; else want=1; fi
NO_SKIP=1 suite $want 16

# A test or a part of one that is left to make soak is counted, unless it is named or this is make soak.
mkdir "$WORK/long"
printf '# Goal: to take hours.\n# Runs: beside others, in make soak\nexit 0\n' >"$WORK/long/20-hours.sh"
printf '# Goal: to take more.\n# Runs: beside others\n. tests/lib/lib.sh\nin_soak "a thousand" && echo all\nexit 0\n' \
	>"$WORK/long/21-more.sh"
long() { # EXPECTED-LAST-LINE ARGUMENT...
	expect 0 env -u IRQSCOPE_SOAK IRQSCOPE_TESTS_OUTPUT="$WORK/output-of" IRQSCOPE_DURATIONS="$WORK/long.csv" \
		${SOAK:+IRQSCOPE_SOAK=1} tests/run --directory "$WORK/long" "${@:2}"
	[ "$(tail -n 1 "$WORK/said")" = "$1" ] || fail "not: $1"
}
long "1 passed, 0 failed, 0 skipped" --tap "$WORK/tap"
says "left to make soak: 1 tests; 21-more: a thousand"
grep -qx 'ok 1 - 20-hours # SKIP left to make soak' "$WORK/tap" || fail "not in TAP"
grep -q hours "$WORK/long.csv" && fail "a duration of what did not run"
long "1 passed, 0 failed, 0 skipped" 20
SOAK=1 long "2 passed, 0 failed, 0 skipped"
grep -q "left to" "$WORK/said" && fail "make soak leaves something out"
# Long tests begin first: by the header, then by how long they took.
mkdir "$WORK/order"
printf '# Goal: to be first by number.\n# Runs: beside others\nexit 0\n' >"$WORK/order/1-short.sh"
printf '# Goal: to begin first.\n# Runs: beside others, early\nexit 0\n' >"$WORK/order/2-long.sh"
order() { # EXPECTED-ORDER
	expect 0 env IRQSCOPE_TESTS_OUTPUT="$WORK/output-of" IRQSCOPE_DURATIONS="$WORK/order.csv" \
		tests/run --directory "$WORK/order" --jobs 1
	[ "$(sed -n 's/^ok *\([0-9]\).*/\1/p' "$WORK/said" | paste -s)" = "$1" ] || fail "another order than $1"
}
order $'2\t1'
printf 'when,commit,test,verdict,seconds\r\n2000-01-01T00:00:00+00:00,a,1-short,passed,99.0\r\n' >"$WORK/order.csv"
order $'1\t2'
printf '# Goal: to say it wrong.\n# Runs: beside others, soon\nexit 0\n' >"$WORK/order/3-wrong.sh"
expect 1 tests/run --directory "$WORK/order" --list
says "', early' where it takes a minute"
echo "PASS: every verdict is counted as what it is"
