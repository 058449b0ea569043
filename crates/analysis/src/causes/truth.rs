// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The causes named for late responses, compared with the ground truth.
//!
//! A fault *moved* a response if it had the CPU, before the response, for more than
//! a fifth of the stage's median, and the response came later than the median by as
//! much and by at least half of that time. (Many overlap and move nothing: a work
//! item's hog does not keep an interrupt waiting.) What came in between, such as the
//! trigger's own handler or a tick, is not the fault's time; nor has a fault moved what a
//! tick, or another interrupt of neither module, made late.
//!
//! Of two at once, one within the other, the longer one has to be named, and the
//! other to be among the segments; what the inner one takes is not the outer one's.

use std::collections::{BTreeMap, BTreeSet};

use irqscope_run::{CaseData, Span};
use irqscope_wire::{Fault, FaultKind, Place, Stage, Tick};
use serde::Serialize;

use super::attribute::explain;
use super::cause::{Cause, CauseKind};
use super::culprit::culprit;
use super::expected::{Role, is, is_within};
use super::frame::Frame;
use super::interval::Interval;
use super::names::Names;
use super::parts::Explained;
use super::timeline::Timeline;
use super::turns::{Others, Turns};

/// How the functions of kernel/faults are named.
const FAULTS: &str = "[irqscope_faults]";
/// A fault has to overlap, and to delay, by this part of the median.
const MOVED: f64 = 0.2;
/// A cause of more than this part of a latency is named.
const NAMED: f64 = 0.05;
/// How exact a length has to be.
const EXACT: f64 = 0.05;

/// The causes that were named where one kind of fault was true.
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

/// Responses in which the fault was not named.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Wrong {
    /// How many there are.
    pub count: usize,
    /// The first of them.
    pub seq: u64,
    /// The stage of the first.
    pub stage: Stage,
}

/// The confusion matrix of one case.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Truth {
    /// The case.
    pub case: String,
    /// By kind of fault.
    pub kinds: BTreeMap<&'static str, TruthRow>,
    /// Responses that no fault overlapped, and that came when it had returned.
    pub without: usize,
    /// Of these, those in which a fault was named.
    pub false_alarms: usize,
}

impl Truth {
    /// Compares; `None` without faults or events.
    pub fn of(data: &CaseData) -> Option<Truth> {
        let tick = data.tick()?;
        data.explained.as_ref().filter(|_| !data.truth.is_empty())?;
        let (_, spans) = data.spans();
        let (_, explained) = explain(data);
        let medians = medians(&explained);
        let timeline = Timeline::of(&data.events);
        let names = Names::of(data);
        let turns = Turns::of(data);
        let others = turns.of_others(data.cpu());
        let known = interrupts_of_modules(&timeline, &names);
        let mut faults = data.truth.clone();
        faults.sort_by_key(|fault| fault.begin);
        let mut truth =
            Truth { case: data.case.clone(), kinds: BTreeMap::new(), without: 0, false_alarms: 0 };
        for fault in &faults {
            truth.kinds.entry(fault.kind.name()).or_default().faults += 1;
        }
        for (span, one) in spans.iter().zip(&explained) {
            let median = medians.get(&one.stage).copied().unwrap_or(0);
            let foreign = foreign(&timeline, &known, others, span);
            let sight = Sight {
                span,
                one,
                median,
                foreign,
                tick,
                timeline: &timeline,
                names: &names,
                others,
            };
            truth.add(&sight, &overlapping(&faults, span));
        }
        Some(truth)
    }

