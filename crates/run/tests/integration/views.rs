// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Joining what the generator saw with what the target recorded.

use crate::synthetic;
use crate::synthetic::generator::{hello, seen, send};
use crate::synthetic::{Sender, answered, draft, plan, sample};
use irqscope_run::{
    CaseData, FLAG_COALESCED, FLAG_LATE, FLAG_MISSING, FLAG_UNSURE, FLAG_WINDOW, RunDir, SampleRow,
    Source,
};
use irqscope_wire::{
    Answer, Calibration, Counters, Cycles, ExtraEdge, Frame, Loopback, Message, Outcome, Outside,
    OutsideSample, Plan, Response, Sample, Stage, Trigger, View, encode,
};

const STAGES: [Stage; 2] = [Stage::Irq, Stage::User];
const MS: u64 = 1_000_000;

fn line_plan() -> Plan {
    let plan = plan("6.1/idle", &STAGES, 4);
    let outside = Some(Outside::default());
    let plan = plan.with_stages(|asked| (asked.trigger, asked.outside) = (Trigger::Line, outside));
    Plan { tick: None, instruction: None, ..plan }
}

/// Makes a run with both streams; the target's ticks are 2 ns.
fn joined(
    plan: Plan,
    lines: u8,
    inside: Vec<Sample>,
    outside: Vec<OutsideSample>,
    extras: Vec<ExtraEdge>,
) -> CaseData {
    let parent = tempfile::tempdir().unwrap();
    let run = RunDir::create(parent.path().join("run"), &draft(&[plan])).unwrap();
    let mut target = Sender::new(&run, 0);
    target.open("6.1.0", &STAGES);
    let counters = Counters { triggers: inside.len() as u64, ..Counters::default() };
    target.send(Message::Samples(inside));
    target.send(Message::Finished(counters));
    send(&run, lines, outside, extras);
    run.case(&run.index().unwrap(), 0).unwrap()
}

fn user(data: &CaseData, view: View) -> Vec<(u64, Option<i64>, u32)> {
    let of_user = |row: &&SampleRow| row.stage == Stage::User && row.view == view;
    let seen = |row: &SampleRow| (row.seq, row.latency.map(|latency| latency.0), row.flags);
    data.rows.iter().filter(of_user).map(seen).collect()
}

fn pair(seq: u64, user: Outcome) -> Sample {
    sample(seq, vec![answered(Stage::Irq, 100, 0), Response { stage: Stage::User, outcome: user }])
}

fn inside(latency: i64) -> Outcome {
    Outcome::Answered { latency, cpu: 3, interrupts: 0, executed: None }
}

fn prompt(span: u64) -> Answer {
    Answer::Prompt(Cycles(span))
}

#[test]
fn both_views_of_a_sample_stand_beside_each_other() {
    let record = (0..2).map(|seq| pair(seq, inside(2_000))).collect();
    let edges = (0..2).map(|seq| seen(seq, vec![prompt(900), prompt(5_000 + seq)])).collect();
    let data = joined(line_plan(), 2, record, edges, vec![]);
    assert_eq!(user(&data, View::Outside), [(0, Some(5_000), 0), (1, Some(5_001), 0)]);
    assert_eq!(user(&data, View::Inside), [(0, Some(4_000), 0), (1, Some(4_000), 0)]);
    assert!(data.rows.is_sorted_by_key(SampleRow::key));
    let outside = data.rows.iter().find(|row| row.view == View::Outside).unwrap();
    assert_eq!((outside.stage, outside.cpu), (Stage::Irq, Some(0)), "the CPU is the record's");
}

/// Makes a merged trigger: trigger 1 was merged into the run that answered trigger 0, which came
/// 1.5 ms late; from outside all later answers are one trigger too late.
fn merged() -> (Vec<Sample>, Vec<OutsideSample>) {
    let record = vec![
        pair(0, inside(750_000)),
        pair(1, Outcome::Coalesced),
        pair(2, inside(2_500)),
        pair(3, inside(2_500)),
    ];
    let late = |span| Answer::Late(Cycles(span));
    let edges = vec![
        seen(0, vec![prompt(900), late(MS + MS / 2)]),
        seen(1, vec![prompt(900), late(MS + 5_000)]),
        seen(2, vec![prompt(900), late(MS + 5_000)]),
        seen(3, vec![prompt(900), Answer::Missing]),
    ];
    (record, edges)
}

#[test]
fn what_the_target_merged_is_paired_again_with_its_record() {
    let (record, edges) = merged();
    let data = joined(line_plan(), 2, record, edges, vec![]);
    let expected = [
        (0, Some((MS + MS / 2) as i64), FLAG_LATE),
        (1, None, FLAG_COALESCED),
        (2, Some(5_000), 0),
        (3, Some(5_000), 0),
    ];
    assert_eq!(user(&data, View::Outside), expected);
    assert_eq!(data.fit.unsure, 0);
}

#[test]
fn how_a_response_was_measured_goes_with_its_edge() {
    let (record, mut edges) = merged();
    edges[1].window = 0b10;
    let flags = |record, edges: &[OutsideSample]| {
        let data = joined(line_plan(), 2, record, edges.to_vec(), vec![]);
        let flags = user(&data, View::Outside).into_iter().map(|(_, _, flags)| flags & FLAG_WINDOW);
        flags.collect::<Vec<u32>>()
    };
    assert_eq!(flags(vec![], &edges), [0, FLAG_WINDOW, 0, 0]);
    assert_eq!(flags(record, &edges), [0, 0, FLAG_WINDOW, 0], "paired again");
}

