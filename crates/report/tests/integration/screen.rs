// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The first screen of made-up runs: what its sentences say, that it fits, and what a table can be
//! asked for.

use crate::synthetic;
use std::path::Path;

use irqscope_analysis::{CauseKind, CauseRow, CauseRows, Explanation, Summary, derive};
use irqscope_report::foreign::{Import, import};
use irqscope_report::{About, Choice, Field, Line, answer, below, csv, narrow};
use irqscope_wire::{Stage, View};

fn demo() -> Summary {
    let parent = tempfile::tempdir().unwrap();
    derive(&synthetic::demo(&parent.path().join("run"), 500)).unwrap()
}

fn benchmarks() -> Summary {
    let parent = tempfile::tempdir().unwrap();
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/cyclictest-h.txt");
    let out = parent.path().join("run");
    let run = import(&Import {
        files: &[data],
        out: &out,
        format: None,
        unit_ns: None,
        args: Vec::new(),
        tool_version: "0.1.0",
    });
    derive(&run.unwrap()).unwrap()
}

fn said(summary: &Summary, explanations: &[Explanation]) -> String {
    let about = About {
        run: "runs/a",
        scenario: Some("demo"),
        explanations,
        verdicts: &[],
        of_sections: false,
        width: 80,
    };
    let lines = answer(summary, &about);
    assert!(lines.len() < 20, "{} lines", lines.len());
    text(&lines)
}

/// Joins lines that fit the smallest terminal.
fn text(lines: &[Line]) -> String {
    for line in lines {
        assert!(line.text.chars().count() <= 80, "{}", line.text);
    }
    lines.iter().map(|line| format!("{}\n", line.text)).collect()
}

