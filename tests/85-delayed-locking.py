# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Judges what 85-delayed-locking.sh has left in a directory."""

import re
import sys
from pathlib import Path

WORK = Path(sys.argv[1])
# Sections that the manager may not put off, or whose locks it cannot foresee.
CANNOT_WAIT = {"state"}
KINDS = ["lock", "bh", "irq", "irqsave", "nested", "rcu", "state", "remote"]
# Of sections of 1 ms; a section is as long as it is, plus what the lock takes.
LENGTH_NS = 1_000_000
MARGIN_NS = 20_000
# A period of 1 ms, 200 times, is too short for sections of 1.5 ms; 20 refusals.
STARVED_PERIODS, REFUSALS = 200, 20


def said(word):
    """Lines of the script's output that begin with `word`, split."""
    lines = (WORK / "script.output").read_text().splitlines()
    return [line.split()[1:] for line in lines if line.startswith(word + " ")]


def events(kind):
    """(name, fields) of each event of a trace, in order."""
    for line in (WORK / f"trace.{kind}").read_text().splitlines():
        if found := re.search(r"(dlock_\w+): (.*)", line):
            fields = dict(re.findall(r"(\w+)=(\S+)", found[2]))
            yield found[1], {k: int(v) if v.isdigit() else v for k, v in fields.items()}


def margin_ns():
    """The time that the rule leaves for what lies between a decision and its section."""
    return int((WORK / "margin").read_text())


def fits(fields):
    """The rule."""
    return fields["expected_ns"] + margin_ns() <= fields["left_ns"]


def figures(name):
    lines = (WORK / name).read_text().splitlines()
    return {key: int(value) for key, value in (line.split() for line in lines)}


def sites(kind):
    """(function, count, longest, average) of each site of the module."""
    rows = [line.split("\t") for line in (WORK / f"sites.{kind}").read_text().splitlines()]
    return [(row[3], int(row[5]), int(row[6]), int(row[7])) for row in rows]


def the_hooks_cost_one_instruction_each():
    cost = {mode: (int(bare), int(hooked)) for mode, bare, hooked in said("cost")}
    # 1000 pairs; an instruction is 2 ns on this clock.
    instructions = {mode: (hooked - bare) / 2000 for mode, (bare, hooked) in cost.items()}
    print(f"instructions per lock and unlock beyond the bare ones: {instructions}")
    assert instructions["off"] <= 2.0, "off costs more than a patched-out jump per hook"
    assert 2.0 < instructions["monitor"] < 40.0, "the monitor's short way has become longer"
    assert 0.0 <= instructions["on"] - instructions["monitor"] <= 5.0, "far from an urgent timer more is done than a comparison"


def sections_are_as_long_as_they_are(kind):
    for function, count, longest, average in sites(kind):
        length = LENGTH_NS * 3 // 4 if kind == "nested" else LENGTH_NS
        if kind == "nested" and average < length - MARGIN_NS:
            length = LENGTH_NS // 2  # the inner lock's
        assert count > 10, f"{kind}: {function} seen {count} times"
        # It ends by the clock. Handlers that hit it are counted in, softirqs are not.
        assert abs(average - length) < MARGIN_NS, f"{kind}: {function} {average} ns"
        assert longest >= length, f"{kind}: {function} {longest} ns"


def refusals_obey_the_rule(kind):
    refused = 0
    for name, fields in events(kind):
        if name in ("dlock_refuse", "dlock_force", "dlock_cannot_wait", "dlock_softirq_left"):
            assert not fits(fields), (kind, name, fields)
            refused += name == "dlock_refuse"
        if name == "dlock_enter":
            assert fits(fields), (kind, fields)
    assert refused == figures(f"decisions.{kind}")["refused"], f"{kind}: {refused} in the trace"
    assert bool(refused) == (kind not in CANNOT_WAIT), f"{kind}: {refused} refused"


