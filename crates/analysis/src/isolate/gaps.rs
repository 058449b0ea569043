// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Disturbances of a machine that is there: gaps of the loop, with what the kernel's tracepoints say of
//! each.

use std::collections::BTreeMap;

use irqscope_run::{BenchSeries, BenchmarkData, CaseData};
use irqscope_wire::{Benchmark, BenchmarkKind, WatchedPart};

use super::disturbance::Described;
use super::{Asked, Isolation};

/// Of a gap in which no tracepoint saw anything.
pub const UNSEEN: &str = "no tracepoint";

/// Returns the isolated CPUs of a case that has gaps.
pub fn isolations(data: &CaseData) -> Vec<Isolation> {
    let asked = data.plan.iter().flat_map(irqscope_wire::Plan::benchmarks);
    let mut all = Vec::new();
    for (one, asked) in data.benchmarks.iter().zip(asked) {
        let Benchmark::Isolate(settings) = asked else { continue };
        for series in &one.series {
            all.push(of_series(data, one, series, settings.duration_ns));
        }
    }
    all
}

fn of_series(
    data: &CaseData,
    benchmark: &BenchmarkData,
    series: &BenchSeries,
    duration_ns: u64,
) -> Isolation {
    debug_assert_eq!(benchmark.kind, BenchmarkKind::Isolate);
    let mut all = Isolation::empty(data, series.cpu.unwrap_or_default());
    (all.elapsed_ns, all.ended) = (duration_ns, benchmark.has_ended());
    let mine = benchmark.watched.iter().filter(|one| one.series == series.name);
    let known: BTreeMap<i64, &[WatchedPart]> = mine.map(|one| (one.at.0, &one.parts[..])).collect();
    let mut causes = BTreeMap::new();
    for row in &series.rows {
        let parts = row.at.and_then(|at| known.get(&at.0).copied()).unwrap_or_default();
        all.add(&mut causes, described(parts), row.value.0.unsigned_abs());
    }
    all.loop_ns = duration_ns.saturating_sub(all.disturbed_ns);
    all.finish(causes);
    all
}

/// Says what a gap was by its parts, in their order.
fn described(parts: &[WatchedPart]) -> Described {
    let mut from = None;
    let mut names: Vec<&str> = Vec::new();
    for part in parts.iter().filter(|part| !part.own) {
        match part.what.strip_prefix("sent by ").and_then(|text| text.split_once(": ")) {
            Some((thread, place)) if part.ns == 0 => {
                let (thread, callers) = (thread.to_owned(), vec![place.to_owned()]);
                from = Some(Asked { cpu: part.cpu, thread, callers });
            }
            _ if !names.contains(&part.what.as_str()) => names.push(&part.what),
            _ => {}
        }
    }
    let is_entry = |name: &str| name.ends_with(" interrupt");
    let is_device = |name: &str| name.starts_with("interrupt ");
    let entry = match names.first() {
        None => UNSEEN.to_owned(),
        Some(first) if is_entry(first) => (*first).to_owned(),
        Some(first) if is_device(first) => "device interrupt".to_owned(),
        Some(first) if first.starts_with("timer ") => "timer interrupt".to_owned(),
        Some(_) => "interrupt without a tracepoint".to_owned(),
    };
    let from = from.filter(|_| super::acts::is_sent(&entry));
    let mut acts: Vec<String> =
        names.into_iter().filter(|name| !is_entry(name)).map(str::to_owned).collect();
    if acts.is_empty() && entry != UNSEEN {
        acts.push("nothing else".into());
    }
    Described { entry, acts, from }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(what: &str, ns: u64, own: bool) -> WatchedPart {
        WatchedPart { cpu: u16::from(ns != 0), ns, what: what.into(), own }
    }

    #[test]
    fn a_gap_is_what_its_parts_were() {
        let parts = [
            part("thread bench-isolate", 300, true),
            part("timer interrupt", 90, false),
            part("timer tick_nohz_handler", 900, false),
            part("timer interrupt", 40, false),
            part("softirq sched", 70, false),
        ];
        let one = described(&parts);
        assert_eq!(one.entry, "timer interrupt");
        assert_eq!(one.acts, ["timer tick_nohz_handler", "softirq sched"]);
        assert!(one.is_explained() && one.from.is_none());
    }

    #[test]
    fn another_cpu_that_asked_is_named() {
        let sent = part("sent by bash: flush_tlb_mm_range", 0, false);
        let one = described(&[part("call interrupt", 800, false), sent]);
        assert_eq!(
            (one.entry.as_str(), &one.acts[..]),
            ("call interrupt", &["nothing else".into()][..])
        );
        let from = one.from.unwrap();
        assert_eq!((from.cpu, from.thread.as_str()), (0, "bash"));
        assert_eq!(from.callers, ["flush_tlb_mm_range"]);
    }

    #[test]
    fn what_no_tracepoint_saw_is_not_explained() {
        let one = described(&[part("thread bench-isolate", 9_000, true)]);
        assert_eq!(one.entry, UNSEEN);
        assert!(!one.is_explained());
    }
}
