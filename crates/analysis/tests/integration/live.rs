// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Live figures in memory that does not grow.

use irqscope_analysis::{INTERVALS, LiveCase, WORST, Wanted};
use irqscope_run::Source;
use irqscope_wire::{
    Answer, Cycles, Frame, GeneratorHello, GeneratorKind, Limits, Message, OutsideSample, PROTOCOL,
    Packet, Plan, Seq, Stage, StagePlan, Tick, Totals, View,
};

const STAGES: [Stage; 3] = [Stage::Irq, Stage::Softirq, Stage::User];
const HOUR_OF_SECONDS: u64 = 3600;
const HERTZ: u64 = 1000;
const PERIOD: u64 = 1_000_000_000 / HERTZ;
const OUTLIER: u64 = 1_234_567;
const OUTLIER_NS: u64 = 40_000_000;

fn hello() -> Message {
    let (tick, lines) = (Tick { femtoseconds: 1_000_000 }, STAGES.len() as u8);
    let (kind, tool_version) = (GeneratorKind::Board, "test".into());
    Message::GeneratorHello(GeneratorHello {
        protocol: PROTOCOL,
        kind,
        tool_version,
        tick,
        lines,
        limits: Limits::USUAL,
        challenge: None,
    })
}

fn sample(seq: u64) -> OutsideSample {
    let span = |line: u64| match (seq, line) {
        (OUTLIER, 2) => OUTLIER_NS,
        _ => 1000 + 700 * line + seq % 89,
    };
    OutsideSample {
        seq: Seq(seq),
        trigger: Cycles(5_000 + seq * PERIOD),
        answers: (0..STAGES.len() as u64).map(|line| Answer::Prompt(Cycles(span(line)))).collect(),
        extra: 0,
        widths: Vec::new(),
        window: 0,
    }
}

fn packet(first: u64, samples: u64) -> Message {
    let sent = first + samples;
    let totals = Totals {
        triggers: sent,
        complete: sent,
        edges: 3 * sent,
        answers: 3 * sent,
        ..Totals::default()
    };
    let samples = (first..sent).map(sample).collect();
    Message::Packet(Packet { run: 1, samples, extras: Vec::new(), totals })
}

/// Makes a generator that has been running for long: its frames have large numbers.
fn live(packets: u64, samples: u64) -> LiveCase {
    let (stages, period_ns) = (STAGES.to_vec(), PERIOD);
    let asked = StagePlan { stages, inside: None, period_ns, ..StagePlan::default() };
    let plan = Plan::of_stages(asked);
    let mut live = LiveCase::new(&plan, true);
    live.take(Source::Generator, &Frame { number: 77, message: hello() });
    for index in 0..packets {
        let message = packet(index * samples, samples);
        live.take(Source::Generator, &Frame { number: 78 + index, message });
    }
    live
}

#[test]
fn an_hour_of_virtual_time_leaves_as_much_as_a_minute_and_its_outlier() {
    let size = |seconds: u64| {
        let figures = live(seconds * HERTZ / 250, 250).figures(Wanted::Everything);
        assert_eq!(figures.samples, seconds * HERTZ);
        assert_eq!((figures.frames.missed, figures.account.holds), (0, true));
        let user = figures.series.iter().find(|one| one.stage == Stage::User).unwrap().clone();
        assert_eq!((user.view, user.count), (View::Outside, seconds * HERTZ));
        let course = user.course.clone().unwrap();
        assert!(course.count.len() <= INTERVALS);
        let text = serde_json::to_string(&figures).unwrap();
        (text.len(), user, figures.worst)
    };
    let (minute, ..) = size(60);
    let (hour, user, worst) = size(HOUR_OF_SECONDS);
    assert!(hour < 2 * minute, "{minute} bytes for a minute, {hour} for an hour");
    assert_eq!(user.max_ns, Some(OUTLIER_NS as i64));
    let course = user.course.unwrap();
    let interval = OUTLIER * PERIOD / course.interval_ns as u64;
    assert_eq!(course.max_ns[interval as usize], Some(OUTLIER_NS as i64));
    let longest = worst.iter().find(|one| one.stage == Stage::User).unwrap();
    assert_eq!((longest.seq, longest.latency_ns), (OUTLIER, OUTLIER_NS as i64));
    assert_eq!(worst.len(), WORST * STAGES.len());
}

#[test]
fn a_frame_that_never_came_is_counted() {
    let mut live = live(2, 10);
    live.take(Source::Generator, &Frame { number: 85, message: packet(20, 10) });
    assert_eq!(live.figures(Wanted::Figures).frames.missed, 5);
}

#[test]
fn only_what_is_asked_for_is_drawn() {
    let live = live(1, 10);
    let drawn = |wanted: Wanted<'_>| {
        let figures = live.figures(wanted);
        (figures.series.iter().filter(|one| one.histogram.is_some()).count(), figures.worst.len())
    };
    assert_eq!(drawn(Wanted::Figures), (0, 0));
    assert_eq!(drawn(Wanted::Series(&[(Stage::Irq, View::Outside)])), (1, 30));
    assert_eq!(drawn(Wanted::Everything), (3, 30));
}

#[test]
fn lines_that_nobody_can_name_are_not_guessed() {
    let stages = vec![Stage::Irq];
    let plan = Plan::of_stages(StagePlan { stages, inside: None, ..StagePlan::default() });
    let mut live = LiveCase::new(&plan, true);
    live.take(Source::Generator, &Frame { number: 0, message: hello() });
    live.take(Source::Generator, &Frame { number: 1, message: packet(0, 5) });
    let figures = live.figures(Wanted::Everything);
    assert_eq!((figures.series.len(), figures.samples), (0, 5));
}
