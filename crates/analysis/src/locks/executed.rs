// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Every section with interrupts or preemption disabled, by the function that is to blame: in the twin, with
//! every pending reschedule, as the generator saw them executed; elsewhere by the kernel's tracepoints.

use std::collections::BTreeMap;

use irqscope_run::CaseData;
use irqscope_wire::{HOLD_BINS, Section, SectionKind, Sections};

use super::HoldTimes;
use crate::causes::Names;

/// Functions that disable something for their caller.
const HELPERS: [&str; 13] = [
    "arch_local_irq_",
    "__arch_local_irq_",
    "_raw_spin_",
    "_raw_read_",
    "_raw_write_",
    "rt_spin_",
    "__local_bh_disable",
    "preempt_count_add",
    "migrate_disable",
    "irqentry_",
    "irq_enter",
    "__raw_callee_save",
    "kernel_fpu_begin",
];

/// The innermost functions of the stack at a section's end: those that call the tracepoint, and the one that
/// enables something for its caller.
const TRACING: [&str; 8] = [
    "__bpf_trace_",
    "__traceiter_",
    "bpf_trace_run",
    "trace_",
    "tracer_",
    "preempt_count_sub",
    "_raw_",
    "__local_bh_enable",
];
/// The function of a section of which the kernel says nothing.
const UNKNOWN: &str = "unknown";

/// Makes one site for each function, kind and way of disabling.
pub(super) fn of_instructions(data: &CaseData) -> Vec<HoldTimes> {
    sites(data, &data.sections, ns_each(data))
}

/// Does the same by the kernel's tracepoints.
pub(super) fn of_tracepoints(data: &CaseData) -> Vec<HoldTimes> {
    let names = Names::of(data);
    // The probe's own code has no name.
    let is_tracing = |at: &u64| {
        names.caller(*at).is_none_or(|name| TRACING.iter().any(|one| name.starts_with(one)))
    };
    let own = |section: &Section| Section {
        way: section.way.iter().copied().skip_while(is_tracing).collect(),
        ..section.clone()
    };
    let all = data
        .traced_sections
        .iter()
        .map(|all| Sections { sections: all.sections.iter().map(own).collect(), ..*all });
    sites(data, &all.collect::<Vec<_>>(), 1)
}

fn sites(data: &CaseData, all: &[Sections], ns_each: u64) -> Vec<HoldTimes> {
    let names = Names::of(data);
    let mut sites: BTreeMap<(SectionKind, String, String), HoldTimes> = BTreeMap::new();
    for section in all.iter().flat_map(|all| &all.sections) {
        let (function, place) = owner(&names, section);
        let key = (section.kind, function.clone(), place.clone());
        let empty = || HoldTimes {
            place,
            average_ns: None,
            ..HoldTimes::empty(section.kind.name(), function)
        };
        sites.entry(key).or_insert_with(empty).take(section, ns_each);
    }
    sites.into_values().collect()
}

/// Returns the number of sections whose place was not kept, and the longest of them in nanoseconds.
pub(super) fn others(data: &CaseData) -> (u64, u64) {
    let of = |all: &[Sections], ns_each: u64| {
        let longest = all.iter().map(|all| all.longest_other).max().unwrap_or(0);
        (all.iter().map(|all| all.others).sum(), longest.saturating_mul(ns_each))
    };
    match data.sections.is_empty() {
        true => of(&data.traced_sections, 1),
        false => of(&data.sections, ns_each(data)),
    }
}

fn ns_each(data: &CaseData) -> u64 {
    let tick = data.plan.as_ref().and_then(|plan| plan.instruction);
    tick.map_or(1, |tick| tick.femtoseconds / 1_000_000).max(1)
}

/// Returns the function that began a section, and the helper that it called for that; of a pending
/// reschedule the function that went on.
fn owner(names: &Names<'_>, section: &Section) -> (String, String) {
    let way = section.way.iter().map(|address| names.function(*address));
    if section.kind == SectionKind::Unscheduled {
        let mut way = way.skip_while(|name| is_helper(name));
        let function = way.next().unwrap_or_else(|| names.function(section.begin));
        return (function, String::new());
    }
    let is_known = section.begin != 0;
    let begin = if is_known { beginning(names, section.begin) } else { UNKNOWN.to_owned() };
    if is_known && !is_helper(&begin) {
        return (begin, String::new());
    }
    let mut callers = way.filter(|name| !is_helper(name));
    match callers.next() {
        Some(caller) if is_known => (caller, format!("by {begin}")),
        Some(caller) => (caller, String::new()),
        None => (begin, String::new()),
    }
}

fn beginning(names: &Names<'_>, address: u64) -> String {
    let vector = names.place(address).filter(|(name, _)| *name == "vectors");
    vector.and_then(|(_, offset)| vector_name(offset)).unwrap_or_else(|| names.function(address))
}

