// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The histogram that `latmus -g` of the EVL project writes, into a file or to the terminal among
//! its other lines. A `+` behind the last bin says that it also holds all that is beyond it. Its
//! first versions have no line `# sample count`.

use irqscope_wire::{BenchmarkKind, Class, Policy, Scheduling};

use super::lines::Lines;
use super::sink::{Head, SeriesHead, Sink, beyond};
use super::table::Table;
use super::{Source, number};
use crate::foreign::ForeignError;

const UNIT: i64 = 1_000;

#[derive(Default)]
struct Text {
    table: Table,
    context: String,
    cpu: Option<u16>,
    class: Option<Class>,
    period_ns: Option<u64>,
    samples: Option<u64>,
    /// The head has begun: what comes before it on a terminal is talk.
    has_begun: bool,
    overruns: u64,
    max: String,
    release: Option<String>,
    /// The last bin's name and count, where others are in it too.
    beyond: Option<(String, u64)>,
}

pub fn read(source: &Source<'_>, sink: &mut dyn Sink) -> Result<Head, ForeignError> {
    let (mut lines, mut text) = (source.lines()?, Text::default());
    while let Some(line) = lines.read()? {
        let understood = match line.strip_prefix('#') {
            Some(comment) => text.comment(comment.trim()),
            None => text.bin(line),
        };
        understood.map_err(|why| lines.wrong(why))?;
    }
    let resolution_ns = Some(UNIT.unsigned_abs());
    let mut head = Head { resolution_ns, release: text.release.take(), ..Head::of("latmus") };
    text.finish(&lines, &mut head, sink)?;
    Ok(head)
}

impl Text {
    fn comment(&mut self, comment: &str) -> Result<(), String> {
        if comment.starts_with("test started on:") && std::mem::replace(&mut self.has_begun, true) {
            return Err("a second head: are there two recordings in one file?".into());
        }
        self.has_begun |= comment.starts_with("sampling period:");
        if let Some(rest) = comment.strip_prefix("Linux version ") {
            self.release = rest.split_whitespace().next().map(str::to_owned);
        }
        let Some((name, value)) = comment.split_once(':') else { return Ok(()) };
        let value = value.trim();
        let first = value.split_whitespace().next().unwrap_or_default();
        match name {
            "sampling period" => self.period_ns = number::count(first)?.checked_mul(1_000),
            "context" => self.context = value.to_owned(),
            "thread priority" => {
                let priority = u8::try_from(number::count(first)?)
                    .map_err(|_| format!("`{first}` is no priority"))?;
                self.class = Some(Class::Fixed(Scheduling { policy: Policy::Fifo, priority }));
            }
            "thread affinity" => {
                let digits = first.trim_start_matches("CPU").split('-').next().unwrap_or_default();
                self.cpu = u16::try_from(number::count(digits)?).ok();
            }
            "OVERRUNS" => self.overruns = number::count(first)?,
            "max latency" => self.max = value.to_owned(),
            "sample count" => self.samples = Some(number::count(first)?),
            _ => {}
        }
        Ok(())
    }

    /// Parses `12 345`, or `199+ 3`.
    fn bin(&mut self, line: &str) -> Result<(), String> {
        let mut words = line.split_whitespace();
        let Some(name) = words.next() else { return Ok(()) };
        if name.contains('|') || !self.has_begun {
            return Ok(()); // what else goes to the terminal
        }
        if self.beyond.is_some() {
            return Err("a bin after the last one".into());
        }
        let Some(name) = name.strip_suffix('+') else {
            return self.table.add(number::bin(name, UNIT)?, words);
        };
        self.table.add(number::bin(name, UNIT)?, words)?;
        let last = self.table.columns.first_mut().and_then(Vec::pop);
        self.beyond = Some((name.to_owned(), last.map_or(0, |(_, count)| count)));
        Ok(())
    }

    fn finish(
        self,
        lines: &Lines,
        head: &mut Head,
        sink: &mut dyn Sink,
    ) -> Result<(), ForeignError> {
        if self.table.is_empty() {
            return Err(lines.ended("holds no histogram: record with latmus -g FILE"));
        }
        if self.table.columns.len() != 1 {
            return Err(
                lines.ended(format!("has {} columns of counts, not one", self.table.columns.len()))
            );
        }
        let (last, overflows) = self.beyond.unwrap_or_default();
        let sum = self.table.sum(0).and_then(|sum| sum.checked_add(overflows));
        let most = microseconds(&self.max);
        match self.samples {
            Some(_) if sum != self.samples => {
                return Err(lines.ended(
                    "its bins do not sum up to its `# sample count`: lines are missing or mixed up",
                ));
            }
            // The last bin has the greatest value in it, or the file ends too early.
            None if most.is_none_or(|most| most >= self.table.end(UNIT)) && last.is_empty() => {
                return Err(lines.ended(
                    "has no line `# sample count`, and its last bin is not that of its `# max latency`: it is truncated",
                ));
            }
            _ => {}
        }
        let mut series = SeriesHead::new(BenchmarkKind::Sched, self.context, self.cpu);
        series.class = self.class.unwrap_or(series.class);
        series.period_ns = self.period_ns;
        sink.series(series);
        let from = self.table.end(0);
        sink.beyond(0, beyond(from, most, overflows))?;
        head.is_histogram("its bins are 1 µs wide and a value is where its bin begins");
        head.overflowed(overflows, &format!("{last} µs and more, the greatest was {} µs; some of them may have been in its last bin", self.max));
        if self.overruns > 0 {
            head.warnings.push(format!("latmus counted {} overruns", self.overruns));
        }
        self.table.hand_over(sink, 0)
    }
}

/// Parses `25.510`, microseconds to the nanosecond.
fn microseconds(text: &str) -> Option<i64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let fraction = format!("{fraction:0<3}");
    let fraction: i64 = fraction.get(..3)?.parse().ok()?;
    whole.parse::<i64>().ok()?.checked_mul(UNIT)?.checked_add(fraction)
}
