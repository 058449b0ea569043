# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: a scenario of one's own is written, checked, changed by options and run, and what options and file do not
# agree on is refused before anything runs.
# Runs: beside others

. tests/lib/lib.sh
cd "$WORK"

expect 0 "$IRQSCOPE" scenario new mine.toml
expect 0 "$IRQSCOPE" scenario check mine.toml demo
says "mine.toml: fine, 4 cases"
expect 2 "$IRQSCOPE" scenario new mine.toml
says "name another file"

# Everything that is wrong is said at once, each with its line.
sed 's/frequency = "1kHz"/frequency = "1000"/; s/jitter = "uniform"/jiter = "uniform"/' mine.toml >wrong.toml
expect 2 "$IRQSCOPE" scenario check wrong.toml
says "with its unit: 16Hz"
says 'did you mean `jitter`?'
says "wrong.toml:$(grep -n '^frequency' wrong.toml | cut -d: -f1):"
says "wrong.toml:$(grep -n '^jiter' wrong.toml | cut -d: -f1):"

# Options are keys: shown, and what does not go together refused.
expect 0 "$IRQSCOPE" scenario show mine.toml --stage irq --state idle --kernel 6.1 --count 40 --set trigger.frequency=5kHz
says 'frequency = "5kHz"'
says "#   6.1/idle: 40 samples"
expect 0 "$IRQSCOPE" scenario schema
cp "$WORK/said" schema.json
(cd "$TESTS/.." && target/venv/bin/python "$TESTS/28-scenario.py" "$IRQSCOPE" "$WORK/schema.json" "$WORK") ||
	fail "the schema and the program disagree"
expect 2 "$IRQSCOPE" run intspect --rig ssh --host nowhere --connect serial:///dev/nowhere
says "add irq to stages"
expect 2 "$IRQSCOPE" run bursts-counter --rig board
says "--set compensate=none"
expect 2 "$IRQSCOPE" run demo --set trigger.perod=1ms
says 'did you mean `period`?'

# The manifest has the file as it is and what was set outside it.
expect 0 "$IRQSCOPE" run mine.toml --kernel 6.1 --stage irq --stage user --state idle --count 40 --seed 7 \
	--set trigger.frequency=5kHz --out run
[ "$(field run/manifest.json "j['scenario_toml']")" = "$(cat mine.toml)" ] || fail "the file's text is another one"
holds run/manifest.json "'trigger.seed=7' in j['overrides']" "the manifest lacks an option"
plan="j['cases'][0]['plan']['work']['stages']"
holds run/manifest.json "[$plan['period_ns'], $plan['count'], $plan['seed']] == [200000, 40, 7]" \
	"the plan is not what was asked for"
holds run/manifest.json "$plan['stages'] == ['irq', 'user']" "the stages are not those that were asked for"
