// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Text of `rtla timerlat hist` and `rtla osnoise hist`: a column for each CPU
//! and context, a line for each bin that has samples, then what lies over the
//! last one, and counts.

use irqscope_wire::BenchmarkKind;

use super::lines::Lines;
use super::sink::{Head, SeriesHead, Sink, beyond};
use super::table::Table;
use super::{Source, number};
use crate::foreign::ForeignError;

#[derive(Default)]
struct Text {
    kind: Option<BenchmarkKind>,
    unit: i64,
    columns: Vec<(String, u16)>,
    table: Table,
    over: Option<Vec<u64>>,
    count: Option<Vec<u64>>,
    max: Vec<String>,
    ended: bool,
}

pub fn read(source: &Source<'_>, sink: &mut dyn Sink) -> Result<Head, ForeignError> {
    let mut lines = source.lines()?;
    let mut text = Text { unit: 1_000, ..Text::default() };
    while let Some(line) = lines.read()? {
        text.line(line).map_err(|why| lines.wrong(why))?;
    }
    let mut head = Head { resolution_ns: Some(text.unit.unsigned_abs()), ..Head::of("rtla") };
    text.finish(&lines, &mut head, sink)?;
    Ok(head)
}

impl Text {
    fn line(&mut self, line: &str) -> Result<(), String> {
        let mut words = line.split_whitespace();
        match words.next() {
            Some("#") => self.comment(line),
            Some("Index") => self.header(words),
            Some("ALL:") => {
                self.ended = true; // sums over all CPUs, in newer versions
                Ok(())
            }
            _ if self.ended => Ok(()),
            Some("over:") => {
                self.over = Some(numbers(words)?);
                Ok(())
            }
            Some("count:") => {
                self.count = Some(numbers(words)?);
                Ok(())
            }
            Some("max:") => {
                self.max = words.map(str::to_owned).collect();
                Ok(())
            }
            Some(word) if word.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-') => {
                if self.columns.is_empty() {
                    return Err(
                        "a bin before the line `Index`: record without --no-header and --no-index"
                            .into(),
                    );
                }
                self.table.add(number::bin(word, self.unit)?, words)
            }
            _ => Ok(()),
        }
    }

    fn comment(&mut self, line: &str) -> Result<(), String> {
        let kinds =
            [("timerlat hist", BenchmarkKind::Sched), ("osnoise hist", BenchmarkKind::Spin)];
        if line.contains("RTLA") {
            let found = kinds.iter().find(|(name, _)| line.contains(name));
            let (_, kind) = found.ok_or("is neither `timerlat hist` nor `osnoise hist`")?;
            if self.kind.replace(*kind).is_some() {
                return Err("a second head: are there two recordings in one file?".into());
            }
        }
        if line.contains("nanoseconds") {
            self.unit = 1;
        }
        Ok(())
    }

    /// Parses `IRQ-000 Thr-000 IRQ-001 …`, or `CPU-000 CPU-001 …`.
    fn header<'a>(&mut self, words: impl Iterator<Item = &'a str>) -> Result<(), String> {
        let column = |word: &str| {
            let (context, cpu) = word.split_once('-').ok_or(format!("`{word}` is no column"))?;
            let context = match context {
                "IRQ" => " irq",
                "Thr" => " thread",
                "Usr" => " user",
                "CPU" => "",
                _ => return Err(format!("`{word}` is no column that is known")),
            };
            let cpu = number::count(cpu)?;
            let cpu = u16::try_from(cpu).map_err(|_| format!("CPU {cpu} is beyond 65535"))?;
            Ok((format!("cpu{cpu}{context}"), cpu))
        };
        self.columns = words.map(column).collect::<Result<Vec<_>, _>>()?;
        Ok(())
    }

    fn finish(
        mut self,
        lines: &Lines,
        head: &mut Head,
        sink: &mut dyn Sink,
    ) -> Result<(), ForeignError> {
        let kind = self.kind.ok_or_else(|| lines.ended("has no head `# RTLA`"))?;
        let (over, count) = (self.over.take(), self.count.take());
        let (Some(over), Some(count)) = (over, count) else {
            return Err(lines.ended("ends before its lines `over:` and `count:`: it is truncated"));
        };
        let columns = self.columns.len();
        self.table.columns.resize(columns.max(self.table.columns.len()), Vec::new());
        if [self.table.columns.len(), over.len(), count.len()] != [columns; 3] {
            return Err(lines.ended(format!("not all of its lines have {columns} columns")));
        }
        for column in 0..columns {
            let (name, cpu) = &self.columns[column];
            let sum = self.table.sum(column).and_then(|sum| sum.checked_add(over[column]));
            if sum != Some(count[column]) {
                return Err(lines.ended(format!(
                    "{name} has {} samples by its line `count:`, and other ones in its bins: lines are missing or mixed up",
                    count[column]
                )));
            }
            sink.series(SeriesHead::new(kind, name.clone(), Some(*cpu)));
            let greatest = self.max.get(column).and_then(|most| number::count(most).ok());
            let greatest = greatest.map(|most| number::scaled(most, self.unit));
            sink.beyond(column, beyond(self.table.end(self.unit), greatest, over[column]))?;
        }
        self.tell(kind, &over, head);
        self.table.hand_over(sink, 0)
    }

    fn tell(&self, kind: BenchmarkKind, over: &[u64], head: &mut Head) {
        let bins = match self.table.step() {
            0 => "a value is where its bin begins".into(),
            step => format!(
                "a value is where its bin begins; bins are at most {step} ns wide (the file does not say more)"
            ),
        };
        head.is_histogram(&bins);
        let all = over.iter().fold(0u64, |all, one| all.saturating_add(*one));
        head.overflowed(all, &format!("maxima: {}, in the tool's unit", self.max.join(" ")));
        if kind == BenchmarkKind::Sched {
            head.notes.push(
                "timerlat: irq is from the timer's expiry to its handler, thread to its thread, user to user space and back".into(),
            );
        }
    }
}

fn numbers<'a>(words: impl Iterator<Item = &'a str>) -> Result<Vec<u64>, String> {
    words.map(number::count).collect()
}
