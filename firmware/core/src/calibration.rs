// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A board's measurement of itself: its trigger, by its own lines.

use alloc::vec::Vec;
use irqscope_generator::Source;
use irqscope_wire::{
    Answer, Calibration, Changes, Command, Cycles, GeneratorHello, JitterKind, Loopback, Message,
    Note, OutsideSample, Refusal, StartAt,
};

use crate::HIGH_STEP;

/// Triggers, and how far apart, in microseconds.
const COUNT: u64 = 256;
const PERIOD_US: u64 = 100;
/// So that triggers and looks meet in every way in which they can.
const JITTER_US: u64 = 1;
/// A wire answers sooner; an answer that comes later would be lost at the last trigger alone.
const TIMEOUT_US: u64 = 60;
/// A line that answers to fewer is not wired to the trigger.
const LEAST: usize = COUNT as usize / 2;

/// Messages of the calibration's own generator that may wait.
const ROOM: usize = 8;

/// Makes the generator that measures while the host's rests: it has its own settings, and what it
/// sends is read here.
///
/// # Errors
/// A setting that a board does not offer; all of these are offered.
pub fn generator(
    hello: &GeneratorHello,
    cycles_per_us: u32,
    window: usize,
) -> Result<Source, Refusal> {
    let us = |us: u64| Cycles(us * u64::from(cycles_per_us));
    let mut source = Source::new(hello.clone(), window, ROOM, 0).with_hardware_grid(HIGH_STEP);
    let settings = Changes::default()
        .count(COUNT)
        .period(us(PERIOD_US))
        .jitter(JitterKind::Uniform)
        .jitter_amount(us(JITTER_US))
        .timeout(us(TIMEOUT_US));
    source.set(settings, 0)?;
    source.set(Command::Start(StartAt::Now), 0)?;
    Ok(source)
}

/// The result.
#[derive(Debug)]
pub struct Gauge {
    /// By line.
    spans: Vec<Vec<u32>>,
}

impl Gauge {
    pub fn new(lines: u8) -> Self {
        Self { spans: (0..lines).map(|_| Vec::with_capacity(COUNT as usize)).collect() }
    }

    /// Reads what the generator has sent; hands on what a host is to know.
    pub fn read(&mut self, message: Message) -> Option<Note> {
        match message {
            Message::Packet(packet) => packet.samples.iter().for_each(|sample| self.sample(sample)),
            Message::Note(note) => return Some(note),
            _ => {}
        }
        None
    }

    fn sample(&mut self, sample: &OutsideSample) {
        for (spans, answer) in self.spans.iter_mut().zip(&sample.answers) {
            if let Answer::Prompt(Cycles(span)) = answer {
                spans.push(u32::try_from(*span).unwrap_or(u32::MAX));
            }
        }
    }

    pub fn result(self) -> Calibration {
        Calibration { lines: self.spans.into_iter().map(loopback).collect() }
    }
}

/// Summarises the spans; the median is the lower one of two.
fn loopback(mut spans: Vec<u32>) -> Option<Loopback> {
    if spans.len() < LEAST {
        return None;
    }
    spans.sort_unstable();
    Some(Loopback {
        offset: spans[(spans.len() - 1) / 2].into(),
        lowest: spans[0].into(),
        highest: spans[spans.len() - 1].into(),
        measurements: spans.len() as u32,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RP2040;
    use irqscope_wire::{Packet, RunState, Seq, Totals};

    fn packet(spans: &[[Option<u64>; 2]]) -> Message {
        let answer =
            |span: &Option<u64>| span.map_or(Answer::Missing, |it| Answer::Prompt(Cycles(it)));
        let sample = |spans: &[Option<u64>; 2]| OutsideSample {
            seq: Seq(0),
            trigger: Cycles(0),
            answers: spans.iter().map(answer).collect(),
            extra: 0,
            widths: Vec::new(),
            window: 0,
        };
        let samples = spans.iter().map(sample).collect();
        Message::Packet(Packet { run: 1, samples, extras: Vec::new(), totals: Totals::default() })
    }

    #[test]
    fn a_line_that_is_wired_has_its_median_and_its_range_and_another_none() {
        let mut gauge = Gauge::new(2);
        let stray = |n: u64| (n < 100).then_some(9);
        for n in 0..COUNT {
            let span = if n % 4 == 0 { 3 } else { 2 } + u64::from(n == 17);
            gauge.read(packet(&[[Some(span), stray(n)]]));
        }
        let loopback = Loopback { offset: 2, lowest: 2, highest: 3, measurements: 256 };
        assert_eq!(gauge.result().lines, [Some(loopback), None]);
    }

    #[test]
    fn the_generator_that_measures_is_within_what_a_board_offers() {
        let hello = RP2040.hello("0");
        let source = generator(&hello, RP2040.cycles_per_us, 64).unwrap();
        assert_eq!((source.state(), source.settings().count), (RunState::Running, COUNT));
        assert_eq!(source.settings().period, Cycles(20_000));
    }
}
