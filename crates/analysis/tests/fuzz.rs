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
use mutate::{Edit, apply, body, corpus, edits, framed};
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
        let parent = tempfile::tempdir().unwrap();
        let mut plan = synthetic::plan("6.1/idle", &[Stage::Irq, Stage::Softirq], 9);
        plan.inside = inside;
        let run = RunDir::create(parent.path().join("run"), &synthetic::draft(&[plan])).unwrap();
        let (log, corpus) = (run.log(), corpus());
        for (source, which, edits) in &frames {
            let frame = framed(&apply(&body(&corpus[which.index(corpus.len())]), edits));
            log.append(0, *source, &frame).unwrap();
        }
        if let Ok(summary) = derive(&run) {
            prop_assert_eq!(summary.cases.len(), 1);
        }
    }
}
