// SPDX-License-Identifier: Apache-2.0 OR MIT
//! From a made-up log to figures that are known beforehand.

use crate::synthetic;
use std::path::Path;

use crate::synthetic::{Sender, answered, draft, plan, sample};
use irqscope_analysis::{AnalysisError, CaseSummary, Summary, check, derive};
use irqscope_run::RunDir;
use irqscope_wire::{Account, Counters, Message, Outcome, Response, Sample, Stage, View};

const STAGES: [Stage; 2] = [Stage::Irq, Stage::User];

/// Makes a run of one case whose driver counted `counters`.
fn run_of(path: &Path, samples: Vec<Sample>, counters: Option<Counters>) -> RunDir {
    let run = RunDir::create(path, &draft(&[plan("6.1/idle", &STAGES, 9)])).unwrap();
    let mut target = Sender::new(&run, 0);
    target.open("6.1.0", &STAGES);
    target.send(Message::Samples(samples));
    if let Some(counters) = counters {
        target.send(Message::Finished(counters));
    }
    run
}

fn derived(samples: Vec<Sample>, counters: Option<Counters>) -> (Summary, CaseSummary) {
    let parent = tempfile::tempdir().unwrap();
    let run = run_of(&parent.path().join("run"), samples, counters);
    let summary = derive(&run).unwrap();
    assert_eq!(Summary::read(&run).unwrap(), summary, "what is read is what was written");
    let case = summary.cases[0].clone();
    (summary, case)
}

fn pair(seq: u64, irq: i64, user: Outcome) -> Sample {
    sample(seq, vec![answered(Stage::Irq, irq, 0), Response { stage: Stage::User, outcome: user }])
}

fn late(latency: i64) -> Outcome {
    Outcome::Answered { latency, cpu: 0, interrupts: 2, executed: None }
}

/// Makes one complete, one missing, one merged, one dropped (sequence number 3).
fn mixed() -> (Vec<Sample>, Counters) {
    let samples = vec![
        pair(0, 100, late(1000)),
        pair(1, 200, Outcome::Missing),
        pair(2, 300, Outcome::Coalesced),
        pair(4, 400, late(3000)),
    ];
    let counters = Counters {
        triggers: 5,
        complete: 2,
        missing: 1,
        coalesced: 1,
        dropped: 1,
        ..Counters::default()
    };
    (samples, counters)
}

#[test]
fn a_summary_of_another_version_is_refused() {
    let parent = tempfile::tempdir().unwrap();
    let run = run_of(&parent.path().join("run"), Vec::new(), None);
    let version = derive(&run).unwrap().version;
    let path = run.path().join("summary.json");
    let [ours, other] = [version, version - 1].map(|version| format!("\"version\": {version}"));
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replacen(&ours, &other, 1)).unwrap();
    let refused = Summary::read(&run).unwrap_err().to_string();
    assert!(refused.contains("of version") && refused.contains("irqscope report"), "{refused}");
}

#[test]
fn every_trigger_is_counted_once_and_every_figure_is_right() {
    let (samples, counters) = mixed();
    let (summary, case) = derived(samples, Some(counters));
    check(&summary).unwrap();
    assert!(case.identity_holds && case.finished && case.twin);
    assert_eq!(case.account(), Account::from(counters));
    assert_eq!((case.missing[&Stage::Irq], case.missing[&Stage::User]), (0, 1));
    let irq = case.stage(Stage::Irq, View::Inside).unwrap();
    let shown = (irq.count, irq.min_ns, irq.p50_ns, irq.max_ns, irq.mean_ns);
    assert_eq!(shown, (4, Some(200), None, Some(800), Some(500.0)), "four have no median");
    assert_eq!((irq.cost_instructions, irq.cost_ns), (Some(20), Some(40)));
    let user = case.stage(Stage::User, View::Inside).unwrap();
    assert_eq!((user.count, user.hit, user.missing, user.coalesced), (2, 2, 1, 1));
}

#[test]
fn a_sample_lost_on_the_way_invalidates_the_measurement() {
    let (mut samples, counters) = mixed();
    samples.remove(1);
    let (summary, case) = derived(samples, Some(counters));
    assert!(!case.identity_holds);
    let error = check(&summary).unwrap_err();
    assert!(matches!(error, AnalysisError::InvalidMeasurement { .. }));
    assert!(error.to_string().contains("6.1/idle: the driver counted 4 samples"), "{error}");
}

#[test]
fn counters_that_do_not_add_up_invalidate_the_measurement() {
    let (samples, counters) = mixed();
    let (summary, _) = derived(samples, Some(Counters { triggers: 6, dropped: 1, ..counters }));
    let text = check(&summary).unwrap_err().to_string();
    assert!(text.contains("do not add up"), "{text}");
}

#[test]
fn a_clock_that_runs_backwards_invalidates_the_measurement() {
    let counters = Counters { triggers: 1, complete: 1, ..Counters::default() };
    let (summary, _) = derived(vec![pair(0, -7, late(5))], Some(counters));
    assert!(check(&summary).unwrap_err().to_string().contains("negative"));
}

#[test]
fn a_case_without_an_end_is_shown_but_does_not_hold() {
    let (summary, case) = derived(mixed().0, None);
    check(&summary).unwrap();
    assert!(!summary.complete && !case.finished && !case.identity_holds);
    assert_eq!((case.triggers, case.complete, case.dropped), (4, 2, 0));
    assert!(case.warnings.iter().any(|text| text.contains("no end")));
}

#[test]
fn a_case_that_never_spoke_has_an_empty_summary() {
    let parent = tempfile::tempdir().unwrap();
    let path = parent.path().join("run");
    let run = RunDir::create(&path, &draft(&[plan("6.1/idle", &STAGES, 9)])).unwrap();
    let summary = derive(&run).unwrap();
    assert!(summary.cases[0].stages.is_empty() && !summary.complete);
}

#[test]
fn the_digest_depends_on_samples_only() {
    let (samples, counters) = mixed();
    let digest = |samples, counters| derived(samples, counters).0.digest;
    let whole = digest(samples.clone(), Some(counters));
    assert_eq!(whole, digest(samples.clone(), None));
    let mut other = samples;
    other[0].trigger_ns.0 += 1;
    assert_ne!(whole, digest(other, Some(counters)));
}

#[test]
fn deriving_again_gives_the_same_bytes() {
    let parent = tempfile::tempdir().unwrap();
    let run = synthetic::demo(&parent.path().join("run"), 500);
    let files = ["summary.json", "samples.parquet"].map(|name| run.path().join(name));
    let read = || files.each_ref().map(|path| std::fs::read(path).unwrap());
    derive(&run).unwrap();
    let first = read();
    derive(&run).unwrap();
    assert!(first == read());
}
