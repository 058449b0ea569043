// SPDX-License-Identifier: Apache-2.0 OR MIT
//! cyclictest's text: the histogram of `-h` and `-H`, and the values of `-v`.

use std::collections::BTreeMap;

use irqscope_wire::{BenchmarkKind, Class, Policy, Scheduling};

use super::lines::Lines;
use super::sink::{Head, MOST_SERIES, SeriesHead, Sink, beyond};
use super::table::Table;
use super::{Source, detect, number};
use crate::foreign::ForeignError;

/// Facts about a thread besides its values.
#[derive(Clone, Debug, Default)]
struct Thread {
    cpu: Option<u16>,
    name: Option<String>,
    period_ns: Option<u64>,
    class: Option<Class>,
    /// Its number among the series, where it has values of its own.
    series: Option<usize>,
    /// The last cycle of it.
    cycle: Option<u64>,
}

#[derive(Default)]
struct Text {
    threads: BTreeMap<u64, Thread>,
    series: usize,
    table: Table,
    /// Behind `#`, by name: one number for each thread.
    figures: BTreeMap<String, Vec<u64>>,
    notes: Vec<String>,
    /// The least value of -v.
    least: Option<i64>,
    /// Lines that cyclictest does not write: how many, and the first one's number.
    unknown: Option<(u64, u64)>,
}

pub fn read(source: &Source<'_>, sink: &mut dyn Sink) -> Result<Head, ForeignError> {
    let (mut lines, mut text) = (source.lines()?, Text::default());
    while let Some(line) = lines.read()? {
        let understood = match line.strip_prefix('#') {
            Some(comment) => text.comment(comment.trim()).map(|()| None),
            None if detect::is_verbose(line) => text.value(line, source.unit(), sink).map(Some),
            None => text.line(line, source.unit()).map(|known| {
                text.count_unknown(known, lines.number());
                None
            }),
        };
        let sample = understood.map_err(|why| lines.wrong(why))?;
        if let Some((series, cycle, value)) = sample {
            text.least = Some(text.least.map_or(value, |least| least.min(value)));
            sink.sample(series, cycle, None, value)?;
        }
    }
    let mut head = Head { notes: std::mem::take(&mut text.notes), ..Head::of("cyclictest") };
    head.resolution_ns = Some(source.unit().unsigned_abs());
    if let Some((count, first)) = text.unknown {
        head.warnings.push(format!(
            "cyclictest does not write {count} of its lines, which were passed over; the first is line {first}"
        ));
    }
    source.check_unit(text.least.or_else(|| text.table.least()).unwrap_or(0))?;
    match (text.table.is_empty(), text.series) {
        (true, 0) => {
            let why = "holds neither a histogram nor values: record with -h, -H or -v, or --json";
            return Err(lines.ended(why));
        }
        (true, _) => {
            let why = "imported from cyclictest -v: the instants of the samples are not known";
            head.warnings.push(why.into());
            text.correct(sink);
        }
        (false, 0) => text.histogram(&lines, source.unit(), &mut head, sink)?,
        (false, _) => return Err(lines.ended("holds a histogram and values: of which is it?")),
    }
    Ok(head)
}

impl Text {
    /// Parses `Min Latencies: 00015 00016`, `Thread 0 is user inside`.
    fn comment(&mut self, comment: &str) -> Result<(), String> {
        if comment.contains("cpu_dma_latency") {
            self.notes.push(comment.to_owned());
            return Ok(());
        }
        if let Some((thread, name)) =
            comment.strip_prefix("Thread ").and_then(|rest| rest.split_once(" is "))
        {
            self.thread(number::count(thread)?).name = Some(name.to_owned());
            return Ok(());
        }
        const FIGURES: [&str; 5] =
            ["Total", "Min Latencies", "Avg Latencies", "Max Latencies", "Histogram Overflows"];
        let named = comment.split_once(':').filter(|(name, _)| FIGURES.contains(name));
        if let Some((name, numbers)) = named {
            let numbers = numbers.split_whitespace().map(number::count);
            let numbers = numbers.collect::<Result<Vec<_>, _>>()?;
            if self.figures.insert(name.to_owned(), numbers).is_some() {
                return Err(format!(
                    "a second line `{name}`: are there two recordings in one file?"
                ));
            }
        }
        Ok(())
    }

    fn thread(&mut self, number: u64) -> &mut Thread {
        self.threads.entry(number).or_default()
    }

    /// Parses `       0:       7:      32`: thread, cycle, value.
    fn value(
        &mut self,
        line: &str,
        unit: i64,
        sink: &mut dyn Sink,
    ) -> Result<(usize, u64, i64), String> {
        let mut parts = line.split(':').map(str::trim);
        let mut part = || parts.next().unwrap_or_default();
        let (thread, cycle) = (number::count(part())?, number::count(part())?);
        let value = number::nanoseconds(part(), unit)?;
        let next = self.series;
        let one = self.thread(thread);
        match one.cycle {
            Some(last) if last >= cycle => {
                return Err(format!(
                    "cycle {cycle} of thread {thread} comes after cycle {last}: are there two recordings in one file?"
                ));
            }
            Some(last) if last + 1 < cycle => {
                return Err(format!(
                    "cycle {cycle} of thread {thread} comes after cycle {last}: those in between are missing, or their lines are damaged"
                ));
            }
            _ => {}
        }
        one.cycle = Some(cycle);
        if next == MOST_SERIES {
            return Err(format!("has more than {MOST_SERIES} threads"));
        }
        let series = *one.series.get_or_insert_with(|| {
            let name = name(thread, one.cpu, &one.name);
            sink.series(SeriesHead::new(BenchmarkKind::Sched, name, one.cpu));
            next
        });
        self.series = next.max(series + 1);
        Ok((series, cycle, value))
    }

