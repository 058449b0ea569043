// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A run on a clock that the tests move.

#[path = "../../tests/limits/mod.rs"]
mod limits;

use super::*;
use irqscope_wire::{Answer, Changes};
pub use limits::LIMITS;

const MS: u64 = 1_000_000;

fn running(lines: u8, count: u64) -> Generator<[Slot; 8]> {
    let tick = Tick { femtoseconds: 1_000_000 };
    let mut generator = Generator::new([Slot::EMPTY; 8], lines, LIMITS, tick, 500);
    generator.command(Changes::default().count(count), 0).unwrap();
    generator.command(Command::Start(StartAt::Now), 0).unwrap();
    generator
}

/// Calls tick until nothing is due by `until`; instants of raises.
fn advance(generator: &mut Generator<[Slot; 8]>, until: u64) -> Vec<u64> {
    let mut raised = Vec::new();
    while let Some(due) = generator.due().filter(|due| *due <= until) {
        if generator.tick(due) == Act::Raise {
            raised.push(due);
        }
    }
    raised
}

#[test]
fn triggers_stand_on_the_grid_and_the_line_is_up_for_the_duty() {
    let mut generator = running(1, 3);
    assert_eq!(generator.tick(MS - 1), Act::Nothing);
    assert_eq!(generator.tick(MS), Act::Raise);
    assert_eq!(generator.due(), Some(MS + 250_000));
    assert_eq!(generator.tick(MS + 250_000), Act::Lower);
    assert_eq!(generator.due(), Some(2 * MS));
}

#[test]
fn a_response_slower_than_the_period_still_belongs_to_its_trigger() {
    let mut generator = running(1, 3);
    assert_eq!(advance(&mut generator, 3 * MS), [MS, 2 * MS, 3 * MS]);
    for at in [3 * MS + 1, 3 * MS + 2, 3 * MS + 3] {
        generator.edge(0, at);
    }
    advance(&mut generator, 5 * MS);
    let answers: Vec<_> = core::iter::from_fn(|| generator.take()).map(|s| s.answers[0]).collect();
    let late = |span| Some(Answer::Late(Cycles(span)));
    assert_eq!(answers, [late(2 * MS + 1), late(MS + 2), Some(Answer::Prompt(Cycles(3)))]);
    assert_eq!(generator.state(), RunState::Done);
    assert_eq!(generator.status().totals.complete, 3);
}

#[test]
fn a_full_window_drops_the_trigger_and_leaves_the_line_alone() {
    let mut generator = running(1, 10);
    assert_eq!(advance(&mut generator, 100 * MS).len(), 8);
    let totals = generator.status().totals;
    assert_eq!((totals.triggers, totals.dropped, totals.open), (10, 2, 8));
    assert!(totals.identity_holds());
}

#[test]
fn a_target_that_never_arms_gets_no_trigger() {
    let mut generator = running(1, 3);
    generator.command(Command::Stop, 0).unwrap();
    advance(&mut generator, 5 * MS);
    generator.command(Command::Start(StartAt::Armed), 5 * MS).unwrap();
    assert_eq!(generator.due(), None);
    generator.target_armed(6 * MS);
    assert_eq!(generator.due(), Some(6 * MS + 500));
    generator.target_disarmed();
    assert_eq!(generator.due(), None);
}

#[test]
fn a_target_that_is_armed_already_is_not_waited_for() {
    let mut generator = running(1, 3);
    generator.command(Command::Stop, 0).unwrap();
    advance(&mut generator, 5 * MS);
    generator.target_armed(5 * MS);
    generator.command(Command::Start(StartAt::Armed), 6 * MS).unwrap();
    assert_eq!(generator.due(), Some(6 * MS + 500));
    generator.target_disarmed();
    assert_eq!((generator.due(), generator.state()), (None, RunState::Waiting));
}

#[test]
fn a_target_that_has_ended_its_run_answers_nothing_any_more() {
    let mut generator = running(1, 2);
    generator.target_armed(0);
    assert_eq!(advance(&mut generator, 2 * MS), [MS, 2 * MS]);
    assert!(generator.edge(0, 2 * MS + 7).is_some());
    generator.target_disarmed();
    assert_eq!(generator.edge(0, 2 * MS + 8), None);
    let outcomes: Vec<_> = core::iter::from_fn(|| generator.take()).map(|s| s.outcome()).collect();
    assert_eq!(outcomes, [Outcome::Complete, Outcome::Missing]);
    assert_eq!((generator.state(), generator.status().totals.extra), (RunState::Done, 0));
    let high = generator.status().settings.high.0;
    assert_eq!((generator.due(), generator.tick(3 * MS)), (Some(2 * MS + high), Act::Lower));
}

#[test]
fn a_caller_who_comes_late_skips_points_and_keeps_the_grid() {
    let mut generator = running(1, 3);
    assert_eq!(generator.tick(3 * MS + 5), Act::Raise);
    assert_eq!(generator.status().totals.skipped, 2);
    assert_eq!(advance(&mut generator, 4 * MS), [4 * MS]);
}

#[test]
fn a_trigger_counts_from_when_the_line_really_went_up() {
    let mut generator = running(1, 2);
    assert_eq!(generator.tick(MS), Act::Raise);
    generator.set_trigger_time(MS + 40);
    generator.edge(0, MS + 100);
    advance(&mut generator, 3 * MS);
    let slot = generator.take().unwrap();
    assert_eq!((slot.at, slot.answers[0]), (MS + 40, Some(Answer::Prompt(Cycles(60)))));
}

#[test]
fn a_trigger_that_met_one_still_pending_is_coalesced_and_leaves_the_edge_to_it() {
    let mut generator = running(2, 2);
    assert_eq!(generator.tick(MS), Act::Raise);
    advance(&mut generator, 2 * MS);
    generator.coalesce_youngest();
    (0..2).for_each(|line| assert!(generator.edge(line, 2 * MS + 9).is_some()));
    advance(&mut generator, 4 * MS);
    let outcomes: Vec<_> = core::iter::from_fn(|| generator.take()).map(|s| s.outcome()).collect();
    assert_eq!(outcomes, [Outcome::Complete, Outcome::Coalesced]);
    let totals = generator.status().totals;
    assert!(totals.identity_holds() && totals.coalesced == 1 && totals.extra == 0);
}

#[test]
fn closed_pacing_skips_points_while_a_sample_is_open() {
    let mut generator = running(1, 3);
    generator.command(Command::Stop, 0).unwrap();
    advance(&mut generator, 2 * MS);
    generator.command(Changes::default().pacing(Pacing::Closed), 0).unwrap();
    generator.command(Command::Start(StartAt::Now), 0).unwrap();
    assert_eq!(advance(&mut generator, 4 * MS), [MS]);
    generator.edge(0, 4 * MS + 7);
    assert_eq!(advance(&mut generator, 5 * MS), [5 * MS]);
    assert_eq!(generator.status().totals.skipped, 3);
}

#[test]
fn what_never_answers_is_missing_after_the_timeout() {
    let mut generator = running(2, 1);
    advance(&mut generator, MS);
    generator.edge(0, MS + 9);
    advance(&mut generator, 11_000 * MS);
    let slot = generator.take().unwrap();
    assert_eq!(slot.answers[..2], [Some(Answer::Prompt(Cycles(9))), Some(Answer::Missing)]);
    assert_eq!((slot.outcome(), generator.state()), (Outcome::Missing, RunState::Done));
}
