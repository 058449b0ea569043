// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Figures of benchmarks follow from the log, and every sample is accounted for: what is lost,
//! unaccounted for or could not be run is reported.

use crate::synthetic;
use std::path::Path;

use crate::synthetic::{Sender, draft};
use irqscope_analysis::{Summary, check, derive};
use irqscope_run::RunDir;
use irqscope_wire::{
    BenchEnd, BenchSample, BenchSamples, Benchmark, BenchmarkKind, Class, Counters, Instant,
    Inversion, Message, Nanoseconds, Plan, Policy, Realfeel, Sched, Scheduling, Seq, SeriesCount,
    Work,
};

fn plan(case: &str) -> Plan {
    let sched = Sched { count: 31, ..Sched::default() };
    let benchmarks = vec![
        Benchmark::Sched(sched),
        Benchmark::Inversion(Inversion { count: 1, ..Inversion::default() }),
        Benchmark::Realfeel(Realfeel::default()),
    ];
    Plan { work: Work::Benchmarks(benchmarks), ..synthetic::plan(case, &[], 0) }
}

fn samples(benchmark: u16, series: &str, first: u64, values: &[i64]) -> Message {
    let sample = |(number, value): (i64, &i64)| BenchSample {
        at: Nanoseconds(number * 1_000_000),
        value: Nanoseconds(*value),
    };
    Message::BenchSamples(BenchSamples {
        benchmark,
        series: series.into(),
        cpu: Some(0),
        first: Seq(first),
        samples: (first.cast_signed()..).zip(values).map(sample).collect(),
    })
}

fn count(series: &str, taken: u64, skipped: u64) -> SeriesCount {
    SeriesCount { series: series.into(), taken, skipped, dropped: 0 }
}

fn end(benchmark: u16, series: Vec<SeriesCount>, unavailable: Option<&str>) -> Message {
    let unavailable = unavailable.map(String::from);
    Message::BenchEnd(BenchEnd { benchmark, class: Class::HIGH, series, unavailable })
}

/// Returns the messages of a target in a case in which all went well, but there was no clock.
fn told() -> Vec<Message> {
    let mut told = vec![
        samples(0, "cpu0", 0, &[30, 10].repeat(10)),
        samples(0, "cpu0", 20, &[20; 10]),
        end(0, vec![count("cpu0", 30, 1)], None),
        samples(1, Instant::WAIT, 0, &[700]),
    ];
    let instants = Instant::ALL.iter();
    told.extend((0..).zip(instants.clone()).map(|(n, one)| samples(1, one.name(), 0, &[n])));
    let mut counts = vec![count(Instant::WAIT, 1, 0)];
    counts.extend(instants.map(|one| count(one.name(), 1, 0)));
    told.push(end(1, counts, None));
    told.push(end(2, vec![], Some("this machine has no real-time clock (/dev/rtc0)")));
    told.push(Message::Finished(Counters::default()));
    told
}

fn run(path: &Path, told: Vec<Message>) -> (RunDir, Summary) {
    let mut run = RunDir::create(path, &draft(&[plan("6.1/idle")])).unwrap();
    let mut target = Sender::new(&run, 0);
    target.open("6.1.0", &[]);
    told.into_iter().for_each(|message| target.send(message));
    let cases = run.manifest().cases.clone();
    run.finish(cases).unwrap();
    let summary = derive(&run).unwrap();
    (run, summary)
}

