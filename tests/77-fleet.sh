# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: a plan's jobs are measured once each, also when the fleet is killed or asked to end in the
# middle; a job that fails stops no other; a result that is known is not measured again, and a changed
# setting is; runs are put into a lake, once; a wrong plan, another plan's directory, a busy one and a
# damaged journal are refused.
# Runs: beside others
. tests/lib/lib.sh

cp "$TESTS/scenarios/quick.toml" "$WORK"
plan() { # NAME LINE...
	printf '%s\n' 'version = 1' 'scenarios = ["quick.toml"]' "${@:2}" >"$WORK/$1.toml"
}
runs() { "$IRQSCOPE" fleet status "$WORK/$1" --json >"$WORK/$1.json" || true; }
jobs() { field "$WORK/$1.json" "sum(1 for one in j if one.get('event') == '$2')"; }

plan nightly 'kernels = ["6.1", "6.1-rt"]' 'seeds = [1, 2, 3]' 'set = ["trigger.count=200", "stages=[\"irq\", \"user\"]"]'
expect 0 "$IRQSCOPE" fleet show "$WORK/nightly.toml"
says "6 jobs in 1 places"
says "irqscope run $WORK/quick.toml --kernel 6.1-rt --seed 3"

# Killed in the middle, with what it started; then asked to end; then it goes on.
"$IRQSCOPE" fleet run "$WORK/nightly.toml" --out "$WORK/nightly" --jobs 2 >"$WORK/killed" 2>&1 &
fleet=$!
done_one() { grep -q '"done"' "$WORK/nightly/journal.jsonl" 2>/dev/null; }
within 120 done_one
expect 2 "$IRQSCOPE" fleet run "$WORK/nightly.toml" --out "$WORK/nightly"
says "is being worked on by another irqscope fleet run"
kill -KILL $fleet
wait $fleet || true
nothing_left "(irqscope run|qemu-system-x86_64).*$WORK/nightly"
printf '{"job":"quick-6.1-se' >>"$WORK/nightly/journal.jsonl" # as a kill in the middle of a line leaves it
"$IRQSCOPE" fleet run "$WORK/nightly.toml" --out "$WORK/nightly" --jobs 1 >"$WORK/asked" 2>&1 &
fleet=$!
begun() { grep -q "begins" "$WORK/asked"; }
within 60 begun
kill -TERM $fleet
status=0
wait $fleet || status=$?
[ $status = 130 ] || fail "exit $status after SIGTERM: $(cat "$WORK/asked")"
nothing_left "(irqscope run|qemu-system-x86_64).*$WORK/nightly"
expect 0 "$IRQSCOPE" fleet run "$WORK/nightly.toml" --out "$WORK/nightly"
runs nightly
[ "$(jobs nightly "done")" = 6 ] || fail "not all are done: $(cat "$WORK/nightly.json")"
[ "$(grep -c '"done"' "$WORK/nightly/journal.jsonl")" = 6 ] || fail "a job was measured twice"
for run in "$WORK"/nightly/runs/*[0-9]; do
	[ ! -e "$run/summary.json" ] || holds "$run/summary.json" "c['complete'] == c['triggers'] == 200" "$run"
done
expect 0 "$IRQSCOPE" fleet run "$WORK/nightly.toml" --out "$WORK/nightly"
says "6 of 6 jobs are done already"

# The same command with a lake puts there what was measured already, once; a lake that does not take runs
# is said, and leaves the results as they are.
export PATH=$PWD/target/venv/bin:$PATH PYTHONPATH=$PWD/python PYTHONDONTWRITEBYTECODE=1
for _ in once again; do
	expect 0 "$IRQSCOPE" fleet run "$WORK/nightly.toml" --out "$WORK/nightly" --lake "$WORK/lake"
done
[ "$(grep -c '"kept"' "$WORK/nightly/journal.jsonl")" = 6 ] || fail "not each run is put into the lake once"
python -m irqscope.lake query "SELECT count(DISTINCT run) AS runs, sum(complete) AS complete, min(place) AS place FROM runs" \
	--lake "$WORK/lake" >"$WORK/lake.csv"
[ "$(tail -n 1 "$WORK/lake.csv")" = "6,1200,here" ] || fail "the lake has: $(cat "$WORK/lake.csv")"
touch "$WORK/file"
expect 3 "$IRQSCOPE" fleet run "$WORK/nightly.toml" --out "$WORK/nightly" --lake "$WORK/file"
says "not in $WORK/file"
runs nightly
[ "$(jobs nightly "done")" = 6 ] || fail "a lake took results away"
expect 0 "$IRQSCOPE" fleet run "$WORK/nightly.toml" --out "$WORK/nightly" --lake "$WORK/lake"
expect 2 env PYTHONPATH= "$IRQSCOPE" fleet run "$WORK/nightly.toml" --out "$WORK/nightly" --lake "$WORK/lake"
says "python3 -m irqscope.lake has to work"

# Another night: what is alike is known, what is not is measured.
sed 's/seeds = .*/seeds = [3, 4]/' "$WORK/nightly.toml" >"$WORK/next.toml"
expect 0 "$IRQSCOPE" fleet run "$WORK/next.toml" --out "$WORK/next" --known "$WORK/nightly" --lake "$WORK/lake"
says "2 measured + 2 known"
[ "$(grep -c '"kept"' "$WORK/next/journal.jsonl")" = 4 ] || fail "not each result of the other night is in the lake"
runs next
[ "$(field "$WORK/next.json" "all(one['job'].endswith('seed3') == (one['event'] == 'known') for one in j)")" = True ] || fail "another one is known"
expect 0 "$IRQSCOPE" fleet run "$WORK/next.toml" --out "$WORK/anew" --anew
says "4 measured + 0 known"
known=$(field "$WORK/next.json" "[one['run'] for one in j if one['job'] == 'quick-6.1-seed3'][0]")
cmp "$WORK/anew/runs/quick-6.1-seed3/samples.parquet" "$known/samples.parquet" ||
	fail "what was known is not what is measured"

