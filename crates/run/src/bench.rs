// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Benchmarks of a case as the log has them.

use irqscope_wire::{
    BenchEnd, BenchSamples, BenchmarkKind, Class, Message, Nanoseconds, Plan, SeriesCount,
};

/// One sample of a series; a row of bench.parquet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BenchRow {
    /// Within its series, from 0; a gap is a lost frame.
    pub seq: u64,
    pub at: Nanoseconds,
    pub value: Nanoseconds,
}

/// What one thread, CPU or instant of a benchmark recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BenchSeries {
    pub name: String,
    pub cpu: Option<u16>,
    /// In order of arrival, which is that of `seq`.
    pub rows: Vec<BenchRow>,
    /// What the target says; none where it never said it.
    pub count: Option<SeriesCount>,
}

/// One benchmark of a case in one of its variants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BenchmarkData {
    pub kind: BenchmarkKind,
    pub variant: String,
    /// How its threads were really scheduled; none until it has ended.
    pub class: Option<Class>,
    /// Why the target could not run it.
    pub unavailable: Option<String>,
    /// In the order in which the target named them.
    pub series: Vec<BenchSeries>,
}

impl BenchmarkData {
    fn series(&mut self, name: &str) -> &mut BenchSeries {
        let known = self.series.iter().position(|series| series.name == name);
        let place = known.unwrap_or_else(|| {
            let (name, cpu) = (name.to_owned(), None);
            self.series.push(BenchSeries { name, cpu, rows: Vec::new(), count: None });
            self.series.len() - 1
        });
        &mut self.series[place]
    }

    fn add(&mut self, batch: BenchSamples) {
        let series = self.series(&batch.series);
        series.cpu = batch.cpu;
        let first = batch.first.0;
        let numbered = (0u64..).zip(batch.samples);
        let row = |(place, sample): (u64, irqscope_wire::BenchSample)| BenchRow {
            seq: first.wrapping_add(place),
            at: sample.at,
            value: sample.value,
        };
        series.rows.extend(numbered.map(row));
    }

    fn end(&mut self, end: BenchEnd) {
        self.class = Some(end.class);
        self.unavailable = end.unavailable;
        let named: Vec<String> = end.series.iter().map(|count| count.series.clone()).collect();
        for count in end.series {
            let name = count.series.clone();
            self.series(&name).count = Some(count);
        }
        self.series.sort_by_key(|series| named.iter().position(|name| *name == series.name));
    }

    pub fn has_ended(&self) -> bool {
        self.class.is_some()
    }
}

/// All benchmarks of a plan, before anything was heard of them.
pub(crate) fn of_plan(plan: &Plan) -> Vec<BenchmarkData> {
    let one = |benchmark: &irqscope_wire::Benchmark| BenchmarkData {
        kind: benchmark.kind(),
        variant: benchmark.variant(),
        class: None,
        unavailable: None,
        series: Vec::new(),
    };
    plan.benchmarks.iter().map(one).collect()
}

/// Takes over what a message says; false if it speaks of no benchmark of this
/// plan.
pub(crate) fn understand(benchmarks: &mut [BenchmarkData], message: Message) -> bool {
    match message {
        Message::BenchSamples(batch) => {
            benchmarks.get_mut(usize::from(batch.benchmark)).map(|one| one.add(batch)).is_some()
        }
        Message::BenchEnd(end) => {
            benchmarks.get_mut(usize::from(end.benchmark)).map(|one| one.end(end)).is_some()
        }
        _ => true,
    }
}
