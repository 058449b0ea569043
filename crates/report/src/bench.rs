// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Benchmarks in words and in tables: one table for each kind, in its own unit.

use irqscope_analysis::{CaseSummary, SeriesSummary, Summary};
use irqscope_wire::BenchmarkKind;

use irqscope_quantity::{Quantile, Unit, grouped};

/// Says what a value of a benchmark is.
pub const fn benchmark_text(kind: BenchmarkKind) -> &'static str {
    match kind {
        BenchmarkKind::Gtod => "from one reading of a clock to the next",
        BenchmarkKind::Sched => "from the instant it was to wake to a thread's first act",
        BenchmarkKind::Async => "from before an event to the first act of the thread it wakes",
        BenchmarkKind::Sleep => "how much longer a sleep took than it was asked to",
        BenchmarkKind::Inversion => "how long the highest of three threads waits for a lock",
        BenchmarkKind::Realfeel => "interval between clock interrupts, minus the period",
        BenchmarkKind::Jitter => {
            "interval between a task's starts, minus the period; how long its work took"
        }
        BenchmarkKind::Spin => "gaps in a loop that never sleeps",
        BenchmarkKind::Isolate => {
            "how long a CPU is taken away from a loop that should have it alone"
        }
        BenchmarkKind::Watch => {
            "from the handler's entry, the wakeup or the timer's expiry to each stage, by probes"
        }
    }
}

/// The table of one kind: its rows begin with what was measured, the unit, and the case.
pub(crate) struct BenchTable<'a> {
    pub kind: BenchmarkKind,
    pub rows: Vec<Row<'a>>,
}

/// One series of one case.
pub(crate) struct Row<'a> {
    /// The series' name and its unit, which is the same in all cases.
    pub name: String,
    pub case: &'a CaseSummary,
    pub one: &'a SeriesSummary,
    pub unit: Unit,
}

pub(crate) const COLUMNS: [&str; 9] =
    ["count", "min", "p50", "p99", "p99.9", "max", "mean", "stddev", "skipped"];

/// Makes all tables of a run, in the order in which benchmarks are run.
pub(crate) fn tables(summary: &Summary) -> Vec<BenchTable<'_>> {
    let tables = BenchmarkKind::ALL.iter().map(|kind| table(summary, *kind));
    tables.filter(|table| !table.rows.is_empty()).collect()
}

fn table(summary: &Summary, kind: BenchmarkKind) -> BenchTable<'_> {
    let mut all: Vec<(String, &CaseSummary, &SeriesSummary)> = Vec::new();
    for case in &summary.cases {
        let mine = case.benchmarks.iter().filter(|one| one.benchmark == kind && one.is_figure());
        all.extend(mine.map(|one| (series_name(one), case, one)));
    }
    // Cases of one series under each other, as the first case has the series.
    let names: Vec<String> = all.iter().map(|(name, ..)| name.clone()).collect();
    all.sort_by_key(|(name, ..)| names.iter().position(|known| known == name));
    let unit_of = |name: &str| {
        let same = || all.iter().filter(|(other, ..)| other == name);
        let largest = same().filter_map(|(_, _, one)| one.max_ns).max().unwrap_or(0);
        let smallest = same().filter_map(|(_, _, one)| one.p50_ns).min();
        unit(largest, smallest)
    };
    let units: Vec<Unit> = all.iter().map(|(name, ..)| unit_of(name)).collect();
    let row = |((name, case, one), unit): ((String, _, _), Unit)| {
        let name = format!("{name}, {}", unit.name());
        Row { name, case, one, unit }
    };
    BenchTable { kind, rows: all.into_iter().zip(units).map(row).collect() }
}

/// Chooses the unit as for stages: not so coarse that the smallest median loses its digits.
fn unit(largest: i64, smallest: Option<i64>) -> Unit {
    match (Unit::for_largest(largest), smallest) {
        (Unit::Ms, Some(smallest)) if smallest < Unit::Us.ns() => Unit::Ns,
        (Unit::Ms, Some(smallest)) if smallest < Unit::Ms.ns() => Unit::Us,
        (Unit::Us, Some(smallest)) if (0..Unit::Us.ns()).contains(&smallest) => Unit::Ns,
        (unit, _) => unit,
    }
}

/// Names a series: `monotonic`; with its thread where a variant has several series.
pub(crate) fn series_name(one: &SeriesSummary) -> String {
    match one.benchmark {
        BenchmarkKind::Sched
        | BenchmarkKind::Spin
        | BenchmarkKind::Isolate
        | BenchmarkKind::Jitter
        | BenchmarkKind::Watch => {
            format!("{} {}", one.variant, one.series)
        }
        _ => one.variant.clone(),
    }
}

/// Formats the cells under [`COLUMNS`].
pub(crate) fn figures(one: &SeriesSummary, unit: Unit) -> Vec<String> {
    let figure = |ns: Option<f64>| ns.map_or_else(|| "-".into(), |ns| unit.figure(ns));
    let whole = |ns: Option<i64>| figure(ns.map(|ns| ns as f64));
    let mut all = vec![grouped(one.count)];
    all.push(whole(one.min_ns));
    let quantiles = [
        (Quantile::P50, one.p50_ns),
        (Quantile::P99, one.p99_ns),
        (Quantile::P99_9, one.p99_9_ns),
        (Quantile::MAX, one.max_ns),
    ];
    // Of what lies beyond an imported histogram it is known where it begins.
    let beyond = |quantile: Quantile| {
        let beyond = one.beyond.filter(|beyond| quantile.is_known_of(one.count + beyond.count));
        beyond.map_or_else(
            || "-".into(),
            |beyond| format!(">={}", unit.figure(beyond.from_ns as f64)),
        )
    };
    all.extend(quantiles.map(|(quantile, ns)| ns.map_or_else(|| beyond(quantile), |_| whole(ns))));
    all.extend([one.mean_ns, one.stddev_ns].map(figure));
    all.push(grouped(one.skipped));
    all
}

/// Formats `12,000 = 12,000 taken + 0 skipped + 0 dropped`; none for a case of stages.
pub(crate) fn account(case: &CaseSummary) -> Option<String> {
    if case.benchmarks.is_empty() {
        return None;
    }
    Some(account_of(std::slice::from_ref(case)))
}

/// Formats the same of all series of several cases.
pub(crate) fn account_of(cases: &[CaseSummary]) -> String {
    let sum = |term: fn(&SeriesSummary) -> u64| {
        let all = cases.iter().flat_map(|case| &case.benchmarks);
        all.fold(0u64, |sum, one| sum.saturating_add(term(one)))
    };
    let terms = [sum(|one| one.count), sum(|one| one.skipped), sum(|one| one.dropped)];
    let all = terms.iter().fold(0u64, |all, term| all.saturating_add(*term));
    let [all, taken, skipped, dropped] = [all, terms[0], terms[1], terms[2]].map(grouped);
    format!("{all} = {taken} taken + {skipped} skipped + {dropped} dropped")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_median_keeps_its_digits_beside_a_long_maximum() {
        assert_eq!(unit(4_960, Some(30)), Unit::Ns);
        assert_eq!(unit(4_960, Some(0)), Unit::Ns);
        assert_eq!(unit(200_000_000, Some(30)), Unit::Ns);
        assert_eq!(unit(165_500, Some(8_780)), Unit::Us);
        assert_eq!((unit(4_960, None), unit(200_000_000, Some(2_000_000))), (Unit::Us, Unit::Ms));
    }
}
