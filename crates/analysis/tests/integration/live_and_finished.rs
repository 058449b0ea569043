// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The figures of a measurement under way are, at its end, those of the finished run,
//! for every kind of case.

use crate::synthetic;
use crate::synthetic::generator::{hello, status};
use crate::synthetic::{Random, draft, started};
use irqscope_analysis::{LiveCase, LiveSeries, StageSummary, Summary, Wanted, derive, drawn};
use irqscope_run::{RunDir, Source};
use irqscope_wire::{
    Answer, Burst, Compensate, Counters, Cycles, ExtraEdge, Frame, Inside, Message, Mode, Outcome,
    Outside, OutsideSample, Packet, Plan, Response, RunState, Sample, Stage, Tick, Totals, Trigger,
    encode,
};

const STAGES: [Stage; 3] = [Stage::Irq, Stage::Softirq, Stage::User];
const MS: u64 = 1_000_000;
const SECOND: u64 = 1_000 * MS;

/// One trigger as it was; all in nanoseconds of one clock.
#[derive(Clone, Default)]
struct Truth {
    at: u64,
    /// Its interrupt was lost.
    lost: bool,
    /// The handler's stamp after the trigger.
    entry: u64,
    /// By stage, after the stamp.
    stages: Vec<Option<u64>>,
    merged: bool,
}

/// Makes triggers of which each `every`-th has a user stage that is slow.
fn truths(count: u64, period: u64, (every, slow): (u64, u64)) -> Vec<Truth> {
    let mut random = Random(count);
    let mut one = |number: u64| {
        let (late, jitter) = (every > 0 && number % every == every - 1, random.next() % 500);
        let user = 9_000 + jitter + if late { slow } else { 0 };
        Truth {
            at: MS + number * period,
            entry: 700 + jitter % 50,
            stages: vec![Some(0), Some(2_000 + jitter), Some(user)],
            ..Truth::default()
        }
    };
    (0..count).map(&mut one).collect()
}

/// Lets the user stage run once for all triggers that come until it has run.
fn merge(truths: &mut [Truth]) {
    let mut ran = 0;
    for one in truths {
        let answer = one.at + one.entry + one.stages[2].unwrap();
        one.merged = one.at < ran;
        if one.merged {
            one.stages[2] = None;
        } else {
            ran = answer;
        }
    }
}

fn record(truths: &[Truth], turns: bool) -> Vec<Sample> {
    let handled = truths.iter().filter(|one| !one.lost);
    let sample = |(seq, one): (u64, &Truth)| {
        let response = |(stage, after): (&Stage, &Option<u64>)| {
            let outcome = match after {
                // The target's ticks are of 2 ns where the clocks differ.
                Some(after) => Outcome::Answered {
                    latency: (*after / 2) as i64,
                    cpu: 1,
                    interrupts: u16::from(seq % 7 == 3),
                    executed: None,
                },
                None if one.merged => Outcome::Coalesced,
                None => Outcome::Missing,
            };
            Response { stage: *stage, outcome }
        };
        let asked = |(stage, _): &(&Stage, _)| {
            !turns || **stage == Stage::Irq || **stage == STAGES[1 + seq as usize % 2]
        };
        let all = STAGES.iter().zip(&one.stages).filter(asked).map(response).collect();
        let stamp = one.at + one.entry;
        Sample { trigger_cycles: Cycles(stamp / 2), ..synthetic::sample(seq, all) }
    };
    (0..).zip(handled).map(sample).collect()
}

/// Pairs edges with triggers as the generator does: the oldest that waits has the next edge.
fn seen(truths: &[Truth]) -> (Vec<OutsideSample>, Vec<ExtraEdge>) {
    let mut samples: Vec<OutsideSample> = (0..)
        .zip(truths)
        .map(|(seq, one)| OutsideSample {
            trigger: Cycles(one.at),
            ..synthetic::generator::seen(seq, vec![Answer::Missing; STAGES.len()])
        })
        .collect();
    for line in 0..STAGES.len() {
        let edge = |one: &Truth| Some(one.at + one.entry + one.stages[line]? + 54);
        let mut edges: Vec<u64> = truths.iter().filter(|one| !one.lost).filter_map(edge).collect();
        edges.sort_unstable();
        for (number, at) in edges.into_iter().enumerate() {
            let span = Cycles(at - truths[number].at);
            let late = truths.get(number + 1).is_some_and(|next| next.at <= at);
            let answer = if late { Answer::Late(span) } else { Answer::Prompt(span) };
            samples[number].answers[line] = answer;
        }
    }
    (samples, Vec::new())
}

