// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One case while it is measured: frames in, figures out.

use std::collections::BTreeMap;

use irqscope_run::{SampleRow, Source, offset, outside_row};
use irqscope_wire::{
    Calibration, Frame, GeneratorKind, Message, Nanoseconds, OutsideSample, Packet, Plan, Response,
    Sample, Stage, Started, Tick, View,
};
use serde::Serialize;

use super::account::{Account, Frames, Numbers};
use super::common::Triggers;
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
    pub samples: u64,
    pub account: Account,
    pub frames: Frames,
    /// Inside samples whose trigger's instant is not at hand any more.
    pub unjoined: u64,
    /// In order of stage and view.
    pub series: Vec<LiveSeries>,
    pub worst: Vec<Worst>,
}

/// Its memory depends on the number of stages only.
pub struct LiveCase {
    plan: Plan,
    without_agent: bool,
    started: Option<Started>,
    /// Of the generator's clock, with how many lines it watches.
    generator: Option<(Tick, usize)>,
    /// Its measurements of itself.
    calibration: Option<Calibration>,
    /// The generator is a twin's.
    twin: bool,
    /// Of the target's counter.
    tick: Option<Tick>,
    triggers: Triggers,
    series: BTreeMap<(Stage, View), Series>,
    samples: u64,
    account: Account,
    frames: Frames,
    numbers: Numbers,
    unjoined: u64,
}

impl LiveCase {
    pub fn new(plan: &Plan, without_agent: bool) -> Self {
        Self {
            tick: plan.tick,
            plan: plan.clone(),
            without_agent,
            started: None,
            generator: None,
            calibration: None,
            twin: false,
            triggers: Triggers::default(),
            series: BTreeMap::new(),
            samples: 0,
            account: Account::default(),
            frames: Frames::default(),
            numbers: Numbers::default(),
            unjoined: 0,
        }
    }

    pub fn damaged(&mut self) {
        self.frames.damaged += 1;
    }

    /// Takes frames of one case, each stream in its order.
    pub fn take(&mut self, source: Source, frame: &Frame) {
        self.frames.received += u64::from(source != Source::Host);
        self.frames.missed += self.numbers.missed(source, frame);
        match &frame.message {
            Message::GeneratorHello(hello) => {
                self.generator = Some((hello.tick, hello.lines.into()));
                self.twin = hello.kind == GeneratorKind::Twin;
            }
            Message::Packet(packet) => self.packet(packet),
            Message::Calibration(calibration) => self.calibration = Some(calibration.clone()),
            Message::Status(status) => self.account = Account::of_generator(&status.totals),
            // The rig's exact tick comes before the one that the target calibrated.
            Message::Plan(plan) => {
                self.tick = plan.tick.or(self.tick);
                self.plan = plan.clone();
            }
            Message::Started(started) => {
                self.tick.get_or_insert(started.tick);
                self.started = Some(started.clone());
            }
            Message::Samples(samples) => samples.iter().for_each(|sample| self.inside(sample)),
            Message::BenchSamples(batch) => self.samples += batch.samples.len() as u64,
            Message::Finished(counters) if self.generator.is_none() => {
                self.account = Account::of_target(counters);
            }
            _ => {}
        }
    }

    /// Returns whether its nanoseconds are virtual.
    pub fn is_twin(&self) -> bool {
        self.twin || self.plan.shares_clock()
    }

    /// Returns how many frames there were until now, whatever became of them: the figures are the
    /// same as long as this is.
    pub fn frames(&self) -> u64 {
        self.frames.received + self.frames.damaged
    }

    pub fn figures(&self, wanted: Wanted<'_>) -> LiveFigures {
        let series =
            |(key, one): (&(Stage, View), &Series)| one.figures(wanted.draws(key.0, key.1));
        let worst = self.series.values().flat_map(Series::worst);
        LiveFigures {
            release: self.started.as_ref().map(|started| started.kernel.clone()),
            samples: self.samples,
            account: self.account,
            frames: self.frames,
            unjoined: self.unjoined,
            series: self.series.iter().map(series).collect(),
            worst: if matches!(wanted, Wanted::Figures) { Vec::new() } else { worst.collect() },
        }
    }