# A job that fails is named with its words, and the others have their results.
plan fails 'set = ["trigger.count=20"]' '[place.good]' 'set = ["kernels=[\"6.1\"]"]' '[place.bad]' \
	'set = ["kernels=[\"6.1\"]", "trigger.count=100000", "twin.limit=1"]' '[place.away]' 'host = "root@127.0.0.1"' 'set = ["ssh.port=1", "trigger.kind=timer", "views=[\"inside\"]"]'
expect 3 "$IRQSCOPE" fleet run "$WORK/fails.toml" --out "$WORK/fails" --json
runs fails
[ "$(jobs fails "done")" = 1 ] && [ "$(jobs fails failed)" = 2 ] || fail "not one done and two failed: $(cat "$WORK/fails.json")"
[ "$(field "$WORK/fails.json" "all(one['why'] and one['attempts'] == 2 for one in j if one['event'] == 'failed' and one['exit'] == 3)")" = True ] ||
	fail "a lost rig is not tried again: $(cat "$WORK/fails.json")"
grep -q "127.0.0.1" "$WORK/fails/logs/quick-away.log" || fail "the log does not say which machine"

# Refused at once.
plan wrong 'kernel = ["6.1"]'
expect 2 "$IRQSCOPE" fleet run "$WORK/wrong.toml" --out "$WORK/none"
says "unknown field \`kernel\`"
plan wrong 'set = ["trigger.perdio=1ms"]'
expect 2 "$IRQSCOPE" fleet run "$WORK/wrong.toml" --out "$WORK/none"
says "trigger.perdio"
plan wrong '[place.x]' 'host = "a"' 'tags = { b = "c" }'
expect 2 "$IRQSCOPE" fleet run "$WORK/wrong.toml" --out "$WORK/none"
says "a host or tags, not both"
expect 2 "$IRQSCOPE" fleet run "$WORK/next.toml" --out "$WORK/nightly"
says "belongs to another plan"
expect 2 "$IRQSCOPE" fleet run "$WORK/next.toml" --out "$WORK"
says "is no fleet's directory"
[ ! -e "$WORK/none" ] || fail "a refused plan left a directory behind"
sed -i '2s/.*/damaged/' "$WORK/next/journal.jsonl"
expect 2 "$IRQSCOPE" fleet status "$WORK/next"
says "line 2 of the journal is damaged"
