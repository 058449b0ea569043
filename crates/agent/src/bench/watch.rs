// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `watch`: latencies of a running kernel, taken by probes at its own tracepoints. Nothing of the
//! system is changed, and this thread sleeps between its looks at the probes' ring.

use std::time::{Duration, Instant};

use irqscope_watch::{
    Answer, Chains, Event, Names, Order, Probes, Reach, StageName, Subject, WatchError,
};
use irqscope_wire::{
    BenchEnd, BenchSample, BenchSamples, Class, Message, Nanoseconds, Note, Seq, SeriesCount,
    Severity, Watch, WatchedLatency, WatchedPart,
};

use super::sections;
use crate::context::Context;
use crate::error::{Error, Result};
use crate::sink::Sink;
use crate::symbols::Symbols;

/// The ring has room for 87,000 events: a million a second are read in time.
const LOOK: Duration = Duration::from_millis(50);
/// Well below `MAX_FRAME_BYTES`: a sample has at most 20 bytes.
const BATCH: usize = 4_096;
/// Series beyond these are counted as dropped: threads come and go.
const MOST_SERIES: usize = 64;
/// Latencies above the limit whose timelines are kept.
const MOST_TIMELINES: u64 = 1_000;
/// Parts of one timeline; the rest is one part.
const MOST_PARTS: usize = 200;
/// Timelines in a message: each write to the host is work on the machine that is watched.
const TIMELINES: usize = 16;

/// Watches until its time is over, or a series has its samples.
///
/// # Errors
/// The target is not there, or the kernel cannot be watched; or what was seen cannot be sent.
pub fn watch(context: &Context<'_>, number: u16, asked: &Watch, sink: &mut Sink) -> Result<()> {
    if let Some(cpus) = asked.sections() {
        return sections::watch(context, number, asked, cpus, sink);
    }
    let subject = Subject::find(context.root, &asked.target).map_err(Error::Watch)?;
    let reach = asked.until.as_deref().map(Reach::parse).transpose().map_err(Error::Watch)?;
    let names = Names::read(context.root, functions(context));
    let mut probes = Probes::attach(&subject, reach.as_ref()).map_err(Error::Watch)?;
    let mut record = Record::new(number, asked, Chains::new(subject, names));
    sink.send(unknown())?;
    probes.begin();
    let begin = Instant::now();
    let duration = Duration::from_nanos(asked.duration_ns);
    let mut order = Order::default();
    let ended = loop {
        let left = duration.saturating_sub(begin.elapsed());
        if left.is_zero() || record.has_enough {
            break Ok(());
        }
        if let Err(error) = context.stop.nap(LOOK.min(left), None) {
            break Err(error);
        }
        probes.read(|event| order.push(event));
        record.take(order.settled(), sink)?;
    };
    probes.read(|event| order.push(event));
    record.take(order.rest(), sink)?;
    record.finish(probes.lost(), sink)?;
    ended
}

/// Returns the names of the kernel's functions, where this process may see their addresses.
pub fn functions(context: &Context<'_>) -> Box<dyn Fn(u64) -> Option<String>> {
    match Symbols::read(context.root) {
        Ok(symbols) => {
            Box::new(move |address| symbols.at(address).map(|(symbol, _)| symbol.name.clone()))
        }
        Err(_) => Box::new(|_| None),
    }
}

/// Notes what no probe inside can see.
fn unknown() -> Message {
    let text = "seen from inside: when a device raised its line is not known, nor what ran while \
                interrupts were disabled before its handler; a latency begins at the handler's \
                entry, a sleeper's at its timer's expiry";
    Message::Note(Note { severity: Severity::Info, text: text.into() })
}

/// One stage.
struct Series {
    stage: StageName,
    name: String,
    waiting: Vec<BenchSample>,
    sent: u64,
    worst: Option<WatchedLatency>,
}

impl Series {
    fn of(stage: StageName, name: String) -> Series {
        Series { stage, name, waiting: Vec::new(), sent: 0, worst: None }
    }

    fn count(&self) -> u64 {
        self.sent + self.waiting.len() as u64
    }

    fn send(&mut self, benchmark: u16, sink: &mut Sink) -> Result<()> {
        let samples = std::mem::take(&mut self.waiting);
        let first = Seq(self.sent);
        self.sent += samples.len() as u64;
        let series = self.name.clone();
        sink.send(Message::BenchSamples(BenchSamples {
            benchmark,
            series,
            cpu: None,
            first,
            samples,
        }))
    }
}

/// All that was seen and is still to be sent.
struct Record<'a> {
    number: u16,
    asked: &'a Watch,
    chains: Chains,
    series: Vec<Series>,
    has_enough: bool,
    kept: Vec<WatchedLatency>,
    timelines: u64,
    unkept: u64,
    beyond: u64,
}