    fn packet(&mut self, packet: &Packet) {
        self.account = Account::of_generator(&packet.totals);
        let Some((tick, lines)) = self.generator else { return };
        let lines = packet.samples.first().map_or(lines, |sample| sample.answers.len());
        self.samples +=
            if self.plan.has_view(View::Inside) { 0 } else { packet.samples.len() as u64 };
        let stages = self.stages(lines);
        for sample in &packet.samples {
            if self.plan.has_view(View::Inside) && self.plan.shares_clock() {
                self.triggers.add(sample.seq.0, sample.trigger.0);
            }
            self.outside(sample, &stages, tick);
        }
    }

    fn outside(&mut self, sample: &OutsideSample, stages: &[Stage], tick: Tick) {
        for (line, stage) in stages.iter().enumerate() {
            let offset = offset(self.calibration.as_ref(), line);
            self.add(&outside_row(sample, line, *stage, tick, offset));
        }
    }

    /// Returns the stages of the lines. The target may say it only at the end: until then, all that
    /// were asked for, or those of them that every kernel has. None where neither are as many as
    /// there are lines.
    fn stages(&self, lines: usize) -> Vec<Stage> {
        let asked = self.plan.stages().map_or(&[][..], |asked| &asked.stages);
        if self.without_agent && asked.len() == lines {
            return asked.to_vec();
        }
        let sorted = |stages: &[Stage]| {
            let mut stages = stages.to_vec();
            stages.sort_unstable();
            stages
        };
        let asked = sorted(asked);
        let everywhere: Vec<Stage> =
            asked.iter().copied().filter(|stage| stage.since().is_none()).collect();
        let started = self.started.as_ref().map(|started| sorted(&started.stages));
        let all = started.into_iter().chain([asked, everywhere]);
        all.into_iter().find(|stages| stages.len() == lines).unwrap_or_default()
    }

    fn inside(&mut self, sample: &Sample) {
        self.samples += 1;
        let Some(tick) = self.tick else { return };
        let row = |response: &Response| SampleRow::new(sample, response, View::Inside, tick);
        let mut rows: Vec<SampleRow> = sample.responses.iter().map(row).collect();
        if self.generator.is_none() {
            self.account.add(&rows);
        }
        if self.is_joined() {
            let Some(delay) = self.delay(sample) else {
                self.unjoined += 1;
                return;
            };
            rows.iter_mut().for_each(|row| count_from(row, delay));
        }
        rows.iter().for_each(|row| self.add(row));
    }

    fn is_joined(&self) -> bool {
        self.generator.is_some() && self.plan.shares_clock() && !self.without_agent
    }

    /// Returns the nanoseconds from the trigger to the handler's stamp.
    fn delay(&self, sample: &Sample) -> Option<i64> {
        let (tick, _) = self.generator?;
        let ticks = i64::try_from(self.triggers.delay(sample)?).ok()?;
        Some(tick.nanoseconds(ticks).0)
    }

    fn add(&mut self, row: &SampleRow) {
        let key = (row.stage, row.view);
        if !self.series.contains_key(&key) {
            let period_ns = self.plan.stages().map_or(0, |asked| asked.period_ns);
            let series = Series::new(row.stage, row.view, period_ns);
            self.series.extend(series.map(|series| (key, series)));
        }
        if let Some(series) = self.series.get_mut(&key) {
            series.add(row);
        }
    }
}

fn count_from(row: &mut SampleRow, delay: i64) {
    row.trigger = Nanoseconds(row.trigger.0.saturating_sub(delay));
    row.latency = row.latency.map(|latency| Nanoseconds(latency.0.saturating_add(delay)));
}