#[test]
fn figures_are_order_statistics_of_all_samples_of_a_series() {
    let parent = tempfile::tempdir().unwrap();
    let (run, summary) = run(&parent.path().join("run"), told());
    let [case] = &summary.cases[..] else { panic!("{summary:?}") };
    assert_eq!((case.identity_holds, summary.complete), (true, true));
    check(&summary).unwrap();
    let sched = &case.benchmarks[0];
    assert_eq!((sched.benchmark, sched.class.as_deref()), (BenchmarkKind::Sched, Some("fifo 80")));
    let figures = (sched.count, sched.min_ns, sched.p50_ns, sched.max_ns, sched.skipped);
    assert_eq!(figures, (30, Some(10), Some(20), Some(30), 1));
    let shown: Vec<&str> =
        case.benchmarks.iter().filter(|one| one.is_figure()).map(|one| &*one.series).collect();
    assert_eq!(shown, ["cpu0", Instant::WAIT], "instants are no latencies");
    assert_eq!(Summary::read(&run).unwrap(), summary);
    assert!(run.path().join("bench.parquet").exists());
    assert!(!run.path().join("samples.parquet").exists(), "no stage was asked");
}

#[test]
fn a_series_is_named_by_the_policy_that_ran() {
    let parent = tempfile::tempdir().unwrap();
    let mut refused = told();
    let ordinary = Class::Fixed(Scheduling { policy: Policy::Other, priority: 0 });
    if let Some(Message::BenchEnd(end)) = refused.get_mut(2) {
        end.class = ordinary;
    }
    let (_, summary) = run(&parent.path().join("run"), refused);
    let sched = &summary.cases[0].benchmarks[0];
    assert_eq!((&*sched.variant, sched.class.as_deref()), ("other", Some("other")));
}

#[test]
fn what_was_skipped_or_could_not_be_run_is_told_and_no_violation() {
    let parent = tempfile::tempdir().unwrap();
    let (_, summary) = run(&parent.path().join("run"), told());
    let case = &summary.cases[0];
    let [unavailable] = &case.unavailable[..] else { panic!("{case:?}") };
    assert_eq!(unavailable.benchmark, BenchmarkKind::Realfeel);
    let warnings = case.warnings.join("\n");
    assert!(warnings.contains("realfeel fifo 80 was not run: this machine has no real-time clock"));
    assert!(warnings.contains("sched fifo 80: periods that had passed"), "{warnings}");
    assert!(case.violations.is_empty());
}

#[test]
fn a_lost_batch_or_an_unaccounted_sample_makes_a_case_invalid() {
    let parent = tempfile::tempdir().unwrap();
    let mut lost = told();
    lost.remove(1);
    let (_, summary) = run(&parent.path().join("lost"), lost);
    assert!(summary.cases[0].violations.join("\n").contains("the log has 20"));
    let mut unaccounted = told();
    unaccounted[2] = end(0, vec![count("cpu0", 30, 0)], None);
    let (_, summary) = run(&parent.path().join("unaccounted"), unaccounted);
    assert!(summary.cases[0].violations.join("\n").contains("31 were asked for"));
    assert!(check(&summary).is_err());
}

#[test]
fn a_benchmark_that_never_ended_is_not_passed_over() {
    let parent = tempfile::tempdir().unwrap();
    let silent = told().into_iter().filter(|message| match message {
        Message::BenchEnd(end) => end.benchmark != 2,
        _ => true,
    });
    let (_, summary) = run(&parent.path().join("run"), silent.collect());
    assert!(summary.cases[0].violations.join("\n").contains("realfeel fifo 80"));
}

#[test]
fn every_value_counts_in_the_digest() {
    let parent = tempfile::tempdir().unwrap();
    let digest = |name: &str, told| run(&parent.path().join(name), told).1.digest;
    let first = digest("a", told());
    assert_eq!(first, digest("b", told()));
    let mut other = told();
    other[1] = samples(0, "cpu0", 20, &[21; 10]);
    assert_ne!(first, digest("c", other));
}

#[test]
fn a_benchmark_that_no_plan_knows_is_counted_as_undecodable() {
    let parent = tempfile::tempdir().unwrap();
    let mut stray = told();
    stray.insert(0, samples(9, "cpu0", 0, &[1]));
    let (_, summary) = run(&parent.path().join("run"), stray);
    assert!(summary.cases[0].warnings.join("\n").contains("not of this protocol: 1"));
}