struct Case {
    plan: Plan,
    /// Both streams in order of arrival.
    frames: Vec<(Source, Message)>,
}

fn plan() -> Plan {
    synthetic::plan("6.1/idle", &STAGES, 4)
}

/// Makes both streams; `last`: the target's frames come at the end.
fn frames(
    inside: Option<Vec<Sample>>,
    outside: Option<(Vec<OutsideSample>, Vec<ExtraEdge>)>,
    last: bool,
) -> Vec<(Source, Message)> {
    let mut target = Vec::new();
    if let Some(inside) = inside {
        let has =
            |sample: &Sample, wanted| sample.responses.iter().any(|one| one.outcome == wanted);
        let count =
            |of: &dyn Fn(&Sample) -> bool| inside.iter().filter(|one| of(one)).count() as u64;
        let coalesced = count(&|one| has(one, Outcome::Coalesced));
        let missing = count(&|one| !has(one, Outcome::Coalesced) && has(one, Outcome::Missing));
        let triggers = inside.len() as u64;
        let complete = triggers - coalesced - missing;
        let counters = Counters { triggers, complete, missing, coalesced, ..Counters::default() };
        target.push(Message::Started(started("6.1.0", &STAGES)));
        target.extend(inside.chunks(23).map(|some| Message::Samples(some.to_vec())));
        target.push(Message::Finished(counters));
    }
    let mut generator = Vec::new();
    if let Some((samples, extras)) = outside {
        let mut totals = Totals { triggers: samples.len() as u64, ..Totals::default() };
        for sample in &samples {
            let missing = sample.answers.contains(&Answer::Missing);
            *(if missing { &mut totals.missing } else { &mut totals.complete }) += 1;
            totals.answers +=
                sample.answers.iter().filter(|one| **one != Answer::Missing).count() as u64;
        }
        (totals.edges, totals.extra) = (totals.answers + extras.len() as u64, extras.len() as u64);
        generator.push(Message::GeneratorHello(hello(STAGES.len() as u8)));
        let mut extras = Some(extras);
        generator.extend(samples.chunks(16).map(|some| {
            let (samples, extras) = (some.to_vec(), extras.take().unwrap_or_default());
            Message::Packet(Packet { run: 1, samples, extras, totals })
        }));
        generator.push(Message::Status(status(RunState::Done, totals)));
    }
    let target = target.into_iter().map(|message| (Source::Target, message));
    let generator = generator.into_iter().map(|message| (Source::Generator, message));
    if last {
        return generator.chain(target).collect();
    }
    let (mut target, mut generator) = (target.fuse(), generator.fuse());
    let mut all = Vec::new();
    loop {
        let some: Vec<_> = target.by_ref().take(2).chain(generator.by_ref().take(3)).collect();
        if some.is_empty() {
            return all;
        }
        all.extend(some);
    }
}

/// Makes a case on two clocks: the target's ticks are its own.
fn board(truths: &[Truth]) -> Case {
    let outside = Some(Outside::default());
    let plan =
        plan().with_stages(|asked| (asked.trigger, asked.outside) = (Trigger::Line, outside));
    let plan = Plan { instruction: None, ..plan };
    Case { plan, frames: frames(Some(record(truths, false)), Some(seen(truths)), false) }
}

/// Makes a case on one clock, where the target's frames come last.
fn twin(truths: &[Truth]) -> Case {
    let nanosecond = Tick { femtoseconds: 1_000_000 };
    let plan =
        Plan { tick: Some(nanosecond), instruction: Some(synthetic::TICK), ..board(truths).plan };
    let mut inside = record(truths, false);
    for sample in &mut inside {
        sample.trigger_cycles.0 *= 2;
        for response in &mut sample.responses {
            if let Outcome::Answered { latency, .. } = &mut response.outcome {
                *latency *= 2;
            }
        }
    }
    Case { plan, frames: frames(Some(inside), Some(seen(truths)), true) }
}

fn alone(truths: &[Truth], mode: Mode) -> Case {
    let plan = plan().with_stages(|asked| asked.mode = mode);
    Case { plan, frames: frames(Some(record(truths, mode == Mode::Isolated)), None, false) }
}

