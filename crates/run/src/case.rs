// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One case as the log has it.

use std::collections::BTreeMap;

use irqscope_wire::{
    Counters, Event, Explained, Failure, Fault, Frame, GeneratorKind, LoadWork, LockSite,
    LockTotals, Message, Note, OtherEvents, Plan, Sample, Sections, StageCost, StagePlan, Started,
    Symbol, Tick,
};

use crate::bench::{self, BenchmarkData};
use crate::frames::{Place, Received};
use crate::isolated::Isolated;
use crate::{CaseManifest, Fit, Join, LogIndex, OutsideData, Result, RunError, SampleRow, Source};

/// Frames of one stream that are missing from the log, or came again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gap {
    /// The stream.
    pub source: Source,
    /// The number that was due.
    pub expected: u64,
    /// The number that came.
    pub found: u64,
}

impl std::fmt::Display for Gap {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { source, expected, found } = self;
        let source = format!("{source:?}").to_lowercase();
        match found.checked_sub(*expected) {
            Some(1) => write!(f, "frame {expected} of the {source} is missing"),
            Some(_) => write!(f, "frames {expected} to {} of the {source} are missing", found - 1),
            None => write!(f, "the {source} sent frame {found} where {expected} was due"),
        }
    }
}

/// Everything that the log has of one case.
#[derive(Clone, Debug, Default)]
pub struct CaseData {
    /// Position in the manifest.
    pub number: u16,
    /// Its name.
    pub case: String,
    /// The plan, as the target repeats it.
    pub plan: Option<Plan>,
    /// The settings that the target really took.
    pub started: Option<Started>,
    /// The cost of stamping, by stage.
    pub costs: Vec<StageCost>,
    /// The driver's counters.
    pub counters: Option<Counters>,
    /// Notes for the reader of the results.
    pub notes: Vec<Note>,
    /// Why it failed, if it did.
    pub failure: Option<Failure>,
    /// Triggers of the inside view that the log has a sample of.
    pub samples: u64,
    /// In order of sequence number, stage and view.
    pub rows: Vec<SampleRow>,
    /// Frames that are missing.
    pub gaps: Vec<Gap>,
    /// Frames whose record is sound but which are no frames, or speak of a benchmark
    /// that the plan has not.
    pub undecodable: u64,
    /// Samples that came before the counter's tick was known.
    pub unconverted: u64,
    /// `None` where no generator sent a frame.
    pub outside: Option<OutsideData>,
    /// Functions of the target, in ascending order of address; see
    /// [`Symbol::at`].
    pub symbols: Vec<Symbol>,
    /// Everything else that the CPU under test did, in order; with `explain`.
    pub events: Vec<Event>,
    /// The doing of each other CPU while a sample was open, in order; with `explain`.
    pub others: BTreeMap<u16, Vec<Event>>,
    /// The facts that are needed to read the events.
    pub explained: Option<Explained>,
    /// Culprits that a test asked for.
    pub truth: Vec<Fault>,
    /// Samples as the target sent them; with `explain`.
    pub raw: Vec<Sample>,
    /// How well both views fit.
    pub fit: Fit,
    /// Of a kernel with delayed locking, what it counted.
    pub lock_sites: Vec<LockSite>,
    /// Figures that go with the sites.
    pub lock_totals: Option<LockTotals>,
    /// The work that the loads did, by benchmark.
    pub work: Vec<LoadWork>,
    /// Sections with interrupts or preemption disabled that the twin executed, where they were asked for.
    pub sections: Vec<Sections>,
    /// Such sections by the kernel's tracepoints.
    pub traced_sections: Vec<Sections>,
    /// The beginning of each turn, in virtual ns, with the CPU that executed from then on, if one did; of
    /// a twin of several CPUs, with `explain`, a trace or sections.
    pub turns: Vec<(u64, Option<u16>)>,
    /// The disturbances of isolated CPUs, in the twin.
    pub isolated: Isolated,
    /// In the plan's order; empty where stages were asked.
    pub benchmarks: Vec<BenchmarkData>,
    /// Nothing on the target took part.
    pub without_agent: bool,
    next: BTreeMap<Source, u64>,
    join: Join,
    /// Where rows are scanned and not kept.
    pre_scan: Option<PreScan>,
}