/// Joins lines again that were broken.
fn unbroken(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn set_worst(summary: &mut Summary, case: &str, stage: Stage, max_ns: i64) {
    let case = summary.cases.iter_mut().find(|one| one.case == case).unwrap();
    for one in case.stages.iter_mut().filter(|one| one.stage == stage) {
        one.max_ns = Some(max_ns);
    }
}

fn explanation(case: &str, stage: Stage, max_ns: i64) -> Explanation {
    let row = CauseRow {
        kind: Some(CauseKind::IrqsDisabled),
        name: "exit_mmap".into(),
        count: 1,
        p50_ns: max_ns,
        max_ns,
        counts: Vec::new(),
    };
    Explanation {
        case: case.into(),
        stage,
        view: View::Inside,
        count: 1,
        left_out: Default::default(),
        late_from_ns: max_ns,
        late: 1,
        shares: Vec::new(),
        parts: Vec::new(),
        rows: CauseRows { edges_ns: Vec::new(), rows: vec![row] },
        held_up: Vec::new(),
        worst: vec![1],
        latest: Vec::new(),
        unexplained_median_per_cent: 0.0,
        unexplained_longest_ns: 0,
        violations: 0,
        lacking: Vec::new(),
    }
}

#[test]
fn stock_and_real_time_are_compared_where_they_are_the_worst() {
    let mut summary = demo();
    set_worst(&mut summary, "6.1/load", Stage::User, 400_000);
    set_worst(&mut summary, "6.1-rt/load", Stage::User, 20_000);
    let text = unbroken(&said(&summary, &[]));
    assert!(text.contains("not a hardware latency The worst response of each case: 6.1/idle "));
    assert!(text.contains("6.1/load user 400.00 µs"), "{text}");
    let sentence = "In state load, user waits at most 400.00 µs on 6.1 and 20.00 µs on 6.1-rt: \
                    20.0 times less, in this run";
    assert!(text.contains(sentence), "{text}");
}

#[test]
fn one_kernel_is_compared_with_none() {
    let mut summary = demo();
    summary.cases.retain(|case| case.case == "6.1/load");
    let text = said(&summary, &[]);
    assert!(text.contains("The worst response:\n  6.1/load"), "{text}");
    assert!(!text.contains("In state"), "{text}");
}

#[test]
fn a_worst_response_has_its_cause_where_it_was_explained_itself() {
    let mut summary = demo();
    set_worst(&mut summary, "6.1/load", Stage::User, 400_000);
    let known = said(&summary, &[explanation("6.1/load", Stage::User, 400_000)]);
    assert!(known.contains("400.00 µs  interrupts disabled: exit_mmap"), "{known}");
    assert!(known.contains("next: irqscope explain runs/a "), "{known}");
    // It was left out of the explanations, and the cause of another one is not its own.
    let other = said(&summary, &[explanation("6.1/load", Stage::User, 399_999)]);
    assert!(!other.contains("exit_mmap"), "{other}");
    let unknown = said(&summary, &[]);
    assert!(unknown.contains("next: irqscope run demo --explain "), "{unknown}");
}

#[test]
fn what_was_lost_is_counted_and_has_weight() {
    let mut summary = demo();
    for case in &mut summary.cases {
        (case.complete, case.missing_triggers, case.coalesced) = (case.triggers, 0, 0);
        case.stages.iter_mut().for_each(|one| (one.missing, one.coalesced) = (0, 0));
    }
    assert!(below(&summary, 80).is_empty(), "nothing is missing");
    let all = said(&summary, &[]);
    assert!(
        all.contains("All 2,000 triggers are accounted for: 2,000 complete + 0 missing"),
        "{all}"
    );
    let is_calm = |lines: &[Line]| lines.iter().all(|line| !line.alarming);
    assert!(is_calm(&narrow(&summary, &Choice::default(), 80)));

    let case = &mut summary.cases[1];
    (case.complete, case.missing_triggers) = (case.triggers - 3, 3);
    let last = case.stages.last_mut().unwrap();
    last.missing = 3;
    let (stage, name) = (last.stage.name(), case.case.clone());
    let table = narrow(&summary, &Choice::default(), 80);
    let lost: Vec<&Line> = table.iter().filter(|line| line.alarming).collect();
    assert_eq!(lost.len(), 1, "{table:?}");
    assert!(lost[0].text.contains(&name) && lost[0].text.ends_with(" 3"), "{stage}: {lost:?}");
    let accounts = text(&below(&summary, 80));
    assert!(
        accounts.starts_with("6.1/load  triggers 500 = 497 complete + 3 missing"),
        "{accounts}"
    );
}

#[test]
fn an_invalid_measurement_and_its_warnings_are_named() {
    let mut summary = demo();
    summary.cases[0].identity_holds = false;
    summary.cases[0].violations = vec!["the log has fewer".into()];
    summary.cases[1].warnings = vec!["a word ".repeat(40).trim().into(), "another".into()];
    let text = said(&summary, &[]);
    assert!(text.contains("The accounts of 1 of 4 cases do not hold"), "{text}");
    assert!(text.contains("invalid: 6.1/idle: the log has fewer"), "{text}");
    assert!(text.contains("warning 1 of 2: 6.1/load: a word") && text.contains("…\n"), "{text}");
    assert!(text.contains("all columns and warnings"), "{text}");
}

#[test]
fn benchmarks_have_an_answer_too() {
    let summary = benchmarks();
    let text = said(&summary, &[]);
    assert!(text.starts_with("The worst response:\n"), "{text}");
    assert!(text.contains("samples are accounted for: "), "{text}");
    assert!(!text.contains("--explain"), "there is nothing to explain: {text}");
    let table = narrow(&summary, &Choice::default(), 80);
    assert!(table[0].text.starts_with("benchmark "), "{table:?}");
}

#[test]
fn a_table_has_the_columns_and_the_order_that_it_is_asked_for() {
    let summary = demo();
    let columns = vec![Field::Case, Field::Stage, Field::Max];
    let choice = Choice { columns, sort: Some(Field::Max) };
    let text = csv(&summary, &choice);
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("case,stage,max_ns"));
    let maxima: Vec<f64> =
        lines.map(|line| line.rsplit(',').next().unwrap().parse().unwrap()).collect();
    assert_eq!(maxima.len(), 40);
    assert!(maxima.windows(2).all(|pair| pair[0] >= pair[1]), "{maxima:?}");
    let table = narrow(&summary, &choice, 80);
    assert!(table.iter().all(|line| !line.text.starts_with("  ")), "each row names itself");
}

#[test]
fn a_table_adapts_to_the_width() {
    let summary = demo();
    let head = |width| narrow(&summary, &Choice::default(), width)[0].text.clone();
    let words = |width| head(width).split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(words(80), ["stage", "case", "p50", "p99", "max", "lost"]);
    assert_eq!(words(40), ["stage", "case", "max", "lost"]);
    assert!(words(140).contains(&"mean".to_owned()) && words(140).contains(&"count".to_owned()));
}