#[test]
fn what_is_a_generators_own_of_a_latency_is_subtracted_paired_again_or_not() {
    let loopback = Loopback { offset: 40, lowest: 39, highest: 42, measurements: 256 };
    let calibration = Calibration { lines: vec![None, Some(loopback)] };
    let latencies = |plan: Plan, record: Vec<Sample>| {
        let parent = tempfile::tempdir().unwrap();
        let run = RunDir::create(parent.path().join("run"), &draft(&[plan])).unwrap();
        let mut target = Sender::new(&run, 0);
        target.open("6.1.0", &STAGES);
        target.send(Message::Samples(record));
        let edges = (0..2).map(|seq| seen(seq, vec![prompt(900), prompt(5_000)])).collect();
        // A generator sends it before its runs.
        for (number, message) in
            [Message::GeneratorHello(hello(2)), Message::Calibration(calibration.clone())]
                .into_iter()
                .enumerate()
        {
            let frame = Frame { number: number as u64, message };
            run.log().append(0, Source::Generator, &encode(&frame).unwrap()).unwrap();
        }
        send(&run, 2, edges, vec![]);
        let data = run.case(&run.index().unwrap(), 0).unwrap();
        let outside = data.rows.iter().filter(|row| row.view == View::Outside);
        let told = data.outside.as_ref().unwrap().facts().unwrap().calibration;
        assert_eq!((told[0], told[1].unwrap().highest_ns), (None, 42.0));
        outside.map(|row| row.latency.unwrap().0).collect::<Vec<i64>>()
    };
    let expected = [900, 4_960, 900, 4_960];
    assert_eq!(latencies(line_plan().without_inside(), vec![]), expected);
    let record = (0..2).map(|seq| pair(seq, inside(2_000))).collect();
    assert_eq!(latencies(line_plan(), record), expected);
}

#[test]
fn without_a_record_late_answers_stay_upper_bounds_and_say_so() {
    let (_, edges) = merged();
    let blind = line_plan().without_inside();
    let data = joined(blind, 2, vec![], edges, vec![]);
    let unsure = FLAG_LATE | FLAG_UNSURE;
    let expected = [
        (0, Some((MS + MS / 2) as i64), unsure),
        (1, Some((MS + 5_000) as i64), unsure),
        (2, Some((MS + 5_000) as i64), unsure),
        (3, None, FLAG_MISSING),
    ];
    assert_eq!(user(&data, View::Outside), expected);
    assert_eq!(data.fit.unsure, 3);
}

#[test]
fn an_edge_too_many_is_counted_and_answers_nothing() {
    let (record, edges) = merged();
    let extras = vec![ExtraEdge { line: 1, at: Cycles(3 * MS + 9_000) }];
    let data = joined(line_plan(), 2, record, edges, extras);
    assert_eq!(data.fit.extra, 1);
    let latencies = user(&data, View::Outside).into_iter().map(|(_, latency, _)| latency);
    let expected = [Some((MS + MS / 2) as i64), None, Some(5_000), Some(5_000)];
    assert_eq!(latencies.collect::<Vec<_>>(), expected);
}

#[test]
fn answers_that_are_out_together_with_an_edge_too_many_are_unsure() {
    let record = (0..3).map(|seq| pair(seq, inside(750_000 + 500_000 * seq as i64))).collect();
    let late = |span| Answer::Late(Cycles(span));
    let edges = vec![
        seen(0, vec![prompt(900), late(MS + MS / 2)]),
        seen(1, vec![prompt(900), late(MS + MS / 3)]),
        seen(2, vec![prompt(900), prompt(MS / 2)]),
    ];
    let extras = vec![ExtraEdge { line: 1, at: Cycles(2 * MS + 9_000) }];
    let data = joined(line_plan(), 2, record, edges, extras);
    assert_eq!((data.fit.extra, data.fit.unsure), (1, 2), "four edges for three answers");
}

#[test]
fn other_lines_than_stages_give_no_row_from_outside() {
    let record = vec![pair(0, inside(2_000))];
    let edges = vec![seen(0, vec![prompt(900); 3])];
    let data = joined(line_plan(), 3, record, edges, vec![]);
    assert_eq!(data.fit.other_lines, Some((3, 2)));
    assert!(user(&data, View::Outside).is_empty());
}

#[test]
fn on_one_clock_the_inside_view_counts_from_the_true_trigger() {
    // The handler stamps the counter 300 ticks after the pin went up.
    let record = vec![Sample { trigger_cycles: Cycles(MS + 300), ..pair(1, inside(4_000)) }];
    let edges = vec![seen(1, vec![prompt(350), prompt(4_400)])];
    let nanosecond = irqscope_wire::Tick { femtoseconds: 1_000_000 };
    let twin = Plan { tick: Some(nanosecond), instruction: Some(synthetic::TICK), ..line_plan() };
    let data = joined(twin, 2, record, edges, vec![]);
    assert_eq!(user(&data, View::Inside), [(1, Some(4_300), 0)]);
    assert_eq!(user(&data, View::Outside), [(1, Some(4_400), 0)]);
}