/// The order of samples that are not kept.
#[derive(Clone, Debug, Default)]
pub(crate) struct PreScan {
    /// The number of the last sample.
    last: Option<u64>,
    /// The tick that all samples until now were converted with.
    tick: Option<Tick>,
    /// Read one after the other, the rows would not be those of the whole case.
    unfit: bool,
}

impl PreScan {
    /// Returns whether the samples can be read one frame after the other, where `tick` is the
    /// one that the case has in the end.
    fn fits(&self, tick: Option<Tick>) -> bool {
        !self.unfit && (self.tick.is_none() || self.tick == tick)
    }

    fn take(&mut self, samples: &[Sample], tick: Tick) {
        self.unfit |= *self.tick.get_or_insert(tick) != tick;
        for sample in samples {
            let stages = || sample.responses.iter().map(|response| response.stage);
            let in_order = stages().is_sorted() && self.last.is_none_or(|last| last < sample.seq.0);
            self.unfit |= !in_order;
            self.last = Some(sample.seq.0);
        }
    }
}

impl CaseData {
    pub(crate) fn read(index: &LogIndex, number: u16, manifest: &CaseManifest) -> Result<Self> {
        let mut data = Self { number, case: manifest.case.clone(), ..Self::default() };
        data.take_all(index, manifest)?;
        Ok(data.finished())
    }

    /// Begins a case whose frames come one after the other and are not logged.
    pub(crate) fn of_plan(plan: &Plan) -> Self {
        let mut data = Self::default();
        data.learn_plan(Some(plan));
        data
    }

    /// Takes the next frame of a case that is not logged.
    pub(crate) fn take_frame(&mut self, source: Source, frame: Frame) {
        self.take(Received { place: (0, 0), source, host_ns: 0, frame: Some(frame) });
    }

    /// Ends the case: what came is joined and put in order.
    pub(crate) fn finished(mut self) -> Self {
        self.join.finish(&mut self.rows);
        self.fit = self.join.fit();
        // Streams are in order by themselves; only two views have to be merged.
        if !self.rows.is_sorted_by_key(SampleRow::key) {
            self.rows.sort_by_key(SampleRow::key);
        }
        // A circle of history has its youngest events before its oldest.
        for events in std::iter::once(&mut self.events).chain(self.others.values_mut()) {
            events.sort_by_key(|event| (event.at, event.order));
        }
        self.symbols.sort();
        self.symbols.dedup();
        self
    }

    /// Reads everything but samples of stages and benchmarks, whose places in the log are
    /// known. `None` if their rows are not simply those of one frame after the other: where
    /// there is a view from outside, or an explanation, or a disorder in the log.
    pub(crate) fn pre_scan(
        index: &LogIndex,
        number: u16,
        manifest: &CaseManifest,
    ) -> Result<Option<Self>> {
        let pre_scan = Some(PreScan::default());
        let mut data = Self { number, case: manifest.case.clone(), pre_scan, ..Self::default() };
        data.take_all(index, manifest)?;
        let planned = data.asked();
        let whole = data.outside.is_some()
            || data.unconverted > 0
            || data.pre_scan.as_ref().is_some_and(|pre_scan| !pre_scan.fits(data.tick()))
            || planned.is_some_and(|asked| asked.explains() || asked.is_triggered_outside());
        Ok((!whole).then_some(data))
    }

    fn take_all(&mut self, index: &LogIndex, manifest: &CaseManifest) -> Result<()> {
        self.without_agent = manifest.without_agent;
        self.join = Join::new(manifest.without_agent);
        self.learn_plan(manifest.plan.as_ref());
        index.file().each(
            index.places(self.number),
            |received| received,
            |received| {
                self.take(received);
                Ok::<(), RunError>(())
            },
        )?;
        if self.without_agent {
            self.counters = self.outside.as_ref().and_then(OutsideData::counters);
        }
        Ok(())
    }

    /// Returns the part of the plan that asks stages, if there is one.
    pub fn asked(&self) -> Option<&StagePlan> {
        self.plan.as_ref()?.stages()
    }