/// Takes the same frames both ways.
fn both(case: &Case) -> (Vec<LiveSeries>, Vec<StageSummary>) {
    let (live, summary) = summarised(case);
    (live, summary.cases[0].stages.clone())
}

fn summarised(case: &Case) -> (Vec<LiveSeries>, Summary) {
    let parent = tempfile::tempdir().unwrap();
    let mut run =
        RunDir::create(parent.path().join("run"), &draft(std::slice::from_ref(&case.plan)))
            .unwrap();
    let mut live = LiveCase::new(&case.plan, false);
    let mut numbers = [0, 0];
    for (source, message) in &case.frames {
        let number = &mut numbers[usize::from(*source == Source::Generator)];
        let frame = Frame { number: *number, message: message.clone() };
        *number += 1;
        live.take(*source, &frame);
        run.log().append(0, *source, &encode(&frame).unwrap()).unwrap();
    }
    live.end();
    run.finish(run.manifest().cases.clone()).unwrap();
    let summary = derive(&run).unwrap();
    let index = run.index().unwrap();
    let figures = live.figures(Wanted::Everything);
    let finished = drawn(&run, &run.stream(&index, 0).unwrap()).unwrap();
    for (live, finished) in figures.series.iter().zip(&finished) {
        assert_eq!(live.course.as_ref(), Some(&finished.course));
    }
    assert_eq!(figures.unjoined, 0);
    (figures.series, summary)
}

fn assert_same(what: &str, case: &Case) -> Vec<StageSummary> {
    let (live, finished) = both(case);
    assert_eq!(live.len(), finished.len(), "{what}");
    for (live, finished) in live.iter().zip(&finished) {
        let name = format!("{what}: {:?} {:?}", finished.stage, finished.view);
        assert_eq!((live.stage, live.view), (finished.stage, finished.view), "{name}");
        assert_eq!(live.count, finished.count, "{name}");
        assert_eq!(
            (live.missing, live.coalesced, live.unsure, live.hit),
            (finished.missing, finished.coalesced, finished.unsure, finished.hit),
            "{name}"
        );
        assert_eq!((live.min_ns, live.max_ns), (finished.min_ns, finished.max_ns), "{name}");
        assert_eq!(live.mean_ns, finished.mean_ns, "{name}");
        let pairs = [
            (live.p5_ns, finished.p5_ns),
            (live.p50_ns, finished.p50_ns),
            (live.p95_ns, finished.p95_ns),
            (live.p99_ns, finished.p99_ns),
            (live.p99_9_ns, finished.p99_9_ns),
        ];
        for (live, finished) in pairs {
            let (live, finished) = (live.unwrap_or(-1), finished.unwrap_or(-1));
            let resolution = finished.abs() / 1000 + 1;
            assert!((live - finished).abs() <= resolution, "{name}: {live} is not {finished}");
        }
    }
    finished
}

#[test]
fn together_and_in_turn() {
    let truths = truths(2_000, MS, (0, 0));
    assert_same("together", &alone(&truths, Mode::Together));
    assert_same("isolated", &alone(&truths, Mode::Isolated));
}

#[test]
fn missing_answers() {
    let mut truths = truths(1_000, MS, (0, 0));
    truths.iter_mut().skip(5).step_by(97).for_each(|one| one.stages[2] = None);
    let inside = assert_same("missing", &alone(&truths, Mode::Together));
    assert_eq!(inside[2].missing, 11);
    for case in [board(&truths), twin(&truths)] {
        let both = assert_same("missing, from outside too", &case);
        assert_eq!((both[4].missing, both[5].missing, both[4].unsure), (11, 11, 0));
    }
}

#[test]
fn latencies_above_a_second() {
    let truths = truths(10_000, MS, (250, 3 * SECOND + SECOND / 2));
    let finished = assert_same("long", &alone(&truths, Mode::Together));
    assert!(finished[2].p99_9_ns > Some(SECOND as i64));
}

/// Makes bursts of 16 triggers that come faster than the user stage can follow.
fn bursts() -> Vec<Truth> {
    let mut truths = truths(1_600, 40_000, (0, 0));
    let one = |(number, one): (usize, &mut Truth)| {
        one.at += number as u64 / 16 * 20 * MS;
        one.stages[2] = one.stages[2].map(|after| after + 70_000);
    };
    truths.iter_mut().enumerate().for_each(one);
    truths
}

