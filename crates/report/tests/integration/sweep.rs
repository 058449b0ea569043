// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The report of a made-up sweep.

use std::path::Path;

use crate::synthetic::generator::{seen, send};
use crate::synthetic::{Sender, answered, draft, plan, sample};
use irqscope_analysis::{CaseSummary, StageSummary, Summary, Sweep, derive};
use irqscope_report::{table, write_all};
use irqscope_run::RunDir;
use irqscope_wire::{Answer, Counters, Cycles, Message, Outside, Stage, Trigger};

const STAGES: [Stage; 3] = [Stage::Irq, Stage::Softirq, Stage::WorkUnbound];

/// Makes a run of one step that was kept up with.
fn step(path: &Path) -> (RunDir, Summary) {
    let outside = Some(Outside::default());
    let plan = plan("6.1/idle/1kHz", &STAGES, 1);
    let plan = plan.with_stages(|asked| (asked.trigger, asked.outside) = (Trigger::Line, outside));
    let mut draft = draft(&[plan]);
    draft.cases[0].step_of = Some("6.1/idle".into());
    let run = RunDir::create(path, &draft).unwrap();
    let mut target = Sender::new(&run, 0);
    target.open("6.1.0", &STAGES);
    let responses = STAGES.iter().map(|stage| answered(*stage, 100, 0)).collect();
    target.send(Message::Samples(vec![sample(0, responses)]));
    target.send(Message::Finished(Counters { triggers: 1, complete: 1, ..Counters::default() }));
    send(&run, 3, vec![seen(0, vec![Answer::Prompt(Cycles(900)); 3])], vec![]);
    let summary = derive(&run).unwrap();
    (run, summary)
}

/// Makes two cases, fifteen steps each: `irq` keeps up for ever, the others to a step.
fn sweep(path: &Path) -> (RunDir, Summary) {
    let (run, mut summary) = step(path);
    let one = summary.cases.remove(0);
    for (name, knee) in [("6.1/idle", 8), ("6.1-rt/idle", 6)] {
        for index in 0..15 {
            let mut case = CaseSummary {
                case: format!("{name}/{index}"),
                step_of: Some(name.into()),
                kernel: name.into(),
                triggers: 2_000,
                complete: 2_000,
                ..one.clone()
            };
            case.outside.as_mut().unwrap().period_ns = (1e6 / 1.389f64.powi(index)) as i64;
            case.stages.iter_mut().for_each(|stage| shape(stage, index, knee));
            summary.cases.push(case);
        }
    }
    (run, summary)
}

/// Latencies as the twin shows them, and merged responses beyond the knee.
fn shape(stage: &mut StageSummary, index: i32, knee: i32) {
    let (base, knee) = match stage.stage {
        Stage::Irq => (800, i32::MAX),
        Stage::Softirq => (18_000, knee),
        _ => (50_000, knee - 3),
    };
    let beyond = (index - knee).max(0);
    let merged = if beyond > 0 { (40 << beyond).min(1_990) } else { 0 };
    (stage.coalesced, stage.count) = (merged, 2_000 - merged);
    stage.p50_ns = Some(base << beyond.min(7));
    stage.p99_ns = stage.p50_ns.map(|ns| ns * 5 / 4);
    stage.max_ns = stage.p50_ns.map(|ns| ns * 8 / 5);
}

#[test]
fn the_table_names_the_knee_the_figures_there_and_what_ended_it() {
    let parent = tempfile::tempdir().unwrap();
    let (_, summary) = sweep(&parent.path().join("run"));
    let text = table(&summary);
    let line = |stage: &str| text.lines().find(|line| line.starts_with(stage)).unwrap();
    let words = |stage| line(stage).split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(words("irq"), "irq 6.1/idle ≥ 99.5 kHz 0.80 1.00 1.28 - -");
    assert_eq!(
        words("softirq"),
        "softirq 6.1/idle 13.9 kHz 18.00 22.50 28.80 19.2 kHz 80 coalesced of 2,000"
    );
    assert!(text.starts_with("virtual nanoseconds"));
    assert!(text.contains("a factor of 1.39 apart"));
    assert!(text.contains("6.1-rt/idle  15 steps, triggers 30,000 = 30,000 complete"));
    let long = text.lines().find(|line| line.chars().count() > 120 && !line.contains(':'));
    assert_eq!(long, None, "fits a terminal");
}

#[test]
fn the_page_and_the_files_have_every_stage_and_need_nothing_else() {
    let parent = tempfile::tempdir().unwrap();
    // To look at the pictures: IRQSCOPE_KEEP=dir cargo test -p irqscope-report
    let kept = std::env::var_os("IRQSCOPE_KEEP").map(|kept| Path::new(&kept).join("sweep"));
    let (run, summary) = sweep(&kept.unwrap_or_else(|| parent.path().join("run")));
    let page = std::fs::read_to_string(write_all(&run, &summary).unwrap()).unwrap();
    for from_outside in ["http:", "https:", "src=", "@import", "url(", "<script", "<link"] {
        assert!(!page.contains(from_outside), "{from_outside}");
    }
    assert_eq!(page.matches("Knees of all stages").count(), 2, "two widths");
    for stage in STAGES {
        assert!(page.contains(&format!("id=\"sweep-{stage}\"")));
        assert_eq!(page.matches(&format!("Stage {stage} against")).count(), 2, "two widths");
    }
    assert!(!page.contains("Histograms"), "thirty of them say nothing");
    for name in ["sweep", "sweep-irq", "sweep-softirq", "sweep-work_unbound"] {
        let file = |kind| run.path().join(format!("figures/{name}.{kind}"));
        let svg = std::fs::read_to_string(file("svg")).unwrap();
        assert!(svg.starts_with("<svg xmlns") && svg.contains("not a hardware latency"));
        assert!(std::fs::metadata(file("png")).unwrap().len() > 10_000, "{name}");
    }
}

#[test]
fn a_sweep_without_a_single_answer_has_a_page() {
    let parent = tempfile::tempdir().unwrap();
    let (run, mut summary) = sweep(&parent.path().join("run"));
    for case in &mut summary.cases {
        case.identity_holds = false;
        case.stages.clear();
    }
    assert!(Sweep::of(&summary).unwrap().series.is_empty());
    assert!(table(&summary).contains("knee"));
    write_all(&run, &summary).unwrap();
}
