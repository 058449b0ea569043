// SPDX-License-Identifier: Apache-2.0 OR MIT
//! From steps to knees that are known beforehand.

use crate::synthetic;
use std::path::Path;

use crate::synthetic::generator::{seen, send};
use crate::synthetic::{Sender, answered, draft, plan, sample};
use irqscope_analysis::{CaseSummary, Knee, Summary, Sweep, check, derive};
use irqscope_run::RunDir;
use irqscope_wire::{
    Answer, Counters, Cycles, Message, Outcome, Outside, Plan, Response, Sample, Stage, Trigger,
};

const STAGES: [Stage; 2] = [Stage::Irq, Stage::User];

/// Makes a run of one step, of two triggers.
fn step(path: &Path, samples: Vec<Sample>, coalesced: u64) -> RunDir {
    let outside = Some(Outside::default());
    let plan = plan("6.1/idle/1kHz", &STAGES, 2);
    let plan = plan.with_stages(|asked| (asked.trigger, asked.outside) = (Trigger::Line, outside));
    let mut draft = draft(&[Plan { instruction: None, ..plan }]);
    draft.cases[0].step_of = Some("6.1/idle".into());
    let run = RunDir::create(path, &draft).unwrap();
    let mut target = Sender::new(&run, 0);
    target.open("6.1.0", &STAGES);
    target.send(Message::Samples(samples));
    let complete = 2 - coalesced;
    target.send(Message::Finished(Counters {
        triggers: 2,
        complete,
        coalesced,
        ..Counters::default()
    }));
    let user = |seq| if seq < complete { Answer::Prompt(Cycles(9_000)) } else { Answer::Missing };
    let edges = (0..2).map(|seq| seen(seq, vec![Answer::Prompt(Cycles(900)), user(seq)]));
    send(&run, 2, edges.collect(), vec![]);
    run
}

fn pair(seq: u64, user: Outcome) -> Sample {
    sample(seq, vec![answered(Stage::Irq, 100, 0), Response { stage: Stage::User, outcome: user }])
}

const ANSWERED: Outcome =
    Outcome::Answered { latency: 4_000, cpu: 0, interrupts: 0, executed: None };

fn good() -> Summary {
    let parent = tempfile::tempdir().unwrap();
    let samples = (0..2).map(|seq| pair(seq, ANSWERED)).collect();
    derive(&step(&parent.path().join("run"), samples, 0)).unwrap()
}

/// Steps at 1, 2, 4, … kHz, each changed as it is said.
fn swept(changes: &[fn(&mut CaseSummary)]) -> Sweep {
    let mut summary = good();
    let one = summary.cases.remove(0);
    for (index, change) in changes.iter().enumerate() {
        let mut case = CaseSummary { case: format!("6.1/idle/{index}"), ..one.clone() };
        case.outside.as_mut().unwrap().period_ns = 1_000_000 >> index;
        change(&mut case);
        summary.cases.push(case);
    }
    Sweep::of(&summary).unwrap()
}

fn knee(changes: &[fn(&mut CaseSummary)], stage: Stage) -> Knee {
    swept(changes).of_stage(stage).next().unwrap().knee
}

const SAME: fn(&mut CaseSummary) = |_| {};
/// One merged response of the last stage.
const MERGED: fn(&mut CaseSummary) = |case| {
    let user = case.stages.iter_mut().find(|one| one.stage == Stage::User).unwrap();
    (user.coalesced, user.count) = (1, user.count - 1);
};

#[test]
fn the_knee_is_the_last_step_before_the_first_at_which_a_stage_does_not_keep_up() {
    let changes = [SAME, SAME, MERGED, SAME];
    let expected = Knee::At { frequency_hz: 2_000.0, next_hz: 4_000.0, ratio: 2.0 };
    assert_eq!(knee(&changes, Stage::User), expected);
    assert_eq!(knee(&changes, Stage::Irq), Knee::Beyond { frequency_hz: 8_000.0 });
    let sweep = swept(&changes);
    let user = sweep.of_stage(Stage::User).next().unwrap();
    assert_eq!(user.at_knee().unwrap().frequency_hz, 2_000.0);
    let beyond = user.beyond_knee().unwrap();
    assert_eq!((beyond.coalesced, beyond.count, beyond.triggers), (1, 1, 2));
    let kept: Vec<bool> = user.points.iter().map(|point| point.keeps_up).collect();
    assert_eq!(kept, [true, true, false, true]);
    assert_eq!((sweep.ratio(), sweep.cases()), (Some(2.0), vec!["6.1/idle"]));
}

