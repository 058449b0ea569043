// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One case while it is measured: frames in, figures out.

use std::collections::BTreeMap;
use std::sync::Arc;

use irqscope_run::{Join, SampleRow, Source};
use irqscope_wire::{
    Frame, GeneratorHello, GeneratorKind, Message, Nanoseconds, Packet, Plan, Stage, Status, View,
};
use serde::Serialize;

use super::account::{Frames, LiveAccount, Numbers};
use super::lines::{LiveLines, Newest, Thresholds};
use super::series::{LiveSeries, Series};
use super::worst::Worst;

/// The figures of a case for its viewers.
#[derive(Clone, Copy, Debug)]
pub enum Wanted<'a> {
    /// Figures only.
    Figures,
    /// With all histograms, courses and longest latencies.
    Everything,
    /// With those of these series, and all longest latencies.
    Series(&'a [(Stage, View)]),
}

impl Wanted<'_> {
    fn draws(self, stage: Stage, view: View) -> bool {
        match self {
            Self::Figures => false,
            Self::Everything => true,
            Self::Series(some) => some.contains(&(stage, view)),
        }
    }
}

/// See docs/dashboard-api.md.
#[derive(Clone, Debug, Serialize)]
pub struct LiveFigures {
    /// The kernel's release, once the target has said it.
    pub release: Option<String>,
    /// Samples that have arrived: the target's, or the generator's where the target takes none, or
    /// a benchmark's.
    pub samples: u64,
    /// The outcomes of all triggers until now, as one side has counted them.
    pub account: LiveAccount,
    /// The frames of both streams until now.
    pub frames: Frames,
    /// Triggers whose record has not arrived: their latencies are those of the
    /// generator alone.
    pub unjoined: u64,
    /// In order of stage and view.
    pub series: Vec<LiveSeries>,
    /// The longest latencies of every series, at most `WORST` of each, longest first; empty where
    /// figures alone are wanted.
    pub worst: Vec<Worst>,
    /// The newest triggers' lines and those that are held; `None` where they are not wanted.
    pub lines: Option<Arc<LiveLines>>,
}

/// Its memory depends on the number of stages, and on the triggers whose record has not
/// arrived: in the twin, which sends its record at the end, on all of them.
pub struct LiveCase {
    plan: Plan,
    release: Option<String>,
    /// The generator is a twin's.
    twin: bool,
    has_generator: bool,
    join: Join,
    rows: Vec<SampleRow>,
    series: BTreeMap<(Stage, View), Series>,
    /// The view outside as the generator paired it, until its record has arrived.
    seen: BTreeMap<(Stage, View), Series>,
    newest: Newest,
    /// The same of what the generator saw.
    newest_seen: Newest,
    above: Thresholds,
    hello: Option<GeneratorHello>,
    /// How long the interrupt line is high.
    high: Nanoseconds,
    samples: u64,
    account: LiveAccount,
    frames: Frames,
    numbers: Numbers,
    ended: bool,
    period_ns: u64,
}

impl LiveCase {
    /// Begins a case. `without_agent`: nothing on the target takes part, so that its record is not
    /// waited for.
    pub fn new(plan: &Plan, without_agent: bool) -> Self {
        let mut join = Join::new(without_agent);
        join.learn_plan(plan);
        Self {
            plan: plan.clone(),
            release: None,
            twin: false,
            has_generator: false,
            join,
            rows: Vec::new(),
            series: BTreeMap::new(),
            seen: BTreeMap::new(),
            newest: Newest::default(),
            newest_seen: Newest::default(),
            above: Thresholds::new(),
            hello: None,
            high: Nanoseconds(0),
            samples: 0,
            account: LiveAccount::default(),
            frames: Frames::default(),
            numbers: Numbers::default(),
            ended: false,
            period_ns: period(plan),
        }
    }

    /// Counts a stretch of bytes that was no frame.
    pub fn damaged(&mut self) {
        self.frames.damaged += 1;
    }

