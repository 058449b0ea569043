// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What is said of late responses, beside what is known of them.
//!
//! A fault *moved* a response if the two overlap by more than a fifth of the
//! stage's median, and the response came later than the median by as much and by
//! at least half of the overlap. (Many overlap and move nothing: a work item's
//! hog does not keep an interrupt waiting.) The time of the trigger's own handler,
//! which interrupts a fault, is no part of the overlap.

use std::collections::BTreeMap;

use irqscope_run::{CaseData, Span};
use irqscope_wire::{Fault, FaultKind, Stage, Tick};
use serde::Serialize;

use super::attribute::explain;
use super::cause::{Cause, CauseKind};
use super::explanation::culprit;
use super::names::Names;
use super::parts::Explained;
use super::timeline::{Interval, Timeline};

/// A fault has to overlap, and to delay, by this part of the median.
const MOVED: f64 = 0.2;
/// What accounts for more than this part of a latency is named.
const NAMED: f64 = 0.05;
/// How exact a length has to be.
const EXACT: f64 = 0.05;

/// What was said where one kind of fault was true.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct TruthRow {
    /// Faults that acted.
    pub faults: usize,
    /// Responses that one moved.
    pub moved: usize,
    /// Of these, those with the right culprit.
    pub right: usize,
    /// Of the right ones, those whose culprit's length is within 5 % of the fault.
    pub exact: usize,
    /// By what was named instead.
    pub wrong: BTreeMap<String, Wrong>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Wrong {
    pub count: usize,
    /// The first of them.
    pub seq: u64,
    pub stage: Stage,
}

/// The confusion matrix of one case.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Truth {
    pub case: String,
    pub kinds: BTreeMap<&'static str, TruthRow>,
    /// Responses that no fault overlapped.
    pub without: usize,
    /// Of these, those in which a fault was named.
    pub false_alarms: usize,
}

impl Truth {
    /// None without faults or events.
    pub fn of(data: &CaseData) -> Option<Truth> {
        let tick = data.tick()?;
        data.explained.as_ref().filter(|_| !data.truth.is_empty())?;
        let (_, spans) = data.spans();
        let (_, explained) = explain(data);
        let medians = medians(&explained);
        let (timeline, names) = (Timeline::of(&data.events), Names::of(data));
        let mut faults = data.truth.clone();
        faults.sort_by_key(|fault| fault.begin);
        let mut truth =
            Truth { case: data.case.clone(), kinds: BTreeMap::new(), without: 0, false_alarms: 0 };
        for fault in &faults {
            truth.kinds.entry(fault.kind.name()).or_default().faults += 1;
        }
        for (span, one) in spans.iter().zip(&explained) {
            let median = medians.get(&one.stage).copied().unwrap_or(0);
            let handler = handler(&timeline, &names, span);
            truth.add(&Sight { span, one, median, tick, handler }, &overlapping(&faults, span));
        }
        Some(truth)
    }

    fn add(&mut self, sight: &Sight<'_>, faults: &[&Fault]) {
        let named = culprit(sight.one, NAMED);
        let Some(first) = faults.first() else {
            self.without += 1;
            let alarm =
                named.is_some_and(|(cause, _)| FaultKind::ALL.iter().any(|k| is(*k, cause)));
            self.false_alarms += usize::from(alarm);
            return;
        };
        let kind = first.kind;
        if faults.iter().any(|fault| fault.kind != kind) || !sight.is_moved(faults) {
            return;
        }
        let row = self.kinds.entry(kind.name()).or_default();
        row.moved += 1;
        match named {
            Some((cause, _)) if is(kind, cause) => {
                row.right += 1;
                row.exact += usize::from(sight.is_exact(kind, faults));
            }
            other => {
                let name = other.map_or("nobody".to_owned(), |(cause, _)| cause.to_string());
                let Explained { seq, stage, .. } = *sight.one;
                row.wrong.entry(name).or_insert(Wrong { count: 0, seq, stage }).count += 1;
            }
        }
    }
}

struct Sight<'a> {
    span: &'a Span,
    one: &'a Explained,
    median: i64,
    tick: Tick,
    /// When the trigger's handler ran.
    handler: (u64, u64),
}

