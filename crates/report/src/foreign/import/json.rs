// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Histograms in JSON: of cyclictest and oslat (rt-tests), and of jitterdebugger.

use std::io::Read;

use irqscope_wire::{BenchmarkKind, Class, Policy, Scheduling, UnknownName};
use serde_json::{Map, Value};

use super::benchmark::class_of;
use super::sink::{Head, SeriesHead, Sink, beyond};
use super::table::Table;
use super::{MICROSECOND, Source, number, oslat};
use crate::foreign::ForeignError;
use crate::foreign::error::Place;

/// A histogram of a million bins on a thousand CPUs is smaller.
const LARGEST: u64 = 32 << 20;

/// A thread or CPU of the document.
struct Thread<'a> {
    /// `thread 0`.
    place: String,
    value: &'a Value,
}

pub fn rt_tests(source: &Source<'_>, sink: &mut dyn Sink) -> Result<Head, ForeignError> {
    let document = Document::read(source)?;
    let threads = document.members("thread")?;
    let is_oslat = threads.iter().any(|thread| thread.value.get("freq").is_some());
    let mut head = if is_oslat { oslat::head() } else { Head::of("cyclictest") };
    document.describe(&mut head);
    if is_oslat {
        return document.oslat(&threads, head, sink);
    }
    let unit = match document.value["resolution_in_ns"].as_u64() {
        Some(1) => 1,
        // It says that it is no nanosecond.
        Some(_) if source.unit_ns.is_none() => MICROSECOND,
        _ => {
            let least = threads.iter().filter_map(|thread| thread.value["min"].as_u64()).min();
            source.check_unit(number::scaled(least.unwrap_or(0), MICROSECOND))?;
            source.unit()
        }
    };
    head.is_histogram("its bins are one unit wide and a value is where its bin begins");
    document.histograms(&threads, unit, "cycles", head, sink)
}

pub fn jitterdebugger(source: &Source<'_>, sink: &mut dyn Sink) -> Result<Head, ForeignError> {
    let document = Document::read(source)?;
    let threads = document.members("cpu")?;
    let mut head = Head::of("jitterdebugger");
    document.describe(&mut head);
    let said = document.value["sysinfo"]["resolution_in_ns"].as_i64();
    let unit = said.filter(|unit| *unit > 0).unwrap_or_else(|| source.unit());
    head.is_histogram("a value is where its bin begins");
    document.histograms(&threads, unit, "count", head, sink)
}

struct Document<'a> {
    source: &'a Source<'a>,
    value: Value,
}

impl<'a> Document<'a> {
    fn read(source: &'a Source<'a>) -> Result<Self, ForeignError> {
        let mut text = String::new();
        let read = source.open()?.take(LARGEST + 1).read_to_string(&mut text);
        read.map_err(|error| source.unreadable(error))?;
        if text.len() as u64 > LARGEST {
            let why = format!("is larger than {LARGEST} bytes, which no histogram is");
            return Err(ForeignError::wrong(source.path, Place::Offset(LARGEST), why));
        }
        let value = serde_json::from_str(&text).map_err(|error| {
            let place = Place::Line(error.line() as u64);
            ForeignError::wrong(source.path, place, format!("is no JSON: {error}"))
        })?;
        Ok(Self { source, value })
    }

    fn wrong(&self, place: &str, why: impl Into<String>) -> ForeignError {
        ForeignError::wrong(self.source.path, Place::Key(place.to_owned()), why)
    }

