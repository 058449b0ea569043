// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `isolate` on a machine that is there: a loop that reads the clock of the kernel's tracepoints, and
//! probes that say what ran in each of its gaps.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use irqscope_watch::{Chains, Names, Order, Part, Probes, Sent, Subject};
use irqscope_wire::{
    BenchEnd, BenchSample, BenchSamples, Isolate, LOOP_THREAD, Message, Nanoseconds, Note, Seq,
    SeriesCount, Severity, WatchedLatency, WatchedPart,
};

use super::spin::ROOM;
use super::watch::functions;
use super::{Fixture, Recorded, Recorder};
use crate::clock::now;
use crate::context::Context;
use crate::error::{Error, Result};
use crate::sink::Sink;
use crate::sync::{Process, Processes};

/// How often probes and loops are looked at.
const LOOK: Duration = Duration::from_millis(50);
/// Events come in the order of their stamps after this time, ns.
const SETTLED: i64 = 100_000_000;
/// Gaps in one message.
const BATCH: usize = 256;
/// An interrupt is not longer on its way, ns.
const ON_ITS_WAY: u64 = 1_000_000;
const MARGIN: Duration = Duration::from_secs(10);

/// Loops, and sends each gap with what the CPU ran in it.
///
/// # Errors
/// The loops cannot be started, or nothing can be sent.
pub fn measure(
    context: &Context<'_>,
    number: u16,
    asked: &Isolate,
    fixture: &Fixture<'_>,
    sink: &mut Sink,
) -> Result<()> {
    let cpus = fixture.cpus(&asked.cpus);
    let named: Vec<u16> = cpus.iter().map(|cpu| *cpu as u16).collect();
    let subject = Subject::Cpus(named.clone());
    let mut probes = match Probes::attach(&subject, None) {
        Ok(probes) => Some(probes),
        Err(error) => {
            let text = format!("gaps have no causes: {error}; {}", error.remedy());
            sink.send(Message::Note(Note { severity: Severity::Warning, text }))?;
            None
        }
    };
    let chains = Chains::new(subject, Names::read(context.root, functions(context)));
    let (mut processes, mut loops) = (Vec::new(), Vec::new());
    let (duration, threshold) = (asked.duration_ns, asked.threshold_ns);
    for (cpu, number) in cpus.iter().zip(&named) {
        let (recorder, recorded) = fixture.recorder(ROOM);
        let spec = fixture.spec(LOOP_THREAD, *cpu);
        let body = Box::new(move || turn(duration, threshold, recorder));
        processes.push(Process { spec, body });
        loops.push(Loop { cpu: *number, recorded, waiting: Vec::new(), sent: 0 });
    }
    let mut record = Record { number, chains, last: BTreeMap::new() };
    if let Some(probes) = &mut probes {
        probes.begin();
    }
    let started = Processes::start(processes)?;
    let (mut order, begin) = (Order::default(), Instant::now());
    let patience = Duration::from_nanos(duration) + MARGIN;
    let looked = loop {
        if let Err(error) = context.stop.nap(LOOK, Some(started.ended())) {
            break Err(error);
        }
        let ended = started.have_ended();
        if let Some(probes) = &mut probes {
            probes.read(|event| order.push(event));
        }
        let events = if ended { order.rest() } else { order.settled() };
        // CPUs have gaps, which are asked for below, and no chains that arrive anywhere.
        events.for_each(|event| record.chains.take(&event, &mut Vec::new()));
        let until = if ended { i64::MAX } else { now() - SETTLED };
        let sent = loops.iter_mut().try_for_each(|one| record.send(one, until, sink));
        if ended || sent.is_err() {
            break sent;
        }
        if begin.elapsed() > patience {
            break Err(Error::Thread("a loop has not ended in its time".into()));
        }
    };
    drop(started);
    looked?;
    let lost = probes.map_or(0, |probes| probes.lost());
    if lost > 0 {
        let text =
            format!("{lost} events found no room in the probes' ring: causes are incomplete");
        sink.send(Message::Note(Note { severity: Severity::Warning, text }))?;
    }
    let count = |one: &Loop| SeriesCount {
        series: format!("cpu{}", one.cpu),
        taken: one.sent,
        skipped: 0,
        dropped: one.recorded.dropped(),
    };
    let series = loops.iter().map(count).collect();
    let (benchmark, class) = (number, fixture.class);
    sink.send(Message::BenchEnd(BenchEnd { benchmark, class, series, unavailable: None }))
}

/// Reads the clock until the time is over; a gap's instant is its beginning.
fn turn(duration_ns: u64, threshold_ns: u64, mut recorder: Recorder) {
    let end = now().saturating_add_unsigned(duration_ns);
    let threshold = i64::try_from(threshold_ns).unwrap_or(i64::MAX);
    let mut last = now();
    while last < end {
        let here = now();
        if here - last >= threshold {
            recorder.take(last, here - last);
        }
        last = here;
    }
}

/// One CPU's loop.
struct Loop {
    cpu: u16,
    recorded: Recorded,
    /// Gaps whose events may still come.
    waiting: Vec<(i64, i64)>,
    sent: u64,
}

struct Record {
    number: u16,
    chains: Chains,
    /// By CPU: the end of the gap before.
    last: BTreeMap<u16, u64>,
}

impl Record {
    /// Sends the gaps that had ended at an instant.
    fn send(&mut self, one: &mut Loop, until: i64, sink: &mut Sink) -> Result<()> {
        one.waiting.extend(one.recorded.read(ROOM as usize));
        let settled = one.waiting.partition_point(|(at, ns)| at.saturating_add(*ns) < until);
        let rest = one.waiting.split_off(settled);
        let gaps = std::mem::replace(&mut one.waiting, rest);
        for gaps in gaps.chunks(BATCH) {
            let (mut samples, mut watched) = (Vec::new(), Vec::new());
            for (at, ns) in gaps {
                let (at, value) = (Nanoseconds(*at), Nanoseconds(*ns));
                samples.push(BenchSample { at, value });
                let parts = self.parts(one.cpu, at.0.unsigned_abs(), ns.unsigned_abs());
                let (benchmark, series) = (self.number, format!("cpu{}", one.cpu));
                watched.push(WatchedLatency { benchmark, series, at, value, parts });
            }
            let first = Seq(one.sent);
            one.sent += samples.len() as u64;
            let (benchmark, series) = (self.number, format!("cpu{}", one.cpu));
            let cpu = Some(one.cpu);
            let samples = BenchSamples { benchmark, series, cpu, first, samples };
            sink.send(Message::BenchSamples(samples))?;
            sink.send(Message::Watched(watched))?;
        }
        Ok(())
    }

    fn parts(&mut self, cpu: u16, from: u64, ns: u64) -> Vec<WatchedPart> {
        let to = from + ns;
        let before = self.last.insert(cpu, to).unwrap_or(0).max(from.saturating_sub(ON_ITS_WAY));
        let ran = self.chains.ran(cpu, from, to).into_iter().map(part);
        let sender = self.chains.sender(cpu, before, to).map(sent);
        ran.chain(sender).collect()
    }
}

fn part(part: Part) -> WatchedPart {
    let own = part.what == format!("thread {LOOP_THREAD}");
    WatchedPart { cpu: part.cpu, ns: part.ns, what: part.what, own }
}

/// Returns a part without a length, for another CPU that asked for the gap.
fn sent(sent: &Sent) -> WatchedPart {
    let what = format!("sent by {}: {}", sent.thread, sent.place);
    WatchedPart { cpu: sent.from, ns: 0, what, own: false }
}