    /// Returns the CPU under test.
    pub fn cpu(&self) -> u16 {
        self.plan.as_ref().map_or(0, |plan| plan.cpu) as u16
    }

    /// Returns whether the clock counts executed instructions.
    pub fn is_twin(&self) -> bool {
        let hello = self.outside.as_ref().and_then(|outside| outside.hello.as_ref());
        self.plan.as_ref().is_some_and(Plan::shares_clock)
            || hello.is_some_and(|hello| hello.kind == GeneratorKind::Twin)
    }

    /// Returns the tick of the target's counter.
    pub fn tick(&self) -> Option<Tick> {
        self.join.counter_tick()
    }

    fn take(&mut self, received: Received) {
        let Received { place, source, host_ns, frame } = received;
        let Some(frame) = frame else {
            self.undecodable += 1;
            return;
        };
        // A generator counts its frames over its whole life.
        let joins = matches!(frame.message, Message::GeneratorHello(_));
        let first = if joins { frame.number } else { 0 };
        let next = self.next.entry(source).or_insert(first);
        if *next != frame.number {
            self.gaps.push(Gap { source, expected: *next, found: frame.number });
        }
        *next = frame.number.saturating_add(1);
        self.understand(source, host_ns, frame.message, place);
    }

    fn understand(&mut self, source: Source, host_ns: u64, message: Message, place: Place) {
        if self.pre_scan.is_none() {
            self.join.take(source, &message, &mut self.rows);
        } else if let Message::Started(_) = message {
            self.join.take(source, &message, &mut Vec::new());
        }
        match message {
            Message::Failed(failure) => self.failure = Some(failure),
            Message::Note(note) => self.notes.push(note),
            Message::Sections(sections) if source == Source::Target => {
                self.traced_sections.push(sections);
            }
            Message::Sections(sections) => self.sections.push(sections),
            Message::Disturbances(some) => {
                self.isolated.take(some, self.plan.as_ref(), &mut self.benchmarks);
            }
            Message::Turns(turns) => self.turns.extend(turns.each()),
            message if source == Source::Generator => {
                self.outside.get_or_insert_default().understand(message, host_ns);
            }
            Message::Plan(plan) => self.learn_plan(Some(&plan)),
            Message::Started(started) => self.started = Some(started),
            Message::Cost(costs) => self.costs = costs,
            Message::Samples(samples) => self.add(&samples),
            Message::Finished(counters) => self.counters = Some(counters),
            Message::Symbols(symbols) => self.symbols.extend(symbols),
            Message::Events(events) => self.events.extend(events),
            Message::OtherEvents(OtherEvents { cpu, events }) => {
                self.others.entry(cpu).or_default().extend(events);
            }
            Message::Explained(explained) => self.explained = Some(explained),
            Message::Truth(faults) => self.truth.extend(faults),
            Message::LockSites(sites) => self.lock_sites.extend(sites),
            Message::Locks(totals) => self.lock_totals = Some(totals),
            Message::Work(work) => self.work.extend(work),
            message @ (Message::BenchSamples(_)
            | Message::BenchValues(_)
            | Message::Watched(_)
            | Message::BenchEnd(_)) => {
                let place = self.pre_scan.is_some().then_some(place);
                let known = bench::understand(&mut self.benchmarks, message, place);
                self.undecodable += u64::from(!known);
            }
            _ => {}
        }
    }

    fn learn_plan(&mut self, plan: Option<&Plan>) {
        plan.into_iter().for_each(|plan| self.join.learn_plan(plan));
        if let (Some(plan), true) = (plan, self.benchmarks.is_empty()) {
            self.benchmarks = bench::of_plan(plan);
        }
        self.plan = plan.cloned().or(self.plan.take());
    }

    fn add(&mut self, samples: &[Sample]) {
        let Some(tick) = self.tick() else {
            self.unconverted += samples.len() as u64;
            return;
        };
        self.samples += samples.len() as u64;
        if let Some(pre_scan) = &mut self.pre_scan {
            pre_scan.take(samples, tick);
        } else if self.plan.as_ref().is_some_and(Plan::explains) {
            self.raw.extend_from_slice(samples);
        }
    }
}