    /// Returns the threads in order of their numbers.
    fn members(&self, name: &str) -> Result<Vec<Thread<'_>>, ForeignError> {
        let missing = || self.wrong(name, "is not there, or no object");
        let all = self.value.get(name).and_then(Value::as_object).ok_or_else(missing)?;
        let mut numbered = Vec::new();
        for (key, value) in all {
            let place = format!("{name} {key}");
            let number = number::count(key).map_err(|why| self.wrong(&place, why))?;
            numbered.push((number, Thread { place, value }));
        }
        numbered.sort_by_key(|(number, _)| *number);
        Ok(numbered.into_iter().map(|(_, thread)| thread).collect())
    }

    fn describe(&self, head: &mut Head) {
        let text =
            |value: &Value| value.as_str().filter(|text| !text.is_empty()).map(str::to_owned);
        let system = &self.value["sysinfo"];
        (head.release, head.machine) = (text(&system["release"]), text(&system["machine"]));
        for (what, key) in
            [("command", "cmdline:"), ("version", "rt_test_version:"), ("begun", "start_time")]
        {
            head.notes.extend(text(&self.value[key]).map(|said| format!("{what}: {said}")));
        }
    }

    /// Parses `-p80`, `-p 80` or `--priority=80` of the command that was recorded.
    fn class(&self) -> Option<Class> {
        let line = self.value["cmdline:"].as_str()?;
        let mut words = line.split_whitespace();
        let priority = words.by_ref().find_map(|word| {
            word.strip_prefix("--priority=").or_else(|| word.strip_prefix("-p")).map(str::to_owned)
        })?;
        let priority = if priority.is_empty() { words.next()?.to_owned() } else { priority };
        let priority = priority.parse().ok().filter(|priority| (1..=99).contains(priority))?;
        Some(Class::Fixed(Scheduling { policy: Policy::Fifo, priority }))
    }

    fn column(&self, thread: &Thread<'_>) -> Result<&Map<String, Value>, ForeignError> {
        let place = format!("{}, histogram", thread.place);
        // The borrow is the document's, which the thread is a part of.
        let (name, key) = thread.place.split_once(' ').unwrap_or_default();
        self.value[name][key]["histogram"]
            .as_object()
            .ok_or_else(|| self.wrong(&place, "is not there, or no object"))
    }

    fn bins(
        &self,
        thread: &Thread<'_>,
        begin: impl Fn(&str) -> Result<i64, String>,
    ) -> Result<Vec<(i64, u64)>, ForeignError> {
        let mut bins = Vec::new();
        for (name, count) in self.column(thread)? {
            let place = format!("{}, histogram, bin {name}", thread.place);
            let begin = begin(name).map_err(|why| self.wrong(&place, why))?;
            let count = number::count(&count.to_string()).map_err(|why| self.wrong(&place, why))?;
            bins.push((begin, count));
        }
        bins.sort_unstable();
        Ok(bins)
    }

    fn histograms(
        &self,
        threads: &[Thread<'_>],
        unit: i64,
        total: &str,
        mut head: Head,
        sink: &mut dyn Sink,
    ) -> Result<Head, ForeignError> {
        head.resolution_ns = Some(unit.unsigned_abs());
        let (mut overflows, mut greatest) = (0u64, 0);
        let class = self.class();
        let column = |thread| Ok(self.column(thread)?.is_empty());
        let empty = threads.iter().map(column).collect::<Result<Vec<_>, ForeignError>>()?;
        if empty.iter().all(|is_empty| *is_empty) {
            return Err(self.wrong("histogram", "of no thread has a sample: record with -h"));
        }
        for (number, thread) in threads.iter().enumerate() {
            let bins = self.bins(thread, |name| number::bin(name, unit))?;
            let sum = bins.iter().map(|(_, count)| *count).try_fold(0u64, u64::checked_add);
            let said = self.count(thread, total)?;
            let dropped = sum.and_then(|sum| said.checked_sub(sum)).ok_or_else(|| {
                let why = format!("is {said}, and there are more samples in its bins");
                self.wrong(&format!("{}, {total}", thread.place), why)
            })?;
            let cpu = self.cpu(thread)?;
            let series = self.series(thread, cpu, class)?;
            sink.series(series);
            let most = thread.value["max"].as_u64();
            // Empty bins are left out, so no more is known of where the histogram ends.
            let end = bins.last().map_or(0, |(begin, _)| begin.saturating_add(unit));
            let most_ns = most.map(|most| number::scaled(most, unit));
            sink.beyond(number, beyond(end, most_ns, dropped))?;
            overflows = overflows.saturating_add(dropped);
            greatest = greatest.max(most.unwrap_or(0));
            bins.iter().try_for_each(|(begin, count)| sink.bin(number, *begin, *count))?;
        }
        head.overflowed(overflows, &format!("the greatest was {greatest}, in the tool's unit"));
        Ok(head)
    }

    /// Finds the series: irqscope's own export says which one it was.
    fn series(
        &self,
        thread: &Thread<'_>,
        cpu: Option<u16>,
        class: Option<Class>,
    ) -> Result<SeriesHead, ForeignError> {
        let text = |key: &str| thread.value[key].as_str();
        let name = text("series").map_or_else(|| name_of(thread, cpu), str::to_owned);
        let (Some(kind), Some(variant)) = (text("benchmark"), text("variant")) else {
            let stage = text("stage").zip(text("view"));
            let name = stage.map_or(name, |(stage, view)| format!("{stage} {view}"));
            let mut series = SeriesHead::new(BenchmarkKind::Sched, name, cpu);
            series.class = class.unwrap_or(series.class);
            return Ok(series);
        };
        let unknown = |error: UnknownName| {
            self.wrong(&format!("{}, benchmark", thread.place), error.to_string())
        };
        let mut series = SeriesHead::new(kind.parse().map_err(unknown)?, name, cpu);
        series.class = class_of(variant);
        series.variant = Some(variant.to_owned());
        Ok(series)
    }

    fn oslat(
        &self,
        threads: &[Thread<'_>],
        mut head: Head,
        sink: &mut dyn Sink,
    ) -> Result<Head, ForeignError> {
        let mut table = Table::default();
        let (mut cores, mut maxima, mut last) = (Vec::new(), Vec::new(), 0);
        for thread in threads {
            let bins = self.bins(thread, oslat::lower_end)?;
            let end = bins.last().map_or(0, |(begin, _)| begin / 1_000 + 1);
            last = last.max(end.unsigned_abs());
            table.columns.push(bins);
            cores.push(self.count(thread, "cpu")?);
            maxima.push(self.count(thread, "max")?);
        }
        oslat::settle_last(&mut table, &maxima, last, &cores, &mut head, sink)?;
        table.hand_over(sink, 0)?;
        Ok(head)
    }

    fn count(&self, thread: &Thread<'_>, name: &str) -> Result<u64, ForeignError> {
        let place = || format!("{}, {name}", thread.place);
        let value = thread.value.get(name).ok_or_else(|| self.wrong(&place(), "is not there"))?;
        number::count(&value.to_string()).map_err(|why| self.wrong(&place(), why))
    }

    /// Returns the CPU; jitterdebugger's number itself is it.
    fn cpu(&self, thread: &Thread<'_>) -> Result<Option<u16>, ForeignError> {
        let number = match (thread.value.get("cpu"), thread.place.strip_prefix("cpu ")) {
            (None | Some(Value::Null), None) => return Ok(None),
            (_, Some(cpu)) => cpu.to_owned(),
            (Some(cpu), None) => cpu.to_string(),
        };
        let place = format!("{}, cpu", thread.place);
        let number = number::count(&number).map_err(|why| self.wrong(&place, why))?;
        let beyond = || self.wrong(&place, format!("CPU {number} is beyond 65535"));
        u16::try_from(number).map(Some).map_err(|_| beyond())
    }
}

fn name_of(thread: &Thread<'_>, cpu: Option<u16>) -> String {
    cpu.map_or_else(|| thread.place.replace(' ', ""), |cpu| format!("cpu{cpu}"))
}
