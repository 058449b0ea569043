// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One latency after the other, split by what the CPU did.
//!
//! The same interval has another meaning for each stage: a softirq that holds the
//! user stage up is the tasklet stage's own path. So the intervals between the
//! trigger and the answer are named once for each stage, from its point of view.

use std::collections::BTreeSet;
use std::ops::Range;

use irqscope_run::{CaseData, Span};
use irqscope_wire::{Called, Context, Tick, View};

use super::baseline::{Baselines, Entered, Step};
use super::cause::{CALLED_BY, CALLED_FROM, Cause, CauseKind};
use super::cpu::Waits;
use super::elsewhere::Elsewhere;
use super::executing::Executing;
use super::frame::Frame;
use super::interrupts::Ours;
use super::interval::Interval;
use super::names::{Names, is_helper};
use super::parts::{Explained, Parts};
use super::response::{Instants, ResponseParts};
use super::sight::{Answering, Sight};
use super::timeline::Timeline;
use super::turns::{Others, Turns};

/// Explains every answered latency of a case that has events; returns whose clock it is.
pub fn explain(data: &CaseData) -> (View, Vec<Explained>) {
    let (view, spans) = data.spans();
    let Some(tick) = data.tick() else { return (view, Vec::new()) };
    let timeline = Timeline::of(&data.events);
    let elsewhere = Elsewhere::of(data);
    let names = Names::of(data);
    let turns = Turns::of(data);
    let cpu = data.cpu();
    let mut case = Case {
        ours: Ours::of(&timeline, &names),
        names,
        event_cost: data.explained.as_ref().map_or(0, |explained| explained.event_cost.into()),
        view,
        timeline: &timeline,
        elsewhere: &elsewhere,
        answering: Answering::of(data),
        executing: Executing::of(data),
        longest_turn: turns.of_others(cpu).longest(&timeline),
        turns,
        cpu,
        is_alone: data.started.as_ref().is_some_and(|started| started.cpus == 1),
        baselines: Baselines::default(),
    };
    for interval in timeline.intervals.iter().filter(|interval| !interval.gap) {
        let length = case.turns.of_others(case.cpu).own(interval.from, interval.to);
        case.baselines.add(Step::any(interval), length);
    }
    let mut samples = BTreeSet::new();
    for span in &spans {
        case.learn(span, samples.insert(span.seq));
    }
    case.baselines.finish();
    let explained = spans.iter().map(|span| case.explained(span, tick)).collect();
    (view, explained)
}

pub(super) struct Case<'a> {
    pub names: Names<'a>,
    pub ours: Ours,
    event_cost: u64,
    pub view: View,
    pub timeline: &'a Timeline,
    pub elsewhere: &'a Elsewhere,
    pub answering: Answering,
    executing: Executing,
    pub turns: Turns,
    /// How long the CPU under test may wait for its turn.
    longest_turn: u64,
    /// The CPU under test.
    pub cpu: u16,
    /// It is the machine's only one.
    pub is_alone: bool,
    pub baselines: Baselines,
}