    fn add(&mut self, sight: &Sight<'_>, faults: &[&Fault]) {
        let named = culprit(sight.one, NAMED);
        let Some(first) = faults.first() else {
            if sight.is_on_its_way_back() {
                return;
            }
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
            Some((cause, _)) if sight.is_right(kind, cause, faults) => {
                row.right += 1;
                row.exact += usize::from(sight.is_exact(kind, faults));
            }
            other => {
                let name = other.map_or("no cause".to_owned(), |(cause, _)| cause.to_string());
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
    /// Cycles in hard interrupts of neither module.
    foreign: u64,
    tick: Tick,
    timeline: &'a Timeline,
    names: &'a Names<'a>,
    /// Other CPUs' turns are no fault's time.
    others: &'a Others,
}

impl Sight<'_> {
    fn late(&self) -> i64 {
        let foreign = self.tick.nanoseconds(self.foreign.cast_signed()).0;
        let turns = self.one.segments.iter().filter(|one| one.cause.kind == CauseKind::Turn);
        let turns: i64 = turns.map(|one| one.length.0).sum();
        self.one.latency.0 - self.median - foreign - turns
    }

    /// Returns whether a fault's function, which has written down its end, has not returned to its
    /// caller when the trigger comes, by the kernel's own events: a name for the rest is neither
    /// right nor wrong. (A timer that injects the trigger is held up until then.)
    fn is_on_its_way_back(&self) -> bool {
        let at = self.timeline.within(self.span.from, self.span.from + 1).first();
        let mut functions = at.into_iter().flat_map(|one| &one.frames).filter_map(Frame::function);
        functions.any(|function| self.names.function(function).contains(FAULTS))
    }

    /// Returns how long the fault itself had the CPU: the time of what came in between is not its
    /// own.
    fn held(&self, fault: &Fault, among: &[&Fault]) -> i64 {
        let (from, to) = (fault.begin.0.max(self.span.from), fault.end.0.min(self.span.to));
        let begun = self.timeline.within(fault.begin.0, fault.begin.0 + 1).first();
        // Of the agent's faults several threads are a part.
        let is_other = |one: &&Interval| {
            begun.is_some_and(|begun| {
                let other = fault.kind.is_modules() && one.pid != begun.pid;
                other || one.frames.len() > begun.frames.len()
            })
        };
        let deeper = self.timeline.within(from, to).iter().filter(is_other);
        let within = among.iter().filter(|one| is_within(one, fault));
        let mut others: Vec<(u64, u64)> = deeper.map(|one| (one.from, one.to)).collect();
        others.extend(within.map(|one| (one.begin.0, one.end.0)));
        others.sort_unstable();
        // Of a fault on another CPU that one's turns are a part.
        let own = |from: u64, to: u64| match fault.kind.is_remote() {
            true => to.saturating_sub(from),
            false => self.others.own(from, to),
        };
        let (mut at, mut cycles) = (from, 0);
        for (begin, end) in others {
            cycles += own(at, begin.min(to));
            at = at.max(end);
        }
        cycles += own(at, to);
        self.tick.nanoseconds(cycles as i64).0
    }

    /// Returns whether a fault may hold a stage up: one that leaves interrupts on does not hold
    /// the first one up, and for others than the user stage its page faults are another stage.
    fn may_hold(&self, fault: &Fault, among: &[&Fault]) -> bool {
        if fault.kind == FaultKind::PageFaults {
            return self.one.stage == Stage::User;
        }
        if fault.kind == FaultKind::Printk && self.is_by_console(fault) {
            let first = [Stage::Irq, Stage::WorkHi, Stage::Thread, Stage::Kthread, Stage::User];
            return !first.contains(&self.one.stage);
        }
        // It leaves interrupts on, and what they do at their end. That the other CPU is busy makes
        // all else slower in the twin, where the two take turns.
        if fault.kind.is_call() && !self.timeline.threaded_softirqs {
            return self.one.stage.facts().place == Place::Thread;
        }
        self.one.stage != Stage::Irq
            || match fault.kind {
                FaultKind::IrqsOff | FaultKind::Nested | FaultKind::Smi => true,
                FaultKind::Hrtimer | FaultKind::Irq | FaultKind::Timers => true,
                FaultKind::IrqWork | FaultKind::StopMachine | FaultKind::Printk => true,
                FaultKind::RemoteLock => true,
                FaultKind::IrqsPreempt | FaultKind::HrtimerSoftirq => {
                    Role::of(fault, among) == Role::Inner
                }
                _ => false,
            }
    }

    /// Returns whether a console's own thread prints: of ordinary priority, and preempted.
    fn is_by_console(&self, fault: &Fault) -> bool {
        let begun = self.timeline.within(fault.begin.0, fault.begin.0 + 1).first();
        let name = begun.and_then(|one| self.timeline.threads.get(&one.pid));
        name.is_some_and(|name| name.starts_with("pr/"))
    }

    fn is_moved(&self, faults: &[&Fault]) -> bool {
        let held = |fault: &&Fault| self.held(fault, faults);
        let overlap: i64 = faults.iter().filter(|one| self.may_hold(one, faults)).map(held).sum();
        let late = self.late();
        let least = MOVED * self.median as f64;
        overlap as f64 > least && late as f64 > least && late >= overlap / 2
    }

    /// Returns whether the named cause is right: it is the longer one of two at once, and the other
    /// is among the segments. How late the response is shows whether the outer one held it up too:
    /// a thread that is not preempted holds no softirq up, unless softirqs are threads.
    fn is_right(&self, kind: FaultKind, cause: &Cause, faults: &[&Fault]) -> bool {
        let least = (MOVED * self.median as f64) as i64;
        let of = |role| {
            let all = faults.iter().filter(|fault| Role::of(fault, faults) == role);
            let all = all.filter(|fault| self.may_hold(fault, faults));
            Some(all.map(|fault| self.held(fault, faults)).sum::<i64>())
                .filter(|held| *held > least)
        };
        let Some(inner) = of(Role::Inner) else { return is(kind, cause) };
        let outer = of(Role::Outer).filter(|outer| self.late() - inner >= outer / 2);
        let said = |role: Role| self.one.segments.iter().any(|one| role.is(kind, &one.cause));
        let Some(outer) = outer else { return Role::Inner.is(kind, cause) };
        let most = outer.max(inner) - least;
        let is_longest = |role: Role, held: i64| held >= most && role.is(kind, cause);
        let longest = is_longest(Role::Outer, outer) || is_longest(Role::Inner, inner);
        longest && said(Role::Outer) && said(Role::Inner)
    }

    /// Returns whether the segments of the culprit lie within the fault.
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

/// Returns when the hard interrupts began in which a function of the driver or of the faults' module
/// ran.
fn interrupts_of_modules(timeline: &Timeline, names: &Names<'_>) -> BTreeSet<u64> {
    let of_module = |frame: &Frame| {
        let function = frame.function().filter(|_| !matches!(frame, Frame::Work(_)));
        function.is_some_and(|function| names.function(function).contains("[irqscope"))
    };
    let with = timeline.intervals.iter().filter(|one| one.frames.iter().any(of_module));
    with.filter_map(|one| one.interrupt).collect()
}

fn foreign(timeline: &Timeline, known: &BTreeSet<u64>, others: &Others, span: &Span) -> u64 {
    let within = timeline.within(span.from, span.to).iter();
    let foreign = within.filter(|one| one.interrupt.is_some_and(|since| !known.contains(&since)));
    foreign.map(|one| others.own(one.from.max(span.from), one.to.min(span.to))).sum()
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

/// Returns the faults that overlap; `faults` are in order, and only a burst's lie close together.
fn overlapping<'a>(faults: &'a [Fault], span: &Span) -> Vec<&'a Fault> {
    let end = faults.partition_point(|fault| fault.begin.0 < span.to);
    let mut found: Vec<&Fault> =
        faults[..end].iter().rev().take(64).filter(|fault| fault.end.0 > span.from).collect();
    found.reverse();
    found
}
