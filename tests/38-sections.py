# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Judges the sections of directory WORK's runs: none, irq, softirq, faults."""

import json
import sys

INSTRUCTION_NS = 2
DELAY_NS = 1000 * INSTRUCTION_NS
FAULT_NS = 200_000


def load(name):
    with open(f"{sys.argv[1]}/{name}.json", encoding="utf-8") as file:
        return json.load(file)


def of(case, kind, wanted):
    """The sections of a kind whose function is wanted, as (count, total, longest)."""
    rows = [row for row in case["sites"] if row["kind"] == kind and wanted(row["function"])]
    assert rows, (kind, sorted(row["function"] for row in case["sites"]))
    return sum(row["count"] for row in rows), sum(row["total_ns"] for row in rows), max(row["max_ns"] for row in rows)


def interrupt(case, kind):
    return of(case, kind, lambda function: function == "irq_entries_start")


cases = {name: load(name)[0] for name in ("none", "irq", "softirq")}
for case in cases.values():
    assert case["source"] == "instructions" and case["others"] == 0, case["source"]
    for row in case["sites"]:
        assert row["count"] == sum(row["histogram"]) and row["max_ns"] <= row["total_ns"], row
for kind, delayed in (("interrupts off", {"irq"}), ("preemption off", {"irq", "softirq"})):
    count, total, _ = interrupt(cases["none"], kind)
    assert count == 200, (kind, count)
    for name in ("irq", "softirq"):
        more = DELAY_NS if name in delayed else 0
        got = interrupt(cases[name], kind)
        assert got[:2] == (count, total + count * more), (kind, name, got, count, total)

truth = {case["case"]: case["kinds"] for case in load("truth")}
for case in load("faults"):
    for fault, kind in (("irqs-off", "interrupts off"), ("preempt-off", "preemption off")):
        name = f"irqscope_fault_{fault.replace('-', '_')} [irqscope_faults]"
        count, total, longest = of(case, kind, lambda function, name=name: function == name)
        acted = truth[case["case"]][fault]["faults"]
        # The module's culprits act before the run's first trigger as well, and after its last.
        assert 20 < count <= acted, (case["case"], fault, count, acted)
        assert FAULT_NS < total / count, (fault, count, total)
        # Nothing interrupts the one; a trigger and its softirq, or a tick, may interrupt the other.
        most = FAULT_NS + (1_000 if fault == "irqs-off" else 200_000)
        assert longest < most, (case["case"], fault, longest)