/// Names an entry of the kernel on Arm as `arch/arm64/kernel/entry.S` does: a slot of 128 bytes of one table (Arm
/// ARM, exception vectors).
fn vector_name(offset: u64) -> Option<String> {
    let slot = usize::try_from(offset / 0x80).ok()?;
    let from = ["el1t_64", "el1h_64", "el0t_64", "el0t_32"].get(slot / 4)?;
    let what = ["sync", "irq", "fiq", "error"][slot % 4];
    Some(format!("{from}_{what}"))
}

fn is_helper(name: &str) -> bool {
    HELPERS.iter().any(|helper| name.starts_with(helper))
}

impl HoldTimes {
    /// Adds sections, whose lengths are in instructions of `ns_each` nanoseconds, a power of two.
    fn take(&mut self, section: &Section, ns_each: u64) {
        let ns = |instructions: u64| instructions.saturating_mul(ns_each);
        self.count = self.count.saturating_add(section.count);
        self.total_ns = self.total_ns.saturating_add(ns(section.total));
        self.max_ns = self.max_ns.max(ns(section.longest));
        let up = ns_each.ilog2() as usize;
        for (bin, count) in section.histogram.iter().enumerate() {
            let bin = &mut self.histogram[(bin + up).min(HOLD_BINS - 1)];
            *bin = bin.saturating_add(*count);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use irqscope_wire::{Plan, Sections, Symbol, Tick};

    fn data(sections: Vec<Section>) -> CaseData {
        let symbol = |address, name: &str| Symbol { address, name: name.into() };
        let tick = Some(Tick { femtoseconds: 2_000_000 });
        let mut data = CaseData::default();
        data.plan = Some(Plan { instruction: tick, ..Plan::default() });
        data.symbols = vec![
            symbol(0x100, "exit_mmap"),
            symbol(0x200, "_raw_spin_lock_irqsave"),
            symbol(0x300, "__schedule"),
        ];
        data.sections = vec![Sections { sections, others: 0, longest_other: 0 }];
        data
    }

    fn section(kind: SectionKind, begin: u64, way: &[u64]) -> Section {
        let histogram = vec![0, 0, 1];
        Section { kind, begin, way: way.to_vec(), count: 1, total: 5, longest: 5, histogram }
    }

    #[test]
    fn a_lock_belongs_to_the_function_that_takes_it() {
        let kind = SectionKind::InterruptsOff;
        let sites = of_instructions(&data(vec![
            section(kind, 0x204, &[0x110, 0x300]),
            section(kind, 0x204, &[0x118]),
            section(kind, 0x204, &[0x208, 0x110]),
            section(kind, 0x304, &[0x110]),
        ]));
        let [own, locked] = &sites[..] else { panic!("{sites:?}") };
        assert_eq!((own.function.as_str(), own.place.as_str()), ("__schedule", ""));
        assert_eq!(locked.function, "exit_mmap");
        assert_eq!(locked.place, "by _raw_spin_lock_irqsave");
        // Five instructions of 2 ns are in the bin from 8 ns on.
        assert_eq!(
            (locked.count, locked.total_ns, locked.max_ns, locked.histogram[3]),
            (3, 30, 10, 3)
        );
    }

    #[test]
    fn an_entry_of_arm_has_the_name_of_its_vector() {
        let mut data = data(vec![section(SectionKind::InterruptsOff, 0x400 + 0x284, &[0x110])]);
        data.symbols.push(Symbol { address: 0x400, name: "vectors".into() });
        assert_eq!(of_instructions(&data)[0].function, "el1h_64_irq");
        assert_eq!(vector_name(0x400).as_deref(), Some("el0t_64_sync"));
        assert_eq!(vector_name(0x800), None);
    }

    #[test]
    fn the_longest_without_a_place_is_in_nanoseconds() {
        let mut data = data(Vec::new());
        assert_eq!(others(&data), (0, 0));
        data.sections.push(Sections { sections: Vec::new(), others: 2, longest_other: 70 });
        assert_eq!(others(&data), (2, 140));
    }

    #[test]
    fn a_traced_section_belongs_to_the_innermost_function_of_the_stack_that_is_no_helper() {
        let mut data = data(Vec::new());
        (data.sections, data.symbols[2].name) = (Vec::new(), "trace_hardirqs_on".into());
        let way = [0x310, 0x210, 0x110];
        let sections = vec![section(SectionKind::InterruptsOff, 0x204, &way)];
        data.traced_sections = vec![Sections { sections, others: 1, longest_other: 9 }];
        let sites = of_tracepoints(&data);
        let [site] = &sites[..] else { panic!("{sites:?}") };
        assert_eq!((&*site.function, &*site.place), ("exit_mmap", "by _raw_spin_lock_irqsave"));
        assert_eq!((site.total_ns, site.histogram[2], others(&data)), (5, 1, (1, 9)));
    }

    #[test]
    fn a_pending_reschedule_belongs_to_what_was_interrupted() {
        let sites =
            of_instructions(&data(vec![section(SectionKind::Unscheduled, 0x304, &[0x110])]));
        assert_eq!(sites[0].function, "exit_mmap");
        assert_eq!(sites[0].kind, "reschedule pending");
    }
}
