// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Goal: every benchmark runs on this machine as a whole case does, accounts for
//! every sample, and its samples bear out what it is about.

use std::collections::BTreeMap;

use crate::common::{agent, frames};
use irqscope_agent::scheduling;
use irqscope_wire::{
    Async, BenchEnd, BenchSample, Benchmark, Class, Clock, Counters, Frame, Gtod, Instant,
    Inversion, LockProtocol, Message, Middle, PeriodicJitter, Plan, Policy, Realfeel, Sched,
    Scheduling, Sleep, Spin, Wake, Work, encode,
};

const FIFO: Class = Class::Fixed(Scheduling { policy: Policy::Fifo, priority: 60 });

/// The agent's messages about one benchmark.
struct Outcome {
    series: BTreeMap<String, Vec<BenchSample>>,
    end: BenchEnd,
}

impl Outcome {
    /// Returns the only series, complete: what was asked for was taken or is accounted for.
    fn one(&self, asked: u64) -> &[BenchSample] {
        let [count] = &self.end.series[..] else { panic!("{:?}", self.end) };
        assert_eq!(count.taken + count.skipped + count.dropped, asked, "{:?}", self.end);
        &self.series[&count.series]
    }

    fn is_real_time(&self) -> bool {
        self.end.class.is_real_time()
    }
}

fn run(benchmarks: Vec<Benchmark>) -> Vec<Outcome> {
    let cpu = *scheduling::allowed().last().unwrap();
    let work = Work::Benchmarks(benchmarks);
    let plan = Plan { case: "here/idle".into(), cpu, settle_ms: 0, work, ..Plan::default() };
    let frame = encode(&Frame { number: 0, message: Message::Plan(plan.clone().into()) }).unwrap();
    let output = agent(&["run"], &frame);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    outcomes(&frames(&output), plan.benchmarks().len())
}

fn outcomes(messages: &[Message], expected: usize) -> Vec<Outcome> {
    let mut outcomes = Vec::new();
    let mut series: BTreeMap<String, Vec<BenchSample>> = BTreeMap::new();
    for message in messages {
        match message {
            Message::BenchSamples(batch) => {
                let samples = series.entry(batch.series.clone()).or_default();
                assert_eq!(batch.first.0, samples.len() as u64);
                assert_eq!(usize::from(batch.benchmark), outcomes.len());
                samples.extend(&batch.samples);
            }
            Message::BenchEnd(end) => {
                let series = std::mem::take(&mut series);
                for count in &end.series {
                    let samples = series.get(&count.series).map_or(0, Vec::len) as u64;
                    assert_eq!(samples, count.taken, "{end:?}");
                }
                outcomes.push(Outcome { series, end: end.clone() });
            }
            _ => {}
        }
    }
    assert_eq!(messages.last(), Some(&Message::Finished(Counters::default())));
    assert_eq!(outcomes.len(), expected);
    outcomes
}

fn one(benchmark: Benchmark) -> Outcome {
    run(vec![benchmark]).remove(0)
}

#[test]
fn a_clock_never_runs_backwards_and_every_pair_is_kept() {
    let clocks = [Clock::Monotonic, Clock::MonotonicRaw, Clock::Counter];
    let gtod = |clock| Benchmark::Gtod(Gtod { clock, count: 20_000, class: FIFO });
    for outcome in run(clocks.map(gtod).into()) {
        let samples = outcome.one(20_000);
        assert_eq!(samples.len(), 20_000);
        assert!(samples.iter().all(|pair| pair.value.0 >= 0));
        assert!(samples.windows(2).all(|pairs| pairs[0].at <= pairs[1].at));
    }
}

#[test]
fn clocks_that_may_be_set_are_read_as_well() {
    let clocks = [Clock::Realtime, Clock::Gettimeofday];
    let gtod = |clock| Benchmark::Gtod(Gtod { clock, count: 1_000, class: FIFO });
    for outcome in run(clocks.map(gtod).into()) {
        assert_eq!(outcome.one(1_000).len(), 1_000);
    }
}

#[test]
fn a_periodic_thread_never_wakes_early_and_keeps_its_grid() {
    let (period, count) = (500_000, 300);
    let sched = Sched { class: FIFO, period_ns: period, count, threads: 1, cpus: Vec::new() };
    let outcome = one(Benchmark::Sched(sched));
    let samples = outcome.one(count);
    assert!(samples.iter().all(|wakeup| wakeup.value.0 >= 0));
    let steps = samples.windows(2).map(|pair| pair[1].at.0 - pair[0].at.0);
    assert!(steps.clone().all(|step| step > 0 && step % period.cast_signed() == 0));
    // A wakeup that is late by a period skips a point, and only then.
    let skipped: u64 = steps.map(|step| step.cast_unsigned() / period - 1).sum();
    assert!(skipped <= outcome.end.series[0].skipped);
}

#[test]
fn each_cpu_and_each_thread_has_a_series_of_its_own() {
    let cpus = scheduling::allowed();
    let names: Vec<String> =
        cpus.iter().flat_map(|cpu| [0, 1].map(|thread| format!("cpu{cpu}.{thread}"))).collect();
    let sched = Sched { class: FIFO, period_ns: 1_000_000, count: 50, threads: 2, cpus };
    let outcome = one(Benchmark::Sched(sched));
    assert_eq!(outcome.series.keys().cloned().collect::<Vec<_>>(), names);
}

