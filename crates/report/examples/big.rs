// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `big KIND COUNT OUT [SEED]`: makes up a run of COUNT samples, to see how long the figures of a
//! large one take. KIND is `bench` (one series of `sched`, in real time, with some ten thousand
//! different values), `vm` (the same as a virtual machine with a clock of 1 ns has them),
//! `distinct` (values that hardly repeat, as none are) or `stages` (stage `irq` alone). Another
//! seed gives other samples of the same kind.
#![expect(clippy::unwrap_used, reason = "a measurement that cannot go on has failed")]

#[path = "../../run/tests/synthetic/mod.rs"]
mod synthetic;

use std::path::Path;

use irqscope_run::RunDir;
use irqscope_wire::{
    BenchEnd, BenchSample, BenchSamples, Benchmark, Class, Counters, Message, Nanoseconds, Plan,
    Sched, Seq, SeriesCount, Stage, Work,
};
use synthetic::{Random, Sender, answered, draft, plan, sample};

/// Samples of one frame, as the agent sends them.
const BATCH: u64 = 512;
const PERIOD: i64 = 1_000_000;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [kind, count, out, seed @ ..] = words.as_slice() else {
        eprintln!("usage: big bench|vm|distinct|stages COUNT OUT [SEED]");
        std::process::exit(2);
    };
    let (count, out) = (count.parse().unwrap(), Path::new(out));
    let random = Random(seed.first().map_or(1, |seed| seed.parse().unwrap()));
    match kind.as_str() {
        "stages" => stages(out, count, random),
        "distinct" => bench(out, count, random, |random| (random.next() >> 20).cast_signed()),
        "vm" => bench(out, count, random, in_vm),
        _ => bench(out, count, random, latency),
    }
}

fn stages(out: &Path, count: u64, mut random: Random) {
    let mut run = RunDir::create(out, &draft(&[plan("6.1/idle", &[Stage::Irq], count)])).unwrap();
    let mut target = Sender::new(&run, 0);
    target.open("6.1.0", &[Stage::Irq]);
    for first in (0..count).step_by(BATCH as usize) {
        let one = |seq| sample(seq, vec![answered(Stage::Irq, latency(&mut random), 0)]);
        target.send(Message::Samples((first..count.min(first + BATCH)).map(one).collect()));
    }
    target.send(Message::Finished(Counters {
        triggers: count,
        complete: count,
        ..Counters::default()
    }));
    finish(&mut run);
}

fn bench(out: &Path, count: u64, mut random: Random, value: fn(&mut Random) -> i64) {
    let sched = Benchmark::Sched(Sched { count, ..Sched::default() });
    let work = Work::Benchmarks(vec![sched]);
    let plan = Plan { work, instruction: None, ..synthetic::plan("6.1/idle", &[], 0) };
    let mut run = RunDir::create(out, &draft(&[plan])).unwrap();
    let mut target = Sender::new(&run, 0);
    target.open("6.1.0", &[]);
    for first in (0..count).step_by(BATCH as usize) {
        let one = |seq: u64| BenchSample {
            at: Nanoseconds(PERIOD * seq.cast_signed()),
            value: Nanoseconds(value(&mut random)),
        };
        let samples = (first..count.min(first + BATCH)).map(one).collect();
        let (series, cpu) = ("cpu0".into(), Some(0));
        let batch = BenchSamples { benchmark: 0, series, cpu, first: Seq(first), samples };
        target.send(Message::BenchSamples(batch));
    }
    let series = vec![SeriesCount { series: "cpu0".into(), taken: count, skipped: 0, dropped: 0 }];
    let end = BenchEnd { benchmark: 0, class: Class::HIGH, series, unavailable: None };
    target.send(Message::BenchEnd(end));
    target.send(Message::Finished(Counters::default()));
    finish(&mut run);
}

/// Returns a latency like real ones: a body of some microseconds, and a long tail.
fn latency(random: &mut Random) -> i64 {
    random.latency(3_000.0, 900.0, 1_000)
}

/// Returns a latency by the quantiles that `irqscope bench sched` found in a virtual machine, of
/// 398,742 samples, 18,714 of them different; between two, logarithms are spread evenly.
fn in_vm(random: &mut Random) -> i64 {
    const QUANTILES: [(f64, f64); 7] = [
        (0.0, 7_065.0),
        (0.05, 12_655.0),
        (0.5, 14_479.0),
        (0.95, 18_867.0),
        (0.99, 25_829.0),
        (0.999, 77_885.0),
        (1.0, 13_439_912.0),
    ];
    let share = random.unit();
    let next = QUANTILES.partition_point(|(quantile, _)| *quantile <= share);
    let [(from, low), (to, high)] = [QUANTILES[next - 1], QUANTILES[next]];
    (low * f64::powf(high / low, (share - from) / (to - from))) as i64
}

fn finish(run: &mut RunDir) {
    let cases = run.manifest().cases.clone();
    run.finish(cases).unwrap();
}
