// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Everything that took a CPU away from a loop that should have it alone: what it was, how often and
//! for how long, the code that asked for it, and the setting that keeps it away.

mod acts;
mod advice;
mod disturbance;
mod gaps;
mod sent;

use std::collections::BTreeMap;

use irqscope_run::{CaseData, IsolatedCpu};
use serde::{Deserialize, Serialize};

use disturbance::Described;
use sent::Reader;

/// The disturbances of one isolated CPU.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Isolation {
    /// The case.
    pub case: String,
    /// The kernel's release.
    pub release: String,
    /// The kernel's command line.
    pub cmdline: String,
    /// The CPU.
    pub cpu: u16,
    /// Time from the loop's beginning to its end. In the twin it is that of all CPUs together, of which
    /// each busy one has its part.
    pub elapsed_ns: u64,
    /// The CPU's own time that the loop had.
    pub loop_ns: u64,
    /// The CPU's own time that all else had.
    pub disturbed_ns: u64,
    /// Disturbances.
    pub count: u64,
    /// The longest of them.
    pub longest_ns: u64,
    /// Of how many the code is known only in part.
    pub cut: u64,
    /// Of how many it is not known what they were.
    pub unexplained: u64,
    /// The loop has come to its end.
    pub ended: bool,
    /// By what they were; what took the most time first.
    pub causes: Vec<DisturbanceCause>,
}

/// Disturbances of one kind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DisturbanceCause {
    /// How the CPU was taken: `timer interrupt`, `call interrupt` …
    pub entry: String,
    /// Timers, softirqs, works and threads that ran then, in order.
    pub acts: Vec<String>,
    /// The code that asked for it: the CPU, its thread, and the functions from the innermost outwards.
    pub from: Option<Asked>,
    /// The settings that keep it away.
    pub remedies: Vec<String>,
    /// How many there were.
    pub count: u64,
    /// All of them together.
    pub total_ns: u64,
    /// The longest of them.
    pub longest_ns: u64,
}

/// The code of another CPU that asked for a disturbance.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Asked {
    /// The CPU.
    pub cpu: u16,
    /// The thread that it ran; empty where that is not known.
    pub thread: String,
    /// The functions that called each other, the innermost first.
    pub callers: Vec<String>,
}

impl Isolation {
    /// Returns the isolated CPUs of a case; empty where none was asked for.
    pub fn of_case(data: &CaseData) -> Vec<Isolation> {
        let each = data.plan.as_ref().and_then(|plan| plan.instruction);
        let ns_each = each.map_or(1, |tick| tick.femtoseconds / 1_000_000).max(1);
        if data.isolated.cpus.is_empty() {
            return gaps::isolations(data);
        }
        let mut reader = Reader::new(data);
        let of = |(cpu, record): (&u16, &IsolatedCpu)| {
            Self::of_cpu(data, *cpu, record, ns_each, &mut reader)
        };
        data.isolated.cpus.iter().map(of).collect()
    }

    /// Returns disturbances in a second.
    pub fn per_second(&self, count: u64) -> f64 {
        count as f64 * 1e9 / self.elapsed_ns.max(1) as f64
    }

    /// Returns the part of the CPU's time that the loop did not have.
    pub fn share(&self) -> f64 {
        self.disturbed_ns as f64 / (self.loop_ns + self.disturbed_ns).max(1) as f64
    }

    fn empty(data: &CaseData, cpu: u16) -> Isolation {
        let started = data.started.as_ref();
        let text = |value: Option<&String>| value.cloned().unwrap_or_default();
        Isolation {
            case: data.case.clone(),
            release: text(started.map(|started| &started.kernel)),
            cmdline: text(started.map(|started| &started.cmdline)),
            cpu,
            elapsed_ns: 0,
            loop_ns: 0,
            disturbed_ns: 0,
            count: 0,
            longest_ns: 0,
            cut: 0,
            unexplained: 0,
            ended: false,
            causes: Vec::new(),
        }
    }

    fn of_cpu(
        data: &CaseData,
        cpu: u16,
        record: &IsolatedCpu,
        ns_each: u64,
        reader: &mut Reader<'_>,
    ) -> Isolation {
        let mut all = Self::empty(data, cpu);
        (all.loop_ns, all.ended) = (record.looped * ns_each, record.ended);
        let mut causes = Causes::new();
        for one in &record.disturbances {
            let (described, complete) = reader.describe(one);
            all.cut += u64::from(!complete);
            all.add(&mut causes, described, one.instructions * ns_each);
        }
        all.elapsed_ns = match record.elapsed_ns {
            0 => all.loop_ns + all.disturbed_ns,
            elapsed => elapsed,
        };
        all.finish(causes);
        all
    }

    fn add(&mut self, causes: &mut Causes, described: Described, ns: u64) {
        self.count += 1;
        self.disturbed_ns += ns;
        self.longest_ns = self.longest_ns.max(ns);
        self.unexplained += u64::from(!described.is_explained());
        let (cpu, cmdline) = (self.cpu, &self.cmdline);
        let cause = causes.entry(described).or_insert_with_key(|described| DisturbanceCause {
            entry: described.entry.clone(),
            acts: described.acts.clone(),
            from: described.from.clone(),
            remedies: advice::remedies(described, cpu, cmdline),
            count: 0,
            total_ns: 0,
            longest_ns: 0,
        });
        cause.count += 1;
        cause.total_ns += ns;
        cause.longest_ns = cause.longest_ns.max(ns);
    }

    fn finish(&mut self, causes: Causes) {
        self.causes = causes.into_values().collect();
        self.causes.sort_by_key(|cause| (std::cmp::Reverse(cause.total_ns), cause.acts.clone()));
    }
}

type Causes = BTreeMap<Described, DisturbanceCause>;
