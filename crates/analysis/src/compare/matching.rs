// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The series of two cases that are compared with each other.

use irqscope_wire::Class;

use super::{MeasuredCase, Series, SeriesName};

/// Returns the series that both cases measured: those of the same name together. A file of another tool
/// need not say under which policy or on which CPU its threads ran; of a benchmark of which no name is on
/// both sides, and one side does not know any policy, the threads belong together in their order, if there
/// are as many of them.
pub fn matching<'a>(base: &'a MeasuredCase, other: &'a MeasuredCase) -> Vec<[&'a Series; 2]> {
    let named = |one: &'a Series| match other.find(&one.name) {
        Some(found) => Some(found),
        None => of_the_same_place(&base.series, &other.series, &one.name),
    };
    base.series.iter().filter_map(|one| Some([one, named(one)?])).collect()
}

fn of_the_same_place<'a>(
    base: &[Series],
    other: &'a [Series],
    name: &SeriesName,
) -> Option<&'a Series> {
    let SeriesName::Benchmark { benchmark: kind, .. } = name else { return None };
    let of_kind = |one: &&Series| matches!(&one.name, SeriesName::Benchmark { benchmark, .. } if benchmark == kind);
    let (bases, others) = (
        base.iter().filter(of_kind).collect::<Vec<_>>(),
        other.iter().filter(of_kind).collect::<Vec<_>>(),
    );
    let shared = bases.iter().any(|base| others.iter().any(|other| base.name == other.name));
    let unknown = |all: &[&Series]| all.iter().all(|one| has_no_policy(&one.name));
    if shared || bases.len() != others.len() || !(unknown(&bases) || unknown(&others)) {
        return None;
    }
    let place = bases.iter().position(|base| base.name == *name)?;
    others.get(place).copied()
}

fn has_no_policy(name: &SeriesName) -> bool {
    matches!(name, SeriesName::Benchmark { variant, .. } if *variant == Class::Unknown.to_string())
}

#[cfg(test)]
mod tests {
    use irqscope_wire::BenchmarkKind;

    use super::*;

    fn series(names: &[(BenchmarkKind, &str, &str)]) -> Vec<Series> {
        let one = |(benchmark, variant, series): &(BenchmarkKind, &str, &str)| Series {
            name: SeriesName::Benchmark {
                benchmark: *benchmark,
                variant: (*variant).into(),
                series: (*series).into(),
            },
            values: crate::Ordered::default(),
            sorted: crate::Counted::default(),
            without: 0,
        };
        names.iter().map(one).collect()
    }

    fn found(base: &[Series], other: &[Series]) -> Vec<Option<String>> {
        let of = |one: &Series| of_the_same_place(base, other, &one.name);
        base.iter().map(|one| of(one).map(|found| found.name.to_string())).collect()
    }

    #[test]
    fn threads_of_an_unknown_policy_are_matched_in_their_order() {
        use BenchmarkKind::{Gtod, Sched};
        let read = series(&[(Sched, "unknown", "thread0"), (Sched, "unknown", "thread1")]);
        let own = series(&[
            (Gtod, "monotonic", "x"),
            (Sched, "fifo 80", "cpu0"),
            (Sched, "fifo 80", "cpu1"),
        ]);
        let places = [Some("sched fifo 80 cpu0".to_owned()), Some("sched fifo 80 cpu1".to_owned())];
        assert_eq!(found(&read, &own), places);
        assert_eq!(found(&own, &read)[0], None, "another benchmark");
        assert_eq!(found(&own, &read)[1], Some("sched unknown thread0".to_owned()));
    }

    #[test]
    fn known_policies_and_other_numbers_of_threads_are_not() {
        use BenchmarkKind::Sched;
        let read = series(&[(Sched, "unknown", "thread0")]);
        let two = series(&[(Sched, "fifo 80", "cpu0"), (Sched, "fifo 80", "cpu1")]);
        assert_eq!(found(&read, &two), [None]);
        let (fifo, other) =
            (series(&[(Sched, "fifo 80", "cpu0")]), series(&[(Sched, "other", "cpu0")]));
        assert_eq!(found(&fifo, &other), [None]);
    }
}
