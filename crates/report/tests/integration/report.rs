// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The report of a made-up run: self-contained, escaped, and really drawn.

use crate::synthetic;
use std::path::Path;

use crate::synthetic::{Sender, answered, draft, plan, sample};
use irqscope_analysis::{Summary, derive};
use irqscope_report::{table, write_all, write_html};
use irqscope_run::RunDir;
use irqscope_wire::{Counters, Message, Outcome, Response, Stage};

fn demo(path: &Path) -> (RunDir, Summary) {
    let run = synthetic::demo(path, 500);
    let summary = derive(&run).unwrap();
    (run, summary)
}

fn text_of(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap()
}

#[test]
fn the_page_needs_nothing_but_itself() {
    let parent = tempfile::tempdir().unwrap();
    // To look at the pictures: IRQSCOPE_KEEP=dir cargo test -p irqscope-report
    let kept = std::env::var_os("IRQSCOPE_KEEP").map(Into::into);
    let (run, summary) = demo(&kept.unwrap_or_else(|| parent.path().join("run")));
    let page = text_of(&write_all(&run, &summary).unwrap());
    for from_outside in ["http:", "https:", "src=", "@import", "url(", "<script", "<link"] {
        assert!(!page.contains(from_outside), "{from_outside}");
    }
    let stages = summary.stages().len();
    assert_eq!(page.matches("Histograms of stage").count(), 2 * stages, "two widths");
    assert!(page.contains("not a hardware latency"));
    assert!(page.contains(&summary.digest));
}

#[test]
fn the_page_begins_with_the_answer_and_ends_with_what_few_look_for() {
    let parent = tempfile::tempdir().unwrap();
    let (run, summary) = demo(&parent.path().join("run"));
    let page = text_of(&write_html(&run, &summary).unwrap());
    let order = [
        "The worst response of each case",
        "All stages",
        "The latest responses",
        ">Figures<",
        "Each by itself",
        "About this run",
    ];
    let places: Vec<usize> =
        order.iter().map(|text| page.find(text).unwrap_or(usize::MAX)).collect();
    assert!(places.is_sorted() && places[5] < usize::MAX, "{places:?}");
    // Nothing is cut off: the greatest latency of all is a bar of its own, and no column is apart.
    assert!(!page.contains(">OOB<") && page.contains(">p50</text>"));
    let worst = summary.cases.iter().flat_map(|case| &case.stages).filter_map(|one| one.max_ns);
    let worst = irqscope_quantity::alone(worst.max().unwrap());
    let latest = &page[places[2]..places[3]];
    assert!(latest.contains(&worst), "{worst}");
}

#[test]
fn every_figure_is_a_file_in_two_formats_with_its_text_rendered() {
    let parent = tempfile::tempdir().unwrap();
    let path = parent.path().join("run");
    let run = RunDir::create(&path, &draft(&[plan("6.1/idle", &[Stage::Irq], 1)])).unwrap();
    let mut target = Sender::new(&run, 0);
    target.open("6.1.0", &[Stage::Irq]);
    target.send(Message::Samples(vec![sample(0, vec![answered(Stage::Irq, 567, 0)])]));
    let summary = derive(&run).unwrap();
    write_all(&run, &summary).unwrap();
    for name in ["overview", "histogram-irq", "tail-irq"] {
        let svg = text_of(&path.join(format!("figures/{name}.svg")));
        assert!(svg.starts_with("<svg xmlns") && svg.contains("not a hardware latency"));
        let drawn = painted(&path.join(format!("figures/{name}.png")), &svg);
        let bare = svg.split_inclusive("</text>").map(without_text).collect::<String>();
        assert!(drawn > painted_svg(&bare) + 1_000, "{name} has no text");
    }
}

fn without_text(piece: &str) -> &str {
    piece.find("<text").map_or(piece, |at| &piece[..at])
}

/// Pixels that are not white in a file, which must be what its SVG gives.
fn painted(png: &Path, svg: &str) -> usize {
    let file = resvg::tiny_skia::Pixmap::decode_png(&std::fs::read(png).unwrap()).unwrap();
    assert!(svg.contains(&format!("width=\"{}\"", file.width() / 2)));
    file.pixels().iter().filter(|pixel| pixel.red() < 200).count()
}

fn painted_svg(svg: &str) -> usize {
    use resvg::{tiny_skia, usvg};
    let tree = usvg::Tree::from_str(svg, &usvg::Options::default()).unwrap();
    let size = tree.size().to_int_size().scale_by(2.0).unwrap();
    let mut pixels = tiny_skia::Pixmap::new(size.width(), size.height()).unwrap();
    resvg::render(&tree, tiny_skia::Transform::from_scale(2.0, 2.0), &mut pixels.as_mut());
    pixels.pixels().iter().filter(|pixel| pixel.red() < 200).count()
}

#[test]
fn what_comes_from_outside_is_escaped() {
    let parent = tempfile::tempdir().unwrap();
    let evil = "<script>alert(1)</script>";
    let mut draft = draft(&[plan(evil, &[Stage::Irq], 1)]);
    draft.scenario = evil.into();
    draft.scenario_toml = evil.into();
    draft.host.os = evil.into();
    let run = RunDir::create(parent.path().join("run"), &draft).unwrap();
    let mut target = Sender::new(&run, 0);
    target.open(evil, &[Stage::Irq]);
    target.warn(evil);
    target.send(Message::Samples(vec![sample(0, vec![answered(Stage::Irq, 1, 0)])]));
    let summary = derive(&run).unwrap();
    let page = text_of(&write_html(&run, &summary).unwrap());
    assert!(page.contains("&lt;script&gt;") && !page.contains("<script"));
}

#[test]
fn a_run_without_a_single_answer_has_a_report() {
    let parent = tempfile::tempdir().unwrap();
    let run =
        RunDir::create(parent.path().join("run"), &draft(&[plan("k/idle", &[Stage::Irq], 1)]))
            .unwrap();
    let silent = derive(&run).unwrap();
    write_all(&run, &silent).unwrap();
    assert!(table(&silent).contains("unfinished"));
    let mut target = Sender::new(&run, 0);
    target.open("6.1.0", &[Stage::Irq]);
    let missing = Response { stage: Stage::Irq, outcome: Outcome::Missing };
    target.send(Message::Samples(vec![sample(0, vec![missing])]));
    target.send(Message::Finished(Counters { triggers: 1, missing: 1, ..Counters::default() }));
    let summary = derive(&run).unwrap();
    let page = text_of(&write_all(&run, &summary).unwrap());
    assert!(page.contains("No trigger was answered here"));
    assert!(table(&summary).contains("1 = 0 complete + 1 missing + 0 coalesced + 0 dropped  ✓"));
}

#[test]
fn the_table_says_what_its_figures_are() {
    let parent = tempfile::tempdir().unwrap();
    let (_, mut summary) = demo(&parent.path().join("run"));
    let text = table(&summary);
    assert!(text.starts_with("virtual nanoseconds: executed instructions x 2 ns"));
    assert!(text.contains("latency in µs"));
    let of = |what: &str| text.lines().filter(|line| line.contains(what)).count();
    assert_eq!(of("6.1-rt/idle"), summary.stages().len() + 1, "stages and the identity");
    let long = text.lines().find(|line| line.chars().count() > 120 && !line.contains(':'));
    assert_eq!(long, None, "fits a terminal");
    summary.cases[0].identity_holds = false;
    summary.cases[0].violations = vec!["the log has fewer".into()];
    let text = table(&summary);
    assert!(text.contains("✗ INVALID") && text.contains("invalid: 6.1/idle: the log has fewer"));
}
