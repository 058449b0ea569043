# SPDX-License-Identifier: Apache-2.0 OR MIT
# Goal: the worst instant for an interrupt within a window: two windows that begin elsewhere find the same
# latency, within what they say of their bounds; it is as late once more in a run of its own, whose path
# is as long; what has no such instant is refused.
# Runs: beside others, early
. tests/lib/lib.sh

worst() { # OUT OPTION...
	local out=$1
	shift
	expect 0 "$IRQSCOPE" worst demo --kernel 6.1 --state load --stage user --json --out "$WORK/$out" "$@"
	sed -n '/^{/,$p' "$WORK/said" >"$WORK/$out.json"
}

worst wide --from 4ms --window 150us --jobs 2
at=$(field "$WORK/wide.json" "j['at_ns']")
worst narrow --from "$((at - 20011))ns" --window 40us --measure 150
python3 - "$WORK/wide.json" "$WORK/narrow.json" <<'PY'
import json, sys
wide, narrow = (json.load(open(path)) for path in sys.argv[1:])
print({key: (wide[key], narrow[key]) for key in ("at_ns", "latency_ns", "bound_ns", "measured", "exceptions", "excess_ns")})
for found in (wide, narrow):
    assert found["stage"] == "user" and found["bound_ns"] >= found["latency_ns"], found
    assert max(latency for _, latency in found["instants"]) == found["latency_ns"]
    assert len(found["instants"]) == found["measured"]
# Both windows hold both instants: neither finds more than the other one's bound, and what they find
# differs by no more than an earlier trigger was seen to be late.
for found, other in (wide, narrow), (narrow, wide):
    assert found["latency_ns"] <= other["bound_ns"], "a window finds more than another one's bound"
excess = max(wide["excess_ns"], narrow["excess_ns"])
assert abs(wide["latency_ns"] - narrow["latency_ns"]) <= max(excess, 2), "two windows find two latencies"
# Where no earlier trigger was later by more than a few instructions they find one instant, to the instruction.
if excess <= 60:
    assert abs(wide["at_ns"] - narrow["at_ns"]) <= 2, "two windows find two instants"
PY
holds "$WORK/wide/summary.json" \
	"[s['max_ns'] for s in c['stages'] if s['stage'] == 'user' and s['view'] == 'outside'] == [$(field "$WORK/wide.json" "j['latency_ns']")]" \
	"the run of the worst instant has another latency"
expect 0 "$IRQSCOPE" path "$WORK/wide" --stage user --json
expect 0 "$IRQSCOPE" run demo --kernel 6.1 --state load --stage user --count 1 --set twin.settled=true \
	--set trigger.packet=1 --set "twin.first=${at}ns" --out "$WORK/again" --no-report
cmp "$WORK/again/samples.parquet" "$WORK/wide/samples.parquet" || fail "the same instant gives another sample"

expect 2 "$IRQSCOPE" worst demo --kernel 6.1 --stage user
says "choose by --kernel and --state"
expect 2 "$IRQSCOPE" worst demo --kernel 6.1 --state load --stage user --stage irq
says "give one --stage"
expect 2 "$IRQSCOPE" worst demo --kernel 6.1 --state load --set trigger.kind=timer --set 'views=["inside"]'
says "trigger.kind"
expect 2 "$IRQSCOPE" worst demo --state load --rig local
says "twin"
expect 2 "$IRQSCOPE" run demo --set twin.first=2h
says "twin.first is at most one hour"
