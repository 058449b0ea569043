// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A generator whose hardware is given triggers ahead of their time: what it reports of those that
//! were made, were not, or came too late.

use crate::limits::LIMITS;
use irqscope_generator::{Act, Generator, Match, Slot};
use irqscope_wire::{
    Answer, Changes, Command, Cycles, Refusal, RunState, Seq, Setting, StartAt, Tick,
};

const MS: u64 = 1_000_000;

/// Runs, on hardware that keeps the grid.
fn ahead(lines: u8, count: u64) -> Generator<[Slot; 8]> {
    let tick = Tick { femtoseconds: 1_000_000 };
    let generator = Generator::new([Slot::EMPTY; 8], lines, LIMITS, tick, 500);
    let mut generator = generator.with_hardware_grid(8);
    generator.command(Changes::default().count(count), 0).unwrap();
    generator.command(Changes::default().timeout(Cycles(MS)), 0).unwrap();
    generator.command(Command::Start(StartAt::Now), 0).unwrap();
    generator
}

#[test]
fn hardware_that_keeps_the_grid_is_never_told_to_raise_and_rounds_high_times_down() {
    let mut generator = ahead(1, 2);
    assert_eq!(generator.settings().high, Cycles(250_000));
    generator.command(Changes::default().duty(1), 0).unwrap();
    assert_eq!(generator.settings().high, Cycles(1_000));
    generator.command(Changes::default().period(Cycles(1_005_000)), 0).unwrap();
    assert_eq!(generator.settings().high, Cycles(1_000), "1,005 is no multiple of 8");
    assert_eq!((generator.due(), generator.tick(10 * MS)), (None, Act::Nothing));
}

#[test]
fn a_trigger_that_was_made_has_its_instant_and_ends_the_run_with_the_last() {
    let mut generator = ahead(1, 2);
    assert_eq!(generator.record_trigger(100), Seq(0));
    assert_eq!(generator.expected_trigger(0), Some(Seq(0)));
    assert_eq!(generator.edge(0, 140), Some(Match::Answer(Seq(0))));
    assert_eq!((generator.record_trigger(5_000), generator.state()), (Seq(1), RunState::Draining));
    generator.edge(0, 5_041);
    let slot = generator.take().unwrap();
    assert_eq!((slot.at, slot.answers[0]), (100, Some(Answer::Prompt(Cycles(40)))));
    // Until the last one's line is down again.
    let end = 5_000 + generator.settings().high.0;
    assert_eq!(generator.due(), Some(end));
    generator.tick(end);
    assert_eq!(generator.state(), RunState::Done);
    assert_eq!(generator.take().unwrap().answers[0], Some(Answer::Prompt(Cycles(41))));
    assert_eq!(generator.status().totals.complete, 2);
}

#[test]
fn a_trigger_that_is_made_gives_up_what_has_waited_too_long() {
    let mut generator = ahead(1, 3);
    generator.record_trigger(100);
    generator.record_trigger(100 + MS);
    assert_eq!(generator.take().unwrap().answers[0], Some(Answer::Missing));
    assert_eq!(generator.expected_trigger(0), Some(Seq(1)));
}

#[test]
fn a_trigger_without_room_is_counted_as_dropped_whether_made_or_not() {
    let mut generator = ahead(1, 11);
    generator.record_dropped_trigger();
    for n in 0..9 {
        generator.record_trigger(100 + n);
    }
    generator.record_dropped_trigger();
    assert_eq!(generator.state(), RunState::Draining);
    let totals = generator.status().totals;
    assert_eq!((totals.triggers, totals.dropped, totals.open), (11, 3, 8));
    assert!(totals.identity_holds());
}

#[test]
fn a_line_that_is_not_in_use_is_not_waited_for_and_its_edges_are_nobodys() {
    let mut generator = ahead(2, 1);
    let change = generator.command(Changes::default().lines(1), 0);
    assert_eq!(change, Err(Refusal::RunActive { setting: Setting::Lines }));
    generator.finish();
    generator.command(Changes::default().lines(1), 0).unwrap();
    generator.command(Command::Start(StartAt::Now), 0).unwrap();
    generator.record_trigger(100);
    assert_eq!(generator.edge(1, 110), None);
    assert_eq!(generator.edge(0, 120), Some(Match::Answer(Seq(0))));
    generator.tick(MS);
    assert!(generator.take().is_some());
    let totals = generator.status().totals;
    assert_eq!((generator.lines(), totals.complete, totals.edges), (1, 1, 1));
}

#[test]
fn points_without_a_trigger_are_counted_and_are_no_triggers() {
    let mut generator = ahead(1, 5);
    generator.record_skipped(3);
    generator.record_skipped(4);
    let totals = generator.status().totals;
    assert_eq!((totals.skipped, totals.triggers), (7, 0));
}

#[test]
fn edges_that_were_lost_end_the_run_and_drop_what_is_open() {
    let mut generator = ahead(1, 5);
    for n in 0..3 {
        generator.record_trigger(100 + n);
    }
    generator.edge(0, 110);
    assert!(generator.take().is_some());
    generator.abort_run();
    assert_eq!((generator.state(), generator.edge(0, 120)), (RunState::Done, None));
    let totals = generator.status().totals;
    assert_eq!((totals.triggers, totals.complete, totals.dropped, totals.open), (3, 1, 2, 0));
    assert!(totals.identity_holds());
    generator.abort_run();
    assert_eq!(generator.status().totals, totals, "once is enough");
}

#[test]
fn an_answer_that_was_seen_exactly_says_so_in_its_own_sample_only() {
    let mut generator = ahead(2, 2);
    let first = generator.record_trigger(100);
    generator.edge(1, 140);
    generator.mark_exact(1, first);
    generator.edge(0, 150);
    generator.record_trigger(5_000);
    assert_eq!(generator.take().unwrap().window, 0b10);
    for line in 0..2 {
        generator.edge(line, 5_100);
    }
    generator.mark_exact(0, first);
    generator.tick(10 * MS);
    assert_eq!(generator.take().unwrap().window, 0);
}