impl Sight<'_> {
    fn is_moved(&self, faults: &[&Fault]) -> bool {
        let (span, handler) = (self.span, self.handler);
        let held = |fault: &Fault| {
            let own = self.common(fault, handler.0.max(span.from), handler.1.min(span.to));
            self.common(fault, span.from, span.to) - own
        };
        // A thread does not hold an interrupt up, whatever it does about locks.
        let may = |fault: &&Fault| fault.kind.is_modules() || self.one.stage != Stage::Irq;
        let overlap: i64 = faults.iter().copied().filter(may).map(held).sum();
        let late = self.one.latency.0 - self.median;
        let least = MOVED * self.median as f64;
        overlap as f64 > least && late as f64 > least && late >= overlap / 2
    }

    /// The segments of the culprit lie within the fault.
    fn is_exact(&self, kind: FaultKind, faults: &[&Fault]) -> bool {
        let segments = self.one.segments.iter().filter(|segment| is(kind, &segment.cause));
        let (mut said, mut true_part) = (0, 0);
        for segment in segments {
            let from = self.cycles(segment.start.0);
            let to = self.cycles(segment.start.0 + segment.length.0);
            said += segment.length.0;
            true_part += faults.iter().map(|fault| self.common(fault, from, to)).sum::<i64>();
        }
        (said - true_part) as f64 <= EXACT * said as f64
    }

    fn common(&self, fault: &Fault, from: u64, to: u64) -> i64 {
        let (begin, end) = (fault.begin.0.max(from), fault.end.0.min(to));
        self.tick.nanoseconds(end.saturating_sub(begin) as i64).0
    }

    fn cycles(&self, since_ns: i64) -> u64 {
        let femtoseconds = i128::from(since_ns) * 1_000_000;
        let cycles = femtoseconds / i128::from(self.tick.femtoseconds.max(1));
        self.span.from.saturating_add_signed(i64::try_from(cycles).unwrap_or(i64::MAX))
    }
}

/// From its entry to its exit, by their events; empty if there are none.
fn handler(timeline: &Timeline, names: &Names<'_>, span: &Span) -> (u64, u64) {
    let ours = |one: &&Interval| one.frames.iter().any(|frame| names.is_handler(frame));
    let mut within = timeline.within(span.from, span.to).iter().filter(ours);
    let Some(first) = within.next() else { return (0, 0) };
    let mut end = first.to;
    for next in within {
        if next.from == end {
            end = next.to;
        }
    }
    (first.from, end)
}

fn medians(explained: &[Explained]) -> BTreeMap<Stage, i64> {
    let mut latencies: BTreeMap<Stage, Vec<i64>> = BTreeMap::new();
    for one in explained {
        latencies.entry(one.stage).or_default().push(one.latency.0);
    }
    let median = |mut all: Vec<i64>| {
        all.sort_unstable();
        all[all.len() / 2]
    };
    latencies.into_iter().map(|(stage, all)| (stage, median(all))).collect()
}

/// `faults` are in order, and only a burst's lie close together.
fn overlapping<'a>(faults: &'a [Fault], span: &Span) -> Vec<&'a Fault> {
    let end = faults.partition_point(|fault| fault.begin.0 < span.to);
    let mut found: Vec<&Fault> =
        faults[..end].iter().rev().take(64).filter(|fault| fault.end.0 > span.from).collect();
    found.reverse();
    found
}

/// The cause is what a fault of this kind has to be called.
fn is(kind: FaultKind, cause: &Cause) -> bool {
    let any = |names: &[&str]| {
        names.iter().any(|name| cause.name.contains(name) || cause.detail.contains(name))
    };
    // Once the trigger's handler has run, it is the thread that is waited for.
    // (On RT, where disabling softirqs is a lock, it inherits a priority.)
    let waits = matches!(
        cause.kind,
        CauseKind::NotPreempted | CauseKind::SamePriority | CauseKind::HigherPriority
    );
    let by_thread = waits && any(&["irqscope-faults"]);
    let disabled = |kind, names: &[&str]| by_thread || cause.kind == kind && any(names);
    let thread_in = |kinds: &[CauseKind], name| kinds.contains(&cause.kind) && any(&[name]);
    match kind {
        // For a stage that does not need the lock they are threads like others.
        FaultKind::Inversion => {
            thread_in(&[CauseKind::PriorityInversion, CauseKind::HigherPriority], "irqscope-middle")
                || thread_in(&[CauseKind::SamePriority], "irqscope-owner")
        }
        FaultKind::Inheritance => {
            thread_in(&[CauseKind::LockOwner, CauseKind::SamePriority], "irqscope-owner")
                || thread_in(&[CauseKind::HigherPriority], "irqscope-")
        }
        FaultKind::IrqsOff => disabled(CauseKind::IrqsDisabled, &["irqscope_fault_irqs_off"]),
        FaultKind::Nested => {
            let names = ["irqscope_fault_inner", "irqscope_fault_outer"];
            disabled(CauseKind::IrqsDisabled, &names)
        }
        FaultKind::PreemptOff => by_thread,
        FaultKind::BhOff => disabled(CauseKind::SoftirqsDisabled, &["irqscope_fault_bh_off"]),
        FaultKind::Hrtimer => {
            cause.kind == CauseKind::Interrupt && any(&["irqscope_fault_hrtimer"])
        }
        FaultKind::Irq => cause.kind == CauseKind::Interrupt && any(&["irqscope_fault_handler"]),
        FaultKind::Softirq => cause.kind == CauseKind::Softirq && any(&["irqscope_fault_softirq"]),
        FaultKind::Tasklet => cause.kind == CauseKind::Softirq && any(&["irqscope_fault_tasklet"]),
        FaultKind::Work => cause.kind == CauseKind::Work && any(&["irqscope_fault_work"]),
        FaultKind::Thread => cause.kind == CauseKind::HigherPriority && any(&["irqscope-hog"]),
        FaultKind::Timers => cause.kind == CauseKind::Interrupt && any(&["irqscope_fault_timers"]),
    }
}
