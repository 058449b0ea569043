# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Judges the sections of directory WORK's runs: none, irq, softirq, faults, those of other machines and
triggers, KERNEL,KIND each, a benchmark's, and if there is a third word those by tracepoints."""

import json
import sys

import duckdb

INSTRUCTION_NS = 2
DELAY_NS = 1000 * INSTRUCTION_NS
FAULT_NS = 200_000
# A tick's work is less than this.
TICK_NS = 20_000


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


def met(name, delays):
    """The triggers whose latencies differ from those without a delay by anything else: they met a
    tick or a thread in one of the two runs and not in the other."""
    none, other = (f"{sys.argv[1]}/{run}/samples.parquet" for run in ("none", name))
    pairs = f"'{none}' a JOIN '{other}' b USING (seq, stage, \"view\")"
    changes = duckdb.sql(f"SELECT seq, stage, b.latency_ns - a.latency_ns FROM {pairs}").fetchall()
    assert len(changes) == 2 * 2 * 200, len(changes)
    return len({seq for seq, stage, change in changes if change != delays[stage]})


cases = {name: load(name)[0] for name in ("none", "irq", "softirq")}
for case in cases.values():
    assert case["source"] == "instructions" and case["others"] == 0, case["source"]
    for row in case["sites"]:
        assert row["count"] == sum(row["histogram"]) and row["max_ns"] <= row["total_ns"], row
others = {
    "irq": met("irq", {"irq": DELAY_NS, "softirq": DELAY_NS}),
    "softirq": met("softirq", {"irq": 0, "softirq": DELAY_NS}),
}
assert all(count <= 2 for count in others.values()), others
for kind, delayed in (("interrupts off", {"irq"}), ("preemption off", {"irq", "softirq"})):
    count, total, _ = interrupt(cases["none"], kind)
    assert 198 <= count <= 200, (kind, count)
    for name in ("irq", "softirq"):
        more = DELAY_NS if name in delayed else 0
        got = interrupt(cases[name], kind)
        # To the instruction, but for triggers that met something else, whose section may be part of
        # another one.
        assert abs(got[0] - count) <= others[name], (kind, name, got, count)
        change = got[1] - total - count * more
        assert abs(change) <= TICK_NS * others[name], (kind, name, got, total, others)

# The entries of the interrupts that answer; the sections of all others do not change.
ENTRIES = {"irq_entries_start", "asm_sysvec_apic_timer_interrupt", "el1h_64_irq"}
for other in sys.argv[2].split():
    kernel, kind = other.split(",")
    runs = [load(f"{kernel}-{kind}-{instructions}")[0]["sites"] for instructions in (0, 1000)]
    for off in ("interrupts off", "preemption off"):
        totals = [sum(row["total_ns"] for row in sites if row["kind"] == off) for sites in runs]
        change = totals[1] - totals[0] - 200 * DELAY_NS
        assert abs(change) <= TICK_NS, (other, off, totals, change)
    entries = {row["function"] for row in runs[1] if row["kind"] == "interrupts off"}
    assert entries & ENTRIES, (other, entries)

# A second of a benchmark, and a module's sections of 120 and 210 us every 20.3 ms.
LONG = (("interrupts off", "interrupts", 120_000), ("preemption off", "preemption", 210_000))
for name in ["sleeps"] + sys.argv[3:]:
    case = load(name)[0]
    assert case["source"] == ("tracepoints" if name == "traced" else "instructions"), case["source"]
    for off, function, length in LONG:
        named = f"long_sections_{function} [long_sections]"
        count, total, longest = of(case, off, lambda function, named=named: function == named)
        assert 40 < count < 80, (name, off, count)
        # udelay() is a little short by its calibration; a tick may interrupt the one with preemption disabled,
        # and a probe takes some microseconds.
        assert 0.98 * length < total / count < 1.05 * length, (name, off, total / count)
        assert longest < 1.15 * length, (name, off, longest)

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