    /// Takes frames of one case, each stream in its order.
    pub fn take(&mut self, source: Source, frame: &Frame) {
        self.frames.received += u64::from(source != Source::Host);
        self.frames.missed += self.numbers.missed(source, frame);
        self.join.take(source, &frame.message, &mut self.rows);
        self.add_rows();
        match &frame.message {
            Message::GeneratorHello(hello) => {
                self.has_generator = true;
                self.twin = hello.kind == GeneratorKind::Twin;
                self.hello = Some(hello.clone());
            }
            Message::Packet(packet) => self.packet(packet),
            Message::Status(status) => self.status(status),
            Message::Plan(plan) => (self.plan, self.period_ns) = ((**plan).clone(), period(plan)),
            Message::Started(started) => self.release = Some(started.kernel.clone()),
            Message::Samples(samples) => {
                self.samples += samples.len() as u64;
                if !self.has_generator {
                    samples.iter().for_each(|sample| self.account.add(sample));
                }
            }
            Message::BenchSamples(batch) => self.samples += batch.samples.len() as u64,
            Message::Finished(counters) if !self.has_generator => {
                self.account = LiveAccount::of_target(counters);
            }
            _ => {}
        }
    }

    /// Takes the end, after which nothing arrives: the figures are those of the finished run.
    pub fn end(&mut self) {
        self.join.finish(&mut self.rows);
        self.add_rows();
        self.seen.clear();
        self.newest_seen = Newest::default();
        self.ended = true;
    }

    /// Returns whether its nanoseconds are virtual.
    pub fn is_twin(&self) -> bool {
        self.twin || self.plan.shares_clock()
    }

    /// Returns how many frames there were, whatever became of them, and the end: the figures are the same
    /// as long as this is.
    pub fn frames(&self) -> u64 {
        self.frames.received + self.frames.damaged + u64::from(self.ended)
    }

    /// Returns the figures until now; histograms and courses are made only for the series that want
    /// them.
    pub fn figures(&self, wanted: Wanted<'_>) -> LiveFigures {
        let shown = self.shown();
        let series =
            |(key, one): (&(Stage, View), &&Series)| one.figures(wanted.draws(key.0, key.1));
        let everything = !matches!(wanted, Wanted::Figures);
        let worst = shown.values().flat_map(|one| one.worst());
        LiveFigures {
            release: self.release.clone(),
            samples: self.samples,
            account: self.account,
            frames: self.frames,
            unjoined: self.join.waiting() as u64,
            series: shown.iter().map(series).collect(),
            worst: if everything { worst.collect() } else { Vec::new() },
            lines: everything.then(|| Arc::new(self.lines())),
        }
    }

    /// Returns the series that are shown: those that the generator saw until most of their
    /// record has arrived.
    fn shown(&self) -> BTreeMap<(Stage, View), &Series> {
        let mut shown: BTreeMap<_, _> = self.series.iter().map(|(key, one)| (*key, one)).collect();
        for (key, seen) in &self.seen {
            let joined = self.series.get(key).map_or(0, Series::rows);
            if joined * 2 < seen.rows() {
                shown.insert(*key, seen);
            }
        }
        shown
    }

    /// Holds triggers from these latencies on, by stage, and none that were held for others.
    pub fn hold_above(&mut self, above: &Thresholds) {
        self.above.clone_from(above);
        self.newest.forget_above();
        self.newest_seen.forget_above();
    }

    /// Returns the lines that are shown, as the series are.
    fn lines(&self) -> LiveLines {
        let (joined, seen) = (&self.newest, &self.newest_seen);
        let shown = if joined.triggers() * 2 < seen.triggers() { seen } else { joined };
        shown.lines(self.high, &self.above)
    }

    fn status(&mut self, status: &Status) {
        self.account = LiveAccount::of_generator(&status.totals);
        if let Some(hello) = &self.hello {
            self.high = hello.nanoseconds(status.settings.high);
        }
    }

    fn packet(&mut self, packet: &Packet) {
        self.account = LiveAccount::of_generator(&packet.totals);
        if self.join.has_record() {
            let seen = self.join.as_seen(packet);
            for row in &seen {
                add(&mut self.seen, row, self.period_ns);
                self.newest_seen.add(row, &self.above);
            }
            self.newest_seen.settle();
        } else {
            self.samples += packet.samples.len() as u64;
        }
    }

    fn add_rows(&mut self) {
        for row in self.rows.drain(..) {
            add(&mut self.series, &row, self.period_ns);
            self.newest.add(&row, &self.above);
        }
        self.newest.settle();
    }
}

fn add(all: &mut BTreeMap<(Stage, View), Series>, row: &SampleRow, period_ns: u64) {
    let key = (row.stage, row.view);
    if !all.contains_key(&key) {
        let series = Series::new(row.stage, row.view, period_ns);
        all.extend(series.map(|series| (key, series)));
    }
    if let Some(series) = all.get_mut(&key) {
        series.add(row);
    }
}

fn period(plan: &Plan) -> u64 {
    plan.stages().map_or(1_000_000, |asked| asked.period_ns)
}