def search_for_a_section_that_should_have_been_refused(kind):
    """No section that is under way at an urgent instant was let in against the
    rule: it had permission, or could not wait, or was forced; or it lasted longer
    than its site had ever."""
    decision, ends, holds = {}, [], []
    for name, fields in events(kind):
        site = (fields.get("file"), fields.get("line"))
        if name in ("dlock_enter", "dlock_cannot_wait", "dlock_force"):
            decision[site] = (name, fields)
        elif name == "dlock_hold":
            holds.append((fields, decision.pop(site, None)))
        elif name == "dlock_urgent_end" and fields["now_ns"] >= fields["expires_ns"]:
            ends.append(fields["expires_ns"])
    covered = 0
    spans = [(fields["start_ns"], fields["start_ns"] + fields["hold_ns"]) for fields, _ in holds]
    for (start, end), (fields, reason) in zip(spans, holds):
        # Decided with the section around it; a pass of softirqs, by its vectors.
        if any(begin < start < over for begin, over in spans) or fields["function"] == "handle_softirqs":
            continue
        hit = [instant for instant in ends if start < instant < end]
        if not hit:
            continue
        covered += 1
        assert reason, f"{kind}: late by {fields} without a decision"
        name, decided = reason
        surprise = fields["hold_ns"] > decided["expected_ns"]
        assert name != "dlock_enter" or surprise, f"{kind}: late by {fields} after {decided}"
    print(f"{kind}: {len(ends)} wakeups, {covered} within a section, each explained")
    return covered


def the_process_is_not_late(kind):
    late = {mode: {row[0]: list(map(int, row[1:])) for row in said(mode)} for mode in ("off", "on")}
    off, on = late["off"][kind], late["on"][kind]
    print(f"{kind}: latency min mean max off {off} on {on} ns")
    if kind not in CANNOT_WAIT:
        assert on[1] * 3 < off[1], f"{kind}: mean latency {on[1]} against {off[1]}"
        assert on[2] * 10 < LENGTH_NS, f"{kind}: a wakeup is {on[2]} ns late"


def each_policy_expects_what_it_says():
    """After sections of 3 ms there were only ones of 1 ms, less the softirqs that hit them."""
    for policy, (least, most) in {"maximum": (3_000_000, 3_100_000), "average": (950_000, 1_050_000)}.items():
        refused = (fields for name, fields in events(policy) if name == "dlock_refuse")
        expected = [fields["expected_ns"] for fields in refused if fields["function"] == "section_lock"]
        print(f"policy {policy}: {len(expected)} refusals, of sections expected to last {min(expected)} to {max(expected)} ns")
        assert len(expected) >= 10 and least <= min(expected) <= max(expected) <= most, policy
    (average,) = (list(map(int, row[1:])) for row in said("policy") if row[0] == "average")
    assert average[2] * 10 < LENGTH_NS, f"a wakeup is {average[2]} ns late"


def sections_meanwhile(kind):
    """Sections that began between the first urgent timer's start and the last
    one's end."""
    begin, end, starts = None, None, []
    for name, fields in events(kind):
        if name == "dlock_urgent_arm":
            begin = begin or fields["expires_ns"]
        elif name == "dlock_urgent_end":
            end = fields["expires_ns"]
        elif name == "dlock_hold" and "sections_test" in fields["file"]:
            starts.append(fields["start_ns"])
    return sum(begin < start < end for start in starts)


def starvation_is_avoided():
    sections = {kind: sections_meanwhile(kind) for kind in ("warn", "refuse")}
    warned, refused = figures("decisions.warn"), figures("decisions.refuse")
    print(f"starvation: {sections} sections, {warned['forced']} forced, {warned['refused']} refused")
    # A forced section makes the process late, by as much as it outlasts the period.
    assert warned["forced"] >= STARVED_PERIODS // (REFUSALS + 2), warned
    assert warned["refused"] >= REFUSALS * warned["forced"], warned
    assert sections["warn"] == warned["forced"], warned
    assert warned["short_periods"] >= STARVED_PERIODS - 10, warned
    # Sleeps as long as the safe period leave room for a section in each.
    assert refused["forced"] == 0 and sections["refuse"] > 5 * sections["warn"], refused


the_hooks_cost_one_instruction_each()
for each in KINDS:
    sections_are_as_long_as_they_are(each)
    refusals_obey_the_rule(each)
    search_for_a_section_that_should_have_been_refused(each)
    the_process_is_not_late(each)
each_policy_expects_what_it_says()
starvation_is_avoided()
