// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Figures of a run whose frames are right in form and say anything at all.
#![allow(clippy::unwrap_used)] // helpers of tests too

#[allow(dead_code, reason = "each test uses what it needs")]
#[path = "../../wire/tests/mutate/mod.rs"]
mod mutate;
#[path = "../../run/tests/synthetic/mod.rs"]
mod synthetic;

use irqscope_analysis::derive;
use irqscope_run::{RunDir, Source};
use irqscope_wire::Stage;
use mutate::{Edit, apply, body, corpus, damage, damaged_run, edits, framed};
use proptest::prelude::*;
use proptest::sample::Index;

type Damaged = (Source, Index, Vec<Edit>);

fn damaged() -> impl Strategy<Value = Damaged> {
    let sources = vec![Source::Target, Source::Generator];
    (prop::sample::select(sources), any::<Index>(), edits(4))
}

proptest! {
    // A directory and its files each.
    #![proptest_config(ProptestConfig {
        cases: ProptestConfig::default().cases.min(20_000), ..ProptestConfig::default()
    })]

    #[test]
    fn a_run_of_any_frames_has_figures_or_an_error(
        frames in prop::collection::vec(damaged(), 0..16),
        inside: bool,
    ) {
        let corpus = corpus();
        let frame = |(source, which, edits): &Damaged| {
            (*source, framed(&apply(&body(&corpus[which.index(corpus.len())]), edits)))
        };
        judge(frames.iter().map(frame), inside)?;
    }

    #[test]
    fn a_run_with_any_damage_has_figures_or_an_error(damage in damage(), inside: bool) {
        let source = |generator| if generator { Source::Generator } else { Source::Target };
        let frames = damaged_run(&damage).into_iter();
        judge(frames.map(|(generator, frame)| (source(generator), frame)), inside)?;
    }
}

fn judge(
    frames: impl Iterator<Item = (Source, Vec<u8>)>,
    inside: bool,
) -> Result<(), TestCaseError> {
    let parent = tempfile::tempdir().unwrap();
    let mut plan = synthetic::plan("6.1/idle", &[Stage::Irq, Stage::Softirq], 5);
    plan.inside = inside;
    let run = RunDir::create(parent.path().join("run"), &synthetic::draft(&[plan])).unwrap();
    let log = run.log();
    frames.for_each(|(source, frame)| log.append(0, source, &frame).unwrap());
    if let Ok(summary) = derive(&run) {
        prop_assert_eq!(summary.cases.len(), 1);
    }
    Ok(())
}