    /// Counts a line, if it is not known.
    fn count_unknown(&mut self, known: bool, number: u64) {
        if !known {
            let (count, first) = self.unknown.unwrap_or((0, number));
            self.unknown = Some((count + 1, first));
        }
    }

    /// Parses a line that is neither a comment nor a value of `-v`; false if cyclictest writes no
    /// such line.
    fn line(&mut self, line: &str, unit: i64) -> Result<bool, String> {
        const FACTS: [&str; 9] = [
            "Max CPUs",
            "Online CPUs",
            "Using ",
            "policy:",
            "INFO",
            "WARN",
            "FATAL",
            "defaulting",
            "^C",
        ];
        let mut words = line.split_whitespace();
        match words.next() {
            Some(word) if word.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-') => {
                let begin = number::bin(word, unit)?;
                self.table.add(begin, words).map(|()| true)
            }
            Some("Thread") => self.told(line).map(|()| true),
            Some(word) if word.starts_with("T:") => self.status(line).map(|()| true),
            // cyclictest's facts about the machine.
            Some(_) => Ok(FACTS.iter().any(|fact| line.trim_start().starts_with(fact))),
            None => Ok(true),
        }
    }

    /// Parses `Thread 0 using cpu 0.`, `Thread 0 Interval: 1500`.
    fn told(&mut self, line: &str) -> Result<(), String> {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            ["Thread", thread, "using", "cpu", cpu] => {
                let cpu = number::count(cpu.trim_end_matches('.'))?;
                self.thread(number::count(thread)?).cpu = u16::try_from(cpu).ok();
            }
            ["Thread", thread, "Interval:", interval] => {
                let period = number::count(interval)?.checked_mul(1_000);
                self.thread(number::count(thread)?).period_ns = period;
            }
            _ => {}
        }
        Ok(())
    }

    /// Parses `T: 0 (12345) P:80 I:1500 C:    300 Min: …`.
    fn status(&mut self, line: &str) -> Result<(), String> {
        let of = |name: &str| {
            let rest = line.split_once(name)?.1.trim_start();
            rest.split(|c: char| !c.is_ascii_digit()).next().map(str::to_owned)
        };
        let Some(thread) = of("T:") else { return Ok(()) };
        let (priority, period) = (of("P:"), of("I:"));
        let one = self.thread(number::count(&thread)?);
        if let Some(priority) = priority.and_then(|text| text.parse().ok()).filter(|one| *one > 0) {
            one.class = Some(Class::Fixed(Scheduling { policy: Policy::Fifo, priority }));
        }
        let period = period.and_then(|text| text.parse::<u64>().ok()?.checked_mul(1_000));
        one.period_ns = period.or(one.period_ns);
        Ok(())
    }

    /// Corrects facts of threads that came after their first value.
    fn correct(&self, sink: &mut dyn Sink) {
        for thread in self.threads.values() {
            if let Some(series) = thread.series {
                sink.correct(series, thread.class, thread.period_ns);
            }
        }
    }

    fn figure(&self, name: &str) -> &[u64] {
        self.figures.get(name).map_or(&[], Vec::as_slice)
    }

    fn histogram(
        &mut self,
        lines: &Lines,
        unit: i64,
        head: &mut Head,
        sink: &mut dyn Sink,
    ) -> Result<(), ForeignError> {
        let threads = self.figure("Min Latencies").len();
        if threads == 0 {
            return Err(lines.ended("ends before its line `# Min Latencies`: it is truncated"));
        }
        let columns = self.table.columns.len();
        if ![threads, threads + 1].contains(&columns) {
            return Err(
                lines.ended(format!("has {columns} columns and minima of {threads} threads"))
            );
        }
        // The last one of -H is the sum of the others.
        self.table.columns.truncate(threads);
        self.check_totals(threads).map_err(|why| lines.ended(why))?;
        for thread in 0..threads {
            let one = self.threads.get(&(thread as u64)).cloned().unwrap_or_default();
            let name = name(thread as u64, one.cpu, &one.name);
            let mut series = SeriesHead::new(BenchmarkKind::Sched, name, one.cpu);
            series.class = one.class.unwrap_or(series.class);
            series.period_ns = one.period_ns;
            sink.series(series);
        }
        head.is_histogram("its bins are one unit wide and a value is where its bin begins");
        let overflows = self.figure("Histogram Overflows");
        let (maxima, end) = (self.figure("Max Latencies"), self.table.end(unit));
        for (thread, count) in overflows.iter().take(threads).enumerate() {
            let greatest = maxima.get(thread).map(|most| number::scaled(*most, unit));
            sink.beyond(thread, beyond(end, greatest, *count))?;
        }
        let all = overflows.iter().take(threads).fold(0u64, |all, one| all.saturating_add(*one));
        let greatest = maxima.iter().max().copied().unwrap_or(0);
        head.overflowed(all, &format!("the greatest was {greatest}, in the tool's unit"));
        self.table.hand_over(sink, 0)
    }

    fn check_totals(&self, threads: usize) -> Result<(), String> {
        let totals = self.figure("Total");
        for thread in 0..threads {
            let Some(sum) = self.table.sum(thread) else {
                return Err(format!("thread {thread} has more samples than 64 bits hold"));
            };
            if totals.get(thread).is_some_and(|total| *total != sum) {
                return Err(format!(
                    "thread {thread} has {sum} samples in its bins and {} in the line `# Total`: lines are missing or mixed up",
                    totals[thread]
                ));
            }
        }
        Ok(())
    }
}

fn name(thread: u64, cpu: Option<u16>, given: &Option<String>) -> String {
    given.clone().unwrap_or_else(|| match cpu {
        Some(cpu) => format!("cpu{cpu}"),
        None => format!("thread{thread}"),
    })
}
