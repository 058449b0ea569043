// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Figures of a run whose frames are right in form and say anything at all.

use crate::mutate::{Edit, apply, body_in_corpus, damage, damaged_run, edits, framed};
use crate::synthetic;
use irqscope_analysis::{At, CasePath, derive};
use irqscope_quantity::Quantile;
use irqscope_run::{RunDir, Source};
use irqscope_wire::{Inside, Stage, Tick};
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
        let frame = |(source, which, edits): &Damaged| {
            (*source, framed(&apply(body_in_corpus(*which), edits)))
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
    let plan = synthetic::plan("6.1/idle", &[Stage::Irq, Stage::Softirq], 5);
    let plan = plan.with_stages(|asked| asked.inside = inside.then(Inside::default));
    let run = RunDir::create(parent.path().join("run"), &synthetic::draft(&[plan])).unwrap();
    let log = run.log();
    frames.for_each(|(source, frame)| log.append(0, source, &frame).unwrap());
    if let Ok(summary) = derive(&run) {
        prop_assert_eq!(summary.cases.len(), 1);
    }
    if let Ok(path) = CasePath::open(&run, None) {
        for sample in path.samples() {
            prop_assert_eq!(path.tree(sample).unwrap().instructions(), sample.instructions);
        }
    }
    Ok(())
}

#[test]
fn the_undamaged_run_has_a_path_whose_instructions_are_its_latency() {
    let parent = tempfile::tempdir().unwrap();
    let mut plan = synthetic::plan("6.1/idle", &[Stage::Irq, Stage::Softirq], 5);
    plan.instruction = Some(Tick { femtoseconds: 2_000_000 });
    let run = RunDir::create(parent.path().join("run"), &synthetic::draft(&[plan])).unwrap();
    let log = run.log();
    for (generator, frame) in damaged_run(&[]) {
        let source = if generator { Source::Generator } else { Source::Target };
        log.append(0, source, &frame).unwrap();
    }
    let path = CasePath::open(&run, Some("6.1/idle")).unwrap();
    let check = path.check();
    assert_eq!((check.samples, check.equal, check.faults), (2, 2, 2));
    let sample = path.choose(Stage::Softirq, At::Quantile(Quantile::MAX)).unwrap();
    let folded = path.tree(&sample).unwrap().folded();
    assert_eq!(folded, "f 400\nf;asm_exc_page_fault 105\n");
    let error = |stage, at| path.choose(stage, at).unwrap_err().to_string();
    assert!(error(Stage::Softirq, At::Seq(3)).contains("0 to 0 were"));
    assert!(error(Stage::User, At::Seq(0)).contains("there are irq, softirq"));
    let other = CasePath::open(&run, Some("6.1/load")).unwrap_err().to_string();
    assert!(other.contains("there are 6.1/idle"), "{other}");
}