#[test]
fn a_stage_that_fails_at_the_first_step_has_its_knee_below_it() {
    assert_eq!(knee(&[MERGED, SAME], Stage::User), Knee::Below { next_hz: 1_000.0 });
}

#[test]
fn steps_are_put_in_the_order_of_their_frequencies() {
    let faster: fn(&mut CaseSummary) = |case| case.outside.as_mut().unwrap().period_ns = 100_000;
    let points = swept(&[faster, SAME]).series.remove(0).points;
    let frequencies: Vec<f64> = points.iter().map(|point| point.frequency_hz).collect();
    assert_eq!(frequencies, [2_000.0, 10_000.0]);
}

#[test]
fn nothing_may_be_amiss_at_a_step_that_is_kept_up_with() {
    let amiss: [fn(&mut CaseSummary); 9] = [
        |case| case.stages.iter_mut().for_each(|stage| stage.coalesced = 1),
        |case| case.stages.iter_mut().for_each(|stage| stage.missing = 1),
        |case| case.stages.iter_mut().for_each(|stage| stage.unsure = 1),
        |case| case.stages.iter_mut().for_each(|stage| stage.count -= 1),
        |case| case.outside.as_mut().unwrap().lost_interrupts = Some(1),
        |case| case.outside.as_mut().unwrap().dropped = 1,
        |case| case.skipped = 1,
        |case| case.identity_holds = false,
        |case| case.stages.clear(),
    ];
    for (index, change) in amiss.into_iter().enumerate() {
        let expected = Knee::At { frequency_hz: 1_000.0, next_hz: 2_000.0, ratio: 2.0 };
        assert_eq!(knee(&[SAME, change], Stage::Irq), expected, "{index}");
    }
}

#[test]
fn a_step_that_nobody_saw_from_outside_has_no_valid_point() {
    let blind: fn(&mut CaseSummary) = |case| {
        case.outside = None;
        case.period_ns = Some(500_000);
    };
    let sweep = swept(&[SAME, blind]);
    let points = &sweep.of_stage(Stage::User).next().unwrap().points;
    assert_eq!((points[1].frequency_hz, points[1].invalid), (2_000.0, true));
    assert!(!points[1].keeps_up && points[0].keeps_up);
}

#[test]
fn a_generator_without_settings_leaves_the_period_that_was_asked_for() {
    let silent: fn(&mut CaseSummary) = |case| {
        case.outside.as_mut().unwrap().period_ns = 0;
        case.period_ns = Some(500_000);
    };
    let sweep = swept(&[SAME, silent]);
    let points = &sweep.of_stage(Stage::User).next().unwrap().points;
    assert_eq!((points[1].frequency_hz, points[1].period_ns), (2_000.0, 500_000));
}

#[test]
fn a_sweep_is_written_and_its_overload_is_no_warning() {
    let parent = tempfile::tempdir().unwrap();
    let samples = vec![pair(0, ANSWERED), pair(1, Outcome::Coalesced)];
    let run = step(&parent.path().join("run"), samples, 1);
    let summary = derive(&run).unwrap();
    check(&summary).unwrap();
    assert_eq!(summary.cases[0].warnings, Vec::<String>::new());
    let sweep = Sweep::read(&run).unwrap();
    assert_eq!(Sweep::of(&summary).unwrap(), sweep);
    let user = sweep.of_stage(Stage::User).next().unwrap();
    assert_eq!((user.knee, user.points[0].coalesced), (Knee::Below { next_hz: 1_000.0 }, 1));
    let irq = &sweep.of_stage(Stage::Irq).next().unwrap().points[0];
    assert_eq!((irq.p50_ns, irq.max_ns), (None, Some(900)), "two have no median");
}

#[test]
fn a_run_that_is_no_sweep_has_none() {
    let parent = tempfile::tempdir().unwrap();
    let run = synthetic::demo(&parent.path().join("run"), 50);
    assert!(Sweep::of(&derive(&run).unwrap()).is_none());
    assert!(!run.path().join("sweep.json").exists());
}

#[test]
fn what_all_steps_say_is_told_once_by_the_name_of_the_case() {
    let mut summary = good();
    let one = summary.cases.remove(0);
    for (case, warnings) in [("a", ["x", "y"]), ("b", ["x", "z"])] {
        let warnings = warnings.map(str::to_owned).to_vec();
        summary.cases.push(CaseSummary { case: case.into(), warnings, ..one.clone() });
    }
    let told = summary.told(|case| &case.warnings);
    let told: Vec<(&str, &str)> = told.iter().map(|(name, text)| (name.as_str(), *text)).collect();
    assert_eq!(told, [("6.1/idle", "x"), ("a", "y"), ("b", "z")]);
}