#[test]
fn sched_deadline_is_taken_where_it_may_be() {
    let class = Class::Deadline { runtime_ns: 200_000 };
    let sched = Sched { class, period_ns: 1_000_000, count: 100, threads: 1, cpus: Vec::new() };
    let outcome = one(Benchmark::Sched(sched));
    if let Some(why) = &outcome.end.unavailable {
        return assert!(why.contains("SCHED_DEADLINE"), "{why}");
    }
    assert!(outcome.one(100).iter().all(|wakeup| wakeup.value.0 >= 0));
    assert!(outcome.end.class == class || !outcome.is_real_time());
}

#[test]
fn a_sleep_is_never_shorter_than_asked_for() {
    let sleep = Sleep { class: FIFO, period_ns: 200_000, count: 200 };
    let outcome = one(Benchmark::Sleep(sleep));
    assert!(outcome.one(200).iter().all(|sleep| sleep.value.0 >= 0));
}

#[test]
fn every_way_to_wake_a_thread_is_measured_as_often_as_asked() {
    let wakes = Wake::ALL.iter().map(|wake| {
        let (period_ns, count) = (200_000, 100);
        Benchmark::Async(Async { wake: *wake, class: FIFO, period_ns, count, from_cpu: None })
    });
    for outcome in run(wakes.collect()) {
        let samples = outcome.one(100);
        assert_eq!(samples.len(), 100, "{:?}", outcome.end);
        assert!(samples.iter().all(|wakeup| wakeup.value.0 >= 0));
    }
}

fn inversion(protocol: LockProtocol, middle: Middle) -> Benchmark {
    Benchmark::Inversion(Inversion {
        protocol,
        middle,
        priority: 60,
        hold_ns: 200_000,
        middle_ns: 1_000_000,
        limit_ns: 20_000_000,
        count: 10,
    })
}

/// Compares, round by round, whether one instant comes before another.
fn before(outcome: &Outcome, first: Instant, second: Instant) -> Vec<bool> {
    let [first, second] = [first, second].map(|instant| &outcome.series[instant.name()]);
    first.iter().zip(second).map(|(first, second)| first.value < second.value).collect()
}

#[test]
fn without_inheritance_a_waits_for_b_and_with_it_b_waits_for_a() {
    for middle in [Middle::Bounded, Middle::Unbounded] {
        let [none, inherit] =
            [LockProtocol::None, LockProtocol::Inherit].map(|lock| one(inversion(lock, middle)));
        if !none.is_real_time() {
            assert!(none.end.unavailable.is_some());
            continue;
        }
        for outcome in [&none, &inherit] {
            assert_eq!(outcome.series[Instant::WAIT].len(), 10, "{:?}", outcome.end);
            // A asks while C has the lock, and gets it from C.
            assert!(!before(outcome, Instant::CLocks, Instant::AAsks).contains(&false));
            assert!(!before(outcome, Instant::CUnlocks, Instant::AHas).contains(&false));
        }
        assert!(!before(&none, Instant::BEnds, Instant::CUnlocks).contains(&false));
        assert!(!before(&inherit, Instant::AHas, Instant::BStarts).contains(&false));
    }
}

#[test]
fn a_middle_thread_that_never_yields_is_ended_by_the_guard() {
    let outcome = one(inversion(LockProtocol::None, Middle::Unbounded));
    if outcome.is_real_time() {
        let waits = &outcome.series[Instant::WAIT];
        assert!(waits.iter().all(|wait| wait.value.0 >= 20_000_000), "{waits:?}");
    }
}

#[test]
fn intervals_of_a_periodic_task_add_up_to_its_grid() {
    let (period, count) = (1_000_000, 100);
    let jitter = PeriodicJitter { class: FIFO, period_ns: period, work_ns: 100_000, count };
    let outcome = one(Benchmark::Jitter(jitter));
    let [intervals, works] = ["interval", "work"].map(|name| &outcome.series[name]);
    assert_eq!(intervals.len(), works.len());
    // The deviations telescope: their sum is how late the last start was.
    let sum: i64 = intervals.iter().map(|interval| interval.value.0).sum();
    let last = (intervals.last().unwrap(), works.last().unwrap());
    assert_eq!(sum, last.1.at.0 - last.0.at.0);
    assert!(works.iter().all(|work| work.value.0 > 0));
}

#[test]
fn a_spinning_loop_keeps_every_gap_above_its_threshold_in_order() {
    let spin = Spin {
        class: FIFO,
        duration_ns: 100_000_000,
        threshold_ns: 1_000,
        cpus: scheduling::allowed(),
    };
    let outcome = one(Benchmark::Spin(spin));
    assert_eq!(outcome.end.series.len(), scheduling::allowed().len());
    for (count, samples) in outcome
        .end
        .series
        .iter()
        .filter_map(|count| Some((count, outcome.series.get(&count.series)?)))
    {
        assert_eq!((count.skipped, count.dropped), (0, 0));
        // Cycles are rounded to nanoseconds.
        assert!(samples.iter().all(|gap| gap.value.0 >= 999), "{samples:?}");
        assert!(samples.windows(2).all(|gaps| gaps[0].at.0 + gaps[0].value.0 <= gaps[1].at.0 + 1));
    }
}

#[test]
fn a_real_time_clock_is_listened_to_or_its_absence_is_told() {
    let outcome = one(Benchmark::Realfeel(Realfeel { class: FIFO, hertz: 64, count: 8 }));
    match &outcome.end.unavailable {
        Some(why) => assert!(why.contains("real-time clock") || why.contains("rtc0"), "{why}"),
        None => assert!(!outcome.one(8).is_empty()),
    }
}