impl Record<'_> {
    fn new(number: u16, asked: &Watch, chains: Chains) -> Record<'_> {
        Record {
            number,
            asked,
            chains,
            series: Vec::new(),
            has_enough: asked.count == Some(0),
            kept: Vec::new(),
            timelines: 0,
            unkept: 0,
            beyond: 0,
        }
    }

    fn take(&mut self, events: impl Iterator<Item = Event>, sink: &mut Sink) -> Result<()> {
        let mut answers = Vec::new();
        for event in events {
            if self.has_enough {
                break;
            }
            self.chains.take(&event, &mut answers);
            for answer in answers.drain(..) {
                self.keep(&answer, sink)?;
            }
        }
        Ok(())
    }

    /// Returns the place of a stage's series; `None`: there are too many. Stages whose names look alike when they
    /// are shown share one.
    fn place(&mut self, stage: StageName) -> Option<usize> {
        if let Some(place) = self.series.iter().position(|one| one.stage == stage) {
            return Some(place);
        }
        let name = stage.to_string();
        let known = self.series.iter().position(|one| one.name == name);
        if known.is_none() && self.series.len() < MOST_SERIES {
            self.series.push(Series::of(stage, name));
            return Some(self.series.len() - 1);
        }
        known
    }

    fn keep(&mut self, answer: &Answer, sink: &mut Sink) -> Result<()> {
        let Some(place) = self.place(answer.stage) else {
            self.beyond += 1;
            return Ok(());
        };
        let (at, value) = (nanoseconds(answer.since()), nanoseconds(answer.value()));
        let above = self.asked.above_ns.is_some_and(|above| answer.value() >= above);
        let series = &mut self.series[place];
        let is_worst = series.worst.as_ref().is_none_or(|worst| worst.value.0 < value.0);
        series.waiting.push(BenchSample { at, value });
        self.has_enough |= self.asked.count.is_some_and(|count| series.count() >= count);
        if series.waiting.len() == BATCH {
            series.send(self.number, sink)?;
        }
        if above || is_worst {
            let latency = WatchedLatency {
                benchmark: self.number,
                series: self.series[place].name.clone(),
                at,
                value,
                parts: self.parts(answer),
            };
            if is_worst {
                self.series[place].worst = Some(latency.clone());
            }
            if above {
                self.keep_timeline(latency, sink)?;
            }
        }
        Ok(())
    }

    fn parts(&self, answer: &Answer) -> Vec<WatchedPart> {
        let mut parts = self.chains.parts(answer);
        let rest: u64 = parts.drain(MOST_PARTS.min(parts.len())..).map(|part| part.ns).sum();
        let part = |part: irqscope_watch::Part| WatchedPart {
            cpu: part.cpu,
            ns: part.ns,
            what: part.what,
            own: part.own,
        };
        let mut parts: Vec<WatchedPart> = parts.into_iter().map(part).collect();
        if let (true, Some(last)) = (rest > 0, parts.last()) {
            let (cpu, what) = (last.cpu, "further parts".into());
            parts.push(WatchedPart { cpu, ns: rest, what, own: false });
        }
        parts
    }

    fn keep_timeline(&mut self, latency: WatchedLatency, sink: &mut Sink) -> Result<()> {
        if self.timelines == MOST_TIMELINES {
            self.unkept += 1;
            return Ok(());
        }
        self.timelines += 1;
        self.kept.push(latency);
        if self.kept.len() == TIMELINES {
            sink.send(Message::Watched(std::mem::take(&mut self.kept)))?;
        }
        Ok(())
    }

    fn finish(mut self, lost: u64, sink: &mut Sink) -> Result<()> {
        self.series.sort_by(|a, b| a.name.cmp(&b.name));
        for series in &mut self.series {
            series.send(self.number, sink)?;
        }
        self.kept.extend(self.series.iter_mut().filter_map(|series| series.worst.take()));
        for latencies in self.kept.chunks(TIMELINES) {
            sink.send(Message::Watched(latencies.to_vec()))?;
        }
        for (severity, text) in self.notes(lost) {
            sink.send(Message::Note(Note { severity, text }))?;
        }
        let count = |one: &Series| SeriesCount {
            series: one.name.clone(),
            taken: one.sent,
            skipped: 0,
            dropped: 0,
        };
        sink.send(Message::BenchEnd(BenchEnd {
            benchmark: self.number,
            class: Class::Unknown,
            series: self.series.iter().map(count).collect(),
            unavailable: None,
        }))?;
        match lost {
            0 => Ok(()),
            lost => Err(Error::Watch(WatchError::Lost(lost))),
        }
    }

    fn notes(&self, lost: u64) -> Vec<(Severity, String)> {
        let target = &self.asked.target;
        let mut notes = Vec::new();
        if self.series.is_empty() {
            notes.push((
                Severity::Warning,
                format!("{target} did nothing in this time: there is no latency of it"),
            ));
        }
        if self.chains.merged() > 0 {
            notes.push((
                Severity::Info,
                format!(
                    "{} wakeups found their thread running: there is no latency of these",
                    self.chains.merged()
                ),
            ));
        }
        if self.unkept > 0 {
            notes.push((
                Severity::Warning,
                format!(
                    "{} latencies above the limit have no timeline: {MOST_TIMELINES} are kept; raise --above",
                    self.unkept
                ),
            ));
        }
        if self.beyond > 0 {
            notes.push((
                Severity::Warning,
                format!(
                    "{} latencies of further stages are not kept: there are more than {MOST_SERIES}, since threads came and went",
                    self.beyond
                ),
            ));
        }
        if lost > 0 {
            notes.push((
                Severity::Warning,
                format!("{lost} events found no room in the probes' ring: chains may be wrong"),
            ));
        }
        notes
    }
}

fn nanoseconds(ns: u64) -> Nanoseconds {
    Nanoseconds(i64::try_from(ns).unwrap_or(i64::MAX))
}
