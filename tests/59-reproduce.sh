# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: entries of the references run their experiments, each once, and show both figures; what
# is there is taken again; levels of an axis are addressed; a wrong name and a foreign run are refused; the page is
# written.
# Runs: beside others
. tests/lib/lib.sh

cd "$WORK"
expect 0 "$IRQSCOPE" reproduce --list
for reference in 1 2 3 4 5; do
	says " $reference, "
done
expect 2 "$IRQSCOPE" reproduce lost-softirq
says "there is no entry lost-softirq"

expect 0 "$IRQSCOPE" reproduce lost-softirqs counted-softirqs --out again --jobs 1 --markdown page.md --json
python3 - "$WORK" <<'PY'
import json, sys
work = sys.argv[1]
text = open(f"{work}/said").read()
lost, counted = json.loads(text[text.index("[\n"):])
print(lost["ours"], counted["ours"])
# Of 20 bursts of 16: the reference's figure, 16 to 14, and with a counter all.
assert lost["ours"] == [320.0, 280.0] and counted["ours"] == [320.0, 320.0]
assert lost["verdict"] == counted["verdict"] == {"is": "agrees"}
assert lost["their_ratio"] == lost["our_ratio"] == 0.875
PY
grep -q '| interrupts 16, softirqs 14 | interrupts 320, softirqs 280 |' page.md || fail "not on the page"
# One kernel with two boot lines, each a case: microseconds at worst with high-resolution timers, or milliseconds.
expect 0 "$IRQSCOPE" reproduce sched-hrtimers --out timers --json
python3 - "$WORK" <<'PY'
import json, sys
text = open(f"{sys.argv[1]}/said").read()
[timers] = json.loads(text[text.index("[\n"):])
print(timers["ours"], timers["size"])
without, with_ = timers["ours"]
assert with_ < 50 and 1_000 < without < 5_000 and timers["verdict"] == {"is": "agrees"}
assert timers["entry"]["quantity"][0]["case"] == "6.1/idle/highres-off"
PY

before=$(stat -c %Y%i again/bursts/run.log)
expect 0 "$IRQSCOPE" reproduce lost-softirqs --out again
says "1 of 1 entries agree in sign and order"
[ "$before" = "$(stat -c %Y%i again/bursts/run.log)" ] || fail "it was measured again"

# A page that is there stays.
before=$(cksum page.md)
expect 2 "$IRQSCOPE" reproduce lost-softirqs --out again --markdown page.md
says "name another file"
[ "$before" = "$(cksum page.md)" ] || fail "a page was overwritten"

# Another run in an experiment's place is neither taken nor overwritten.
mv again/counted again/hog
expect 2 "$IRQSCOPE" reproduce hog-softirqs --out again
says "has another or an incomplete run"
expect 2 "$IRQSCOPE" reproduce lost-softirqs --out again --markdown /nonexistent/page.md
says "cannot write /nonexistent/page.md"
