// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Benchmarks of a case as the log has them.

use irqscope_wire::{
    BenchEnd, BenchSamples, BenchValues, BenchmarkKind, Beyond, Class, Message, Nanoseconds, Plan,
    SeriesCount, ValueCount, Values, WatchedLatency,
};

use crate::frames::Place;

/// One sample of a series; a row of bench.parquet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BenchRow {
    /// Within its series, from 0; a gap is a lost frame.
    pub seq: u64,
    /// None in imported series that kept no instants.
    pub at: Option<Nanoseconds>,
    /// The value.
    pub value: Nanoseconds,
}

/// The record of one thread, CPU or instant of a benchmark.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BenchSeries {
    /// The series' name.
    pub name: String,
    /// The CPU, if it was measured on one.
    pub cpu: Option<u16>,
    /// In order of arrival, which is that of `seq`. Empty where a
    /// [`CaseStream`](crate::CaseStream) hands them out.
    pub rows: Vec<BenchRow>,
    /// Where an imported histogram is all there is: values with how often each
    /// came, in order of arrival.
    pub counted: Vec<ValueCount>,
    /// Of an imported histogram, the samples that lay beyond it.
    pub beyond: Option<Beyond>,
    /// Samples in the log, whether they are in `rows`, `counted` or not kept.
    pub received: u64,
    /// The target's report; none where it never sent one.
    pub count: Option<SeriesCount>,
    /// The frames that hold its rows, where those are not kept.
    pub(crate) places: Vec<Place>,
}

/// One benchmark of a case in one of its variants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BenchmarkData {
    /// The benchmark.
    pub kind: BenchmarkKind,
    /// Its variant; where that is a policy, the one by which it was really scheduled.
    pub variant: String,
    /// As its threads were to be scheduled.
    pub asked: Class,
    /// How its threads were really scheduled; none until it has ended.
    pub class: Option<Class>,
    /// Why the target could not run it.
    pub unavailable: Option<String>,
    /// In the order in which the target named them.
    pub series: Vec<BenchSeries>,
    /// Of a watch: latencies with what they consist of.
    pub watched: Vec<WatchedLatency>,
}

impl BenchmarkData {
    pub(crate) fn series(&mut self, name: &str) -> &mut BenchSeries {
        let known = self.series.iter().position(|series| series.name == name);
        let place = known.unwrap_or_else(|| {
            self.series.push(BenchSeries { name: name.to_owned(), ..BenchSeries::default() });
            self.series.len() - 1
        });
        &mut self.series[place]
    }

    fn end(&mut self, end: BenchEnd) {
        if self.variant == self.asked.to_string() {
            self.variant = end.class.to_string();
        }
        self.class = Some(end.class);
        self.unavailable = end.unavailable;
        let named: Vec<String> = end.series.iter().map(|count| count.series.clone()).collect();
        for count in end.series {
            let name = count.series.clone();
            self.series(&name).count = Some(count);
        }
        self.series.sort_by_key(|series| named.iter().position(|name| *name == series.name));
    }

    /// Returns whether the target has reported its end.
    pub fn has_ended(&self) -> bool {
        self.class.is_some()
    }
}

impl BenchSeries {
    /// Adds a batch; `place` is where the rows can be read again; without it they are kept.
    fn add(&mut self, batch: Batch, place: Option<Place>) {
        self.cpu = batch.cpu;
        match (batch.content, place) {
            (Content::Rows(rows), None) => {
                self.received = self.received.saturating_add(rows.len() as u64);
                self.rows.extend(rows);
            }
            (Content::Rows(rows), Some(place)) => {
                self.received = self.received.saturating_add(rows.len() as u64);
                self.places.push(place);
            }
            (Content::Counted(counted), _) => {
                let sum = |sum: u64, one: &ValueCount| sum.saturating_add(one.count);
                self.received = counted.iter().fold(self.received, sum);
                self.counted.extend(counted);
            }
            (Content::Beyond(beyond), _) => self.beyond = Some(beyond),
        }
    }
}

/// Samples of one series that came in one frame.
pub(crate) struct Batch {
    pub benchmark: u16,
    pub series: String,
    pub cpu: Option<u16>,
    pub content: Content,
}

pub(crate) enum Content {
    Rows(Vec<BenchRow>),
    Counted(Vec<ValueCount>),
    Beyond(Beyond),
}

impl Batch {
    /// Makes a batch; `None` of a message that has no samples of a benchmark.
    pub fn of(message: Message) -> Option<Self> {
        match message {
            Message::BenchSamples(batch) => Some(Self::of_samples(batch)),
            Message::BenchValues(batch) => Some(Self::of_values(batch)),
            _ => None,
        }
    }

    fn of_samples(batch: BenchSamples) -> Self {
        let BenchSamples { benchmark, series, cpu, first, samples } = batch;
        let values = samples.iter().map(|sample| (Some(sample.at), sample.value));
        Self { benchmark, series, cpu, content: Content::Rows(rows(first.0, values)) }
    }

    fn of_values(batch: BenchValues) -> Self {
        let BenchValues { benchmark, series, cpu, values } = batch;
        let content = match values {
            Values::InOrder { first, values } => {
                Content::Rows(rows(first.0, values.into_iter().map(|value| (None, value))))
            }
            Values::Counted(counted) => Content::Counted(counted),
            Values::Beyond(beyond) => Content::Beyond(beyond),
        };
        Self { benchmark, series, cpu, content }
    }
}

fn rows(
    first: u64,
    values: impl Iterator<Item = (Option<Nanoseconds>, Nanoseconds)>,
) -> Vec<BenchRow> {
    let row = |(place, (at, value))| BenchRow { seq: first.wrapping_add(place), at, value };
    (0u64..).zip(values).map(row).collect()
}

/// Returns all benchmarks of a plan, before anything was received of them.
pub(crate) fn of_plan(plan: &Plan) -> Vec<BenchmarkData> {
    let one = |benchmark: &irqscope_wire::Benchmark| BenchmarkData {
        kind: benchmark.kind(),
        variant: benchmark.variant(),
        asked: benchmark.class(),
        class: None,
        unavailable: None,
        series: Vec::new(),
        watched: Vec::new(),
    };
    plan.benchmarks().iter().map(one).collect()
}

/// Takes over what a message says; false if it speaks of no benchmark of this
/// plan. With a place, rows are not kept.
pub(crate) fn understand(
    benchmarks: &mut [BenchmarkData],
    message: Message,
    place: Option<Place>,
) -> bool {
    if let Message::BenchEnd(end) = message {
        let known = benchmarks.get_mut(usize::from(end.benchmark));
        return known.map(|one| one.end(end)).is_some();
    }
    if let Message::Watched(watched) = message {
        return watched.into_iter().all(|latency| {
            let known = benchmarks.get_mut(usize::from(latency.benchmark));
            known.map(|one| one.watched.push(latency)).is_some()
        });
    }
    let Some(batch) = Batch::of(message) else { return true };
    let Some(one) = benchmarks.get_mut(usize::from(batch.benchmark)) else { return false };
    // An order of rounds is looked up by its number: those are kept, and few.
    let place = place.filter(|_| one.kind != BenchmarkKind::Inversion);
    let name = batch.series.clone();
    one.series(&name).add(batch, place);
    true
}
