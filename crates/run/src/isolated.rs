// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The disturbances of isolated CPUs, as the twin's generator saw them.

use std::collections::BTreeMap;

use irqscope_wire::{BenchmarkKind, Disturbance, Disturbances, Nanoseconds, Plan, Way};

use crate::bench::{BenchRow, BenchmarkData};

/// The record of all isolated CPUs of a case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Isolated {
    /// The code that was executed, by its number.
    pub ways: Vec<Way>,
    /// By CPU.
    pub cpus: BTreeMap<u16, IsolatedCpu>,
}

/// The record of one CPU.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IsolatedCpu {
    /// Instructions of the loop.
    pub looped: u64,
    /// Virtual time from its beginning to its end; 0 where it is the CPU's own.
    pub elapsed_ns: u64,
    /// In order.
    pub disturbances: Vec<Disturbance>,
    /// The loop has come to its end.
    pub ended: bool,
}

impl Isolated {
    /// Takes a message; each disturbance is also a sample of the benchmark, whose instant is the CPU's
    /// own time since the loop began.
    pub(crate) fn take(
        &mut self,
        message: Disturbances,
        plan: Option<&Plan>,
        benchmarks: &mut [BenchmarkData],
    ) {
        let Disturbances { cpu, looped, elapsed_ns, ways, taken, ended } = message;
        self.ways.extend(ways);
        let each = plan.and_then(|plan| plan.instruction);
        let ns = |instructions: u64| {
            let cycles = i64::try_from(instructions).unwrap_or(i64::MAX);
            each.map_or(Nanoseconds(cycles), |tick| tick.nanoseconds(cycles))
        };
        if let Some(one) = benchmarks.iter_mut().find(|one| one.kind == BenchmarkKind::Isolate) {
            let series = one.series(&format!("cpu{cpu}"));
            let first = series.received;
            let row = |(place, one): (u64, &Disturbance)| BenchRow {
                seq: first + place,
                at: Some(ns(one.at)),
                value: ns(one.instructions),
            };
            series.rows.extend((0..).zip(&taken).map(row));
            (series.cpu, series.received) = (Some(cpu), first + taken.len() as u64);
        }
        let known = self.cpus.entry(cpu).or_default();
        (known.looped, known.elapsed_ns) = (looped, elapsed_ns);
        known.ended |= ended;
        known.disturbances.extend(taken);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use irqscope_wire::{Benchmark, Isolate, Tick};

    #[test]
    fn disturbances_are_samples_of_the_benchmark() {
        let plan = Plan {
            instruction: Some(Tick { femtoseconds: 2_000_000 }),
            ..Plan::of_benchmarks(vec![Benchmark::Isolate(Isolate::default())])
        };
        let mut benchmarks = crate::bench::of_plan(&plan);
        let mut isolated = Isolated::default();
        let one = |at| Disturbance {
            at,
            instructions: 30,
            halts: 0,
            way: 0,
            threads: Vec::new(),
            senders: Vec::new(),
        };
        for (taken, ended) in [(vec![one(5), one(50)], false), (vec![one(100)], true)] {
            let message =
                Disturbances { cpu: 1, looped: 7, elapsed_ns: 9, ways: Vec::new(), taken, ended };
            isolated.take(message, Some(&plan), &mut benchmarks);
        }
        let series = &benchmarks[0].series[0];
        let rows: Vec<_> =
            series.rows.iter().map(|row| (row.seq, row.at.unwrap().0, row.value.0)).collect();
        assert_eq!(rows, [(0, 10, 60), (1, 100, 60), (2, 200, 60)]);
        assert_eq!((series.name.as_str(), series.cpu, series.received), ("cpu1", Some(1), 3));
        let cpu = &isolated.cpus[&1];
        assert_eq!((cpu.disturbances.len(), cpu.looped, cpu.ended), (3, 7, true));
    }
}