impl Case<'_> {
    /// Learns the lengths of steps that may be disturbed: the entry once for a sample, by its first
    /// stage, the others once for each stage that they are a part of.
    fn learn(&mut self, span: &Span, is_first: bool) {
        for (step, length) in self.steps(span, is_first) {
            self.baselines.add(step, length);
        }
    }

    fn steps(&self, span: &Span, is_first: bool) -> Vec<(Step, u64)> {
        let sight = self.sight(span);
        let thread = self.own_thread(&sight).map(|(pid, _)| pid);
        let mut steps = Vec::new();
        for interval in sight.intervals.iter() {
            let mut add = |step, from, to| {
                steps.push((step, self.others(&sight, interval).own(from, to)));
            };
            if is_first && sight.entry == Some(interval.to) {
                let step = Step::Entry(entered(&sight));
                add(step, interval.from.max(span.from), interval.to);
            }
            let after = sight.entry.is_some_and(|entry| interval.from > entry);
            if !after || !interval.frames.is_empty() {
                continue;
            }
            if thread == Some(interval.pid) {
                let step = Step::own(span.stage, interval);
                add(step, interval.from, interval.to.min(span.to));
            }
            if !interval.is_run() {
                // Where the record ended, the answer did not.
                let to = if interval.gap { interval.to.min(span.to) } else { interval.to };
                add(Step::of(interval), interval.from, to);
            }
        }
        steps
    }

    fn explained(&self, span: &Span, tick: Tick) -> Explained {
        let sight = self.sight(span);
        let mut parts = Parts::new(span);
        if let Some(reason) = unseen(&sight) {
            parts.until(span.to, Cause::named(CauseKind::Unexplained, reason));
        } else {
            sight.intervals.iter().for_each(|interval| self.name(&sight, interval, &mut parts));
        }
        // The last event came before the answer.
        let rest = sight.last().map_or(CauseKind::Unexplained, |_| CauseKind::Own);
        parts.until(span.to, Cause::plain(rest));
        parts.explained(tick, self.parts(&sight, tick))
    }

    fn parts(&self, sight: &Sight<'_>, tick: Tick) -> Option<ResponseParts> {
        let (handler, entry) = (sight.interrupted?.at, sight.entry?);
        let thread = self.own_thread(sight).map(|(pid, _)| pid);
        let found = Instants::find(sight.timeline?, &sight.intervals, handler, entry, thread);
        Some(found.parts(sight.span, tick))
    }

    fn name(&self, sight: &Sight<'_>, interval: &Interval, parts: &mut Parts<'_>) {
        let (from, to) = (parts.at, interval.to.min(sight.span.to));
        // A trigger that comes in the middle of an interval: what wrote its first
        // event was before.
        let others = self.others(sight, interval);
        if interval.from >= sight.span.from {
            let probes = self.event_cost * u64::from(interval.events);
            let written = others.forward(from, probes).min(to);
            parts.until_but(written, Cause::plain(CauseKind::Probes), others);
        }
        if interval.gap && interval.to <= sight.span.to {
            parts.until(to, Cause::named(CauseKind::Unexplained, "events are missing"));
            return;
        }
        if interval.smis > 0 {
            let usual = self.without_firmware(sight, interval, others.own(parts.at, to));
            let cause = Cause::named(CauseKind::Firmware, "system management interrupt");
            parts.until_but(others.back(to, usual), cause, others);
        }
        let length = others.own(parts.at, to);
        // A wait in which the trigger's interrupt came in had not kept it off.
        let interrupted = sight.entry == Some(interval.to);
        let elsewhere = (!interrupted).then(|| self.elsewhere(interval, parts.at, to)).flatten();
        let view = match sight.entry {
            _ if let Some(cause) = elsewhere => Named::Waits(cause),
            Some(entry) if interval.from < entry => self.before(sight, interval, length),
            _ => self.after(sight, interval, length),
        };
        // A hard interrupt is no part of what the stage executes.
        let begin = match sight.entry {
            Some(entry) if interval.interrupt.is_none() => entry,
            _ => u64::MAX,
        };
        let own_or = |parts: &mut Parts<'_>, to: u64, cause: Cause| {
            self.own_or(sight, parts, begin..to, cause, others);
        };
        match view {
            Named::All(cause) => own_or(parts, to, cause),
            Named::Waits(cause) => parts.until(to, cause),
            // The disturbance comes first: the step ends with its event.
            Named::Beyond(own, cause) => {
                own_or(parts, others.back(to, own), cause);
                own_or(parts, to, Cause::plain(CauseKind::Own));
            }
        }
    }

    /// Explains a part of an interval by a cause, but for what the stage itself did in this range for
    /// another trigger: the driver's record of execution times has that, and no event.
    fn own_or(
        &self,
        sight: &Sight<'_>,
        parts: &mut Parts<'_>,
        Range { start, end }: Range<u64>,
        cause: Cause,
        others: &Others,
    ) {
        if matches!(cause.kind, CauseKind::Own | CauseKind::Prolonged) {
            let cpu = sight.elsewhere.unwrap_or(self.cpu);
            let works = self.executing.for_others(sight.span, cpu, parts.at.max(start), end);
            for (from, to) in works {
                parts.until_but(from, cause.clone(), others);
                let name = format!("{}, for another trigger", sight.span.stage);
                parts.until_but(to, Cause::named(CauseKind::OtherStage, name), others);
            }
        }
        parts.until_but(end, cause, others);
    }

    /// Returns the rest of an interval in which firmware ran: how long it did is not known, but the
    /// step has its usual length.
    fn without_firmware(&self, sight: &Sight<'_>, interval: &Interval, length: u64) -> u64 {
        let step = match interval.from < sight.span.from {
            true if interval.idles() => Step::Entry(Entered::Idle),
            true => Step::Entry(entered(sight)),
            false => Step::any(interval),
        };
        self.baselines.own(step, length)
    }

    /// Names the cause between the trigger and its handler.
    fn before(&self, sight: &Sight<'_>, interval: &Interval, length: u64) -> Named {
        if let Some(cause) = self.interrupt(sight, interval) {
            return Named::All(cause);
        }
        if sight.entry != Some(interval.to) && !interval.idles() {
            return Named::All(self.disabled_before(sight, interval));
        }
        let entered = if interval.idles() { Entered::Idle } else { entered(sight) };
        let own = self.baselines.own(Step::Entry(entered), length);
        // A CPU that waits for a call has interrupts on.
        let waits = matches!(interval.waits, Some(Waits::Call { .. }));
        match entered {
            _ if own == length || waits => Named::All(Cause::plain(CauseKind::Own)),
            Entered::Kernel => Named::Beyond(own, self.disabled(sight, interval)),
            Entered::Idle => Named::Beyond(own, Cause::plain(CauseKind::LeavingIdle)),
            Entered::User => Named::Beyond(own, self.late_from_user(length - own)),
        }
    }

    /// Names the cause of a late entry from user mode. A turn that came while the kernel was setting the
    /// timer that is the trigger made that late: no event is near it.
    fn late_from_user(&self, late: u64) -> Cause {
        match self.view {
            View::Inside if late <= self.longest_turn => {
                Cause::named(CauseKind::Turn, "while the timer was set")
            }
            _ => Cause::named(CauseKind::Firmware, "interrupts were on, in user mode"),
        }
    }

    /// Names the code that had interrupts disabled. The instruction that was interrupted is the one
    /// that enabled them; the nearest callers say on whose behalf.
    fn disabled(&self, sight: &Sight<'_>, interval: &Interval) -> Cause {
        if let Some(cause) = self.stopped(interval) {
            return cause;
        }
        let Some(found) = sight.interrupted.filter(|found| found.address != 0) else {
            return Cause::plain(CauseKind::IrqsDisabled);
        };
        self.held_off(found.address, &found.stack)
    }

    /// Names the code that held interrupts off. Where functions are hooked by a breakpoint instruction, as on Arm, a hook
    /// itself does.
    fn held_off(&self, interrupted: u64, stack: &[u64]) -> Cause {
        match self.names.is_hooked(interrupted) {
            true => Cause::plain(CauseKind::Probes),
            false => self.blamed(CauseKind::IrqsDisabled, interrupted, stack),
        }
    }

    /// Names the code that had interrupts disabled where another interrupt comes first, and the
    /// trigger's then interrupts what follows it: the code that the first interrupt interrupted is
    /// the one that held interrupts off.
    fn disabled_before(&self, sight: &Sight<'_>, interval: &Interval) -> Cause {
        if let Some(cause) = self.stopped(interval) {
            return cause;
        }
        let entry = sight.entry.unwrap_or(u64::MAX);
        let mut later = sight
            .intervals
            .iter()
            .filter(|one| one.from >= interval.from && one.to <= entry && one.interrupted);
        match later.next().and_then(|one| sight.timeline?.interrupted(one.to)) {
            Some((address, stack)) => self.held_off(address, stack),
            None => self.disabled(sight, interval),
        }
    }

    /// Names the function for which the machine is stopped: it has not disabled interrupts itself,
    /// and is no caller of what enables them.
    fn stopped(&self, interval: &Interval) -> Option<Cause> {
        let (_, function) = interval.callback().filter(|(by, _)| *by == Called::StopMachine)?;
        let cause = Cause::named(CauseKind::IrqsDisabled, self.names.function(function));
        Some(cause.with("called by stop_machine()"))
    }

    /// Makes a cause of what [`blame`](Self::blame) names.
    pub fn blamed(&self, kind: CauseKind, interrupted: u64, stack: &[u64]) -> Cause {
        let (name, callers) = self.blame(interrupted, stack);
        Cause::named(kind, name).with(callers)
    }

    /// Names the function that had something disabled, and its callers: the instruction that was
    /// interrupted is in it, or in a helper that only enables again and is passed over.
    pub fn blame(&self, interrupted: u64, stack: &[u64]) -> (String, String) {
        let mut names = vec![self.names.function(interrupted)];
        names.extend(stack.iter().filter_map(|address| self.names.caller(*address)));
        names.dedup();
        let at = names.iter().position(|name| !is_helper(name)).unwrap_or(0);
        let callers: Vec<&str> = names[at + 1..].iter().take(3).map(String::as_str).collect();
        let detail = match callers.is_empty() {
            true => String::new(),
            false => format!("{CALLED_FROM}{}", callers.join(CALLED_BY)),
        };
        (names[at].clone(), detail)
    }

    /// Names the cause from the handler on.
    fn after(&self, sight: &Sight<'_>, interval: &Interval, length: u64) -> Named {
        if let Some(cause) = self.interrupt(sight, interval) {
            return Named::All(cause);
        }
        let work = interval.frames.iter().rev().find_map(|frame| match frame {
            Frame::Work(function) => Some(*function),
            _ => None,
        });
        match (interval.frames.last(), work) {
            (Some(Frame::Work(function)), _) => Named::All(self.work(sight, interval, *function)),
            (Some(_), _) if !interval.is_threads() => self.softirqs(sight, interval, length),
            (Some(_), Some(function)) => Named::All(self.work(sight, interval, function)),
            _ => self.thread(sight, interval, length),
        }
    }

    fn work(&self, sight: &Sight<'_>, interval: &Interval, function: u64) -> Cause {
        if !self.names.is_ours(function) {
            let cause = Cause::named(CauseKind::Work, self.names.function(function));
            return match interval.callback() {
                Some((_, function)) => cause.with(self.names.function(function)),
                None => cause,
            };
        }
        match self.own_thread(sight) {
            Some((pid, _)) if pid == interval.pid => Cause::plain(CauseKind::Own),
            _ => Cause::named(CauseKind::OtherStage, "work"),
        }
    }

    pub fn name_of(&self, pid: u32) -> String {
        let known = self.timeline.threads.get(&pid).or_else(|| self.elsewhere.name_of(pid));
        known.map_or_else(|| format!("thread {pid}"), String::clone)
    }
}

/// Returns why a sample cannot be explained.
fn unseen(sight: &Sight<'_>) -> Option<String> {
    match sight.elsewhere {
        _ if sight.entry.is_none() => Some("no events".into()),
        Some(cpu) if sight.timeline.is_none() => Some(format!("answered on CPU {cpu}")),
        _ => None,
    }
}

/// The cause of an interval of a CPU; in a twin what is other CPUs' turns is theirs.
pub(super) enum Named {
    All(Cause),
    /// All of it, with the turns of the other CPUs: they do what is waited for.
    Waits(Cause),
    /// The last cycles are the step's own, all before has this cause.
    Beyond(u64, Cause),
}

fn entered(sight: &Sight<'_>) -> Entered {
    match sight.interrupted {
        Some(found) if found.context.is(Context::USER) => Entered::User,
        Some(found) if found.context.is(Context::IDLE) => Entered::Idle,
        _ => Entered::Kernel,
    }
}