#[test]
fn bursts_with_merged_triggers() {
    let mut truths = bursts();
    merge(&mut truths);
    let merged = truths.iter().filter(|one| one.merged).count() as u64;
    assert!(merged > 700);
    for mut case in [board(&truths), twin(&truths)] {
        let burst = Some(Burst { triggers: 16, interval_ns: 40_000 });
        case.plan = case.plan.with_stages(|asked| asked.burst = burst);
        let finished = assert_same("bursts", &case);
        let user = &finished[4..6];
        assert!(user.iter().all(|one| (one.coalesced, one.unsure) == (merged, 0)), "{user:?}");
        assert!(user.iter().all(|one| one.max_ns < Some(90_000)));
    }
}

/// A counter in the driver: every trigger is answered, one after the other.
#[test]
fn counted_bursts() {
    let mut truths = bursts();
    let mut free = 0;
    for one in &mut truths {
        let stamp = one.at + one.entry;
        free = free.max(stamp) + 70_000;
        one.stages[2] = Some(free - stamp);
    }
    for mut case in [board(&truths), twin(&truths)] {
        case.plan = case.plan.with_stages(|asked| {
            asked.burst = Some(Burst { triggers: 16, interval_ns: 40_000 });
            let counter = Compensate::Counter;
            asked.inside = Some(Inside { compensate: counter, ..Inside::default() });
        });
        let finished = assert_same("counted", &case);
        assert!(finished[4..6].iter().all(|one| (one.count, one.unsure) == (1_600, 0)));
    }
}

#[test]
fn both_views_with_late_answers() {
    let mut truths = truths(3_000, MS, (100, 5 * MS / 2));
    merge(&mut truths);
    for case in [board(&truths), twin(&truths)] {
        let finished = assert_same("both views", &case);
        assert_eq!(finished.len(), 6);
        assert!(finished.iter().all(|one| one.unsure == 0));
        assert_eq!((finished[4].coalesced, finished[5].coalesced), (58, 58));
    }
}

#[test]
fn from_outside_only() {
    let truths = truths(3_000, MS, (100, 3 * SECOND / 2));
    let mut case = board(&truths);
    case.plan = case.plan.without_inside();
    case.frames.retain(|(source, _)| *source == Source::Generator);
    let finished = assert_same("outside", &case);
    assert_eq!(finished.len(), 3);
    assert!(finished[2].unsure > 0 && finished[2].max_ns > Some(SECOND as i64));
}

/// Interrupts are off for 3 ms: of each four triggers that come meanwhile three are
/// lost, and the driver's numbers are behind.
#[test]
fn lost_interrupts() {
    let mut truths = truths(2_000, MS, (0, 0));
    for first in (100..1_900).step_by(200) {
        truths[first].entry += 3 * MS + MS / 2;
        (first + 1..first + 4).for_each(|lost| truths[lost].lost = true);
    }
    let on_one_clock = assert_same("lost, one clock", &twin(&truths));
    let irq = &on_one_clock[..2];
    assert_eq!((irq[0].coalesced, irq[0].unsure, irq[1].unsure), (27, 0, 0));
    assert_eq!((irq[0].count, irq[1].count), (1_973, 1_973));
    assert!(irq.iter().all(|one| one.p99_ns < Some(1_000) && one.min_ns >= Some(700)), "{irq:?}");
    let irq = &assert_same("lost, two clocks", &board(&truths))[0];
    assert!(irq.unsure > 1_800, "from the first one on: {irq:?}");
}

/// The log ends before the target's frames: what the generator saw stays, and its triggers
/// are not said to be coalesced.
#[test]
fn a_log_that_was_cut_off_before_the_record() {
    let truths = truths(1_000, MS, (0, 0));
    let mut case = twin(&truths);
    case.frames.retain(|(source, _)| *source == Source::Generator);
    let finished = assert_same("cut off", &case);
    assert_eq!(finished.iter().map(|one| one.count).collect::<Vec<_>>(), [1_000; 3]);
    let (_, summary) = summarised(&case);
    let account = summary.cases[0].account();
    assert_eq!((account.unrecorded, account.coalesced), (1_000, 0));
    assert!(account.holds() && !summary.cases[0].identity_holds);
}
