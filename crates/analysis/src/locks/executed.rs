// SPDX-License-Identifier: Apache-2.0 OR MIT
//! In the twin: every section with interrupts or preemption disabled, and every pending reschedule,
//! as the generator saw them executed, by the function that is to blame.

use std::collections::BTreeMap;

use irqscope_run::CaseData;
use irqscope_wire::{HOLD_BINS, Section, SectionKind};

use super::HoldTimes;
use crate::causes::Names;

/// Functions that disable something for their caller.
const HELPERS: [&str; 11] = [
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

/// Makes one site for each function, kind and way of disabling.
pub(super) fn of_sections(data: &CaseData) -> Vec<HoldTimes> {
    let names = Names::of(data);
    let ns_each = ns_each(data);
    let mut sites: BTreeMap<(SectionKind, String, String), HoldTimes> = BTreeMap::new();
    for section in data.sections.iter().flat_map(|all| &all.sections) {
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

/// Returns the longest of the sections whose place was not kept, in nanoseconds.
pub(super) fn longest_other_ns(data: &CaseData) -> u64 {
    let longest = data.sections.iter().map(|all| all.longest_other).max().unwrap_or(0);
    longest.saturating_mul(ns_each(data))
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
    let begin = names.function(section.begin);
    if !is_helper(&begin) {
        return (begin, String::new());
    }
    let mut callers = way.filter(|name| !is_helper(name));
    match callers.next() {
        Some(caller) => (caller, format!("by {begin}")),
        None => (begin, String::new()),
    }
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
        let sites = of_sections(&data(vec![
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
    fn the_longest_without_a_place_is_in_nanoseconds() {
        let mut data = data(Vec::new());
        assert_eq!(longest_other_ns(&data), 0);
        data.sections.push(Sections { sections: Vec::new(), others: 2, longest_other: 70 });
        assert_eq!(longest_other_ns(&data), 140);
    }

    #[test]
    fn a_pending_reschedule_belongs_to_what_was_interrupted() {
        let sites = of_sections(&data(vec![section(SectionKind::Unscheduled, 0x304, &[0x110])]));
        assert_eq!(sites[0].function, "exit_mmap");
        assert_eq!(sites[0].kind, "reschedule pending");
    }
}
