// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Everything for people, into the run directory.

use std::path::PathBuf;

use irqscope_analysis::{Summary, Sweep, distributions};
use irqscope_run::RunDir;

use crate::figure::{self, Layout, StageFigure, StageSweep};
use crate::png::Painter;
use crate::{Result, html};

const HTML: &str = "report.html";
const FIGURES: &str = "figures";

/// Writes report.html and the figures, and gives the path of the page.
pub fn write_all(run: &RunDir, summary: &Summary) -> Result<PathBuf> {
    let Drawn { html, figures } = draw(run, summary)?;
    for (name, svg) in &figures {
        run.write(&format!("{FIGURES}/{name}.svg"), svg.as_bytes())?;
    }
    // Last, because it is the only thing that a bare machine may lack a font for.
    let painter = Painter::new()?;
    for (name, svg) in &figures {
        run.write(&format!("{FIGURES}/{name}.png"), &painter.paint(name, svg)?)?;
    }
    Ok(html)
}

/// Writes report.html only.
pub fn write_html(run: &RunDir, summary: &Summary) -> Result<PathBuf> {
    Ok(draw(run, summary)?.html)
}

/// The page, written, and all figures by name.
struct Drawn {
    html: PathBuf,
    figures: Vec<(String, String)>,
}

/// A sweep has one picture per stage for all its steps, where other runs have
/// those of every case.
fn draw(run: &RunDir, summary: &Summary) -> Result<Drawn> {
    let manifest = run.manifest();
    let (page, figures) = match Sweep::of(summary) {
        Some(sweep) => {
            let stages = figure::sweep_stages(&sweep, summary.caveat());
            let page = html::sweep_page(manifest, summary, &sweep, &stages);
            (page, sweep_files(summary, &sweep, &stages))
        }
        None => {
            let stages = figure::stages(summary, distributions(run)?);
            (html::page(manifest, summary, &stages), files(summary, &stages))
        }
    };
    Ok(Drawn { html: run.write(HTML, page.as_bytes())?, figures })
}

/// Names and drawings of all figures.
fn files(summary: &Summary, stages: &[StageFigure<'_>]) -> Vec<(String, String)> {
    let mut files = Vec::new();
    if let Some(svg) = figure::overview(summary, Layout::Wide, true) {
        files.push(("overview".to_owned(), svg));
    }
    for stage in stages {
        let name = stage.file_name();
        if let Some(svg) = stage.histogram(Layout::Wide, true) {
            files.push((format!("histogram-{name}"), svg));
        }
        if let Some(svg) = stage.tail(Layout::Wide, true) {
            files.push((format!("tail-{name}"), svg));
        }
    }
    files
}

fn sweep_files(
    summary: &Summary,
    sweep: &Sweep,
    stages: &[StageSweep<'_>],
) -> Vec<(String, String)> {
    let all = figure::knees(summary, sweep, Layout::Wide, true);
    let all = all.map(|svg| ("sweep".to_owned(), svg)).into_iter();
    let each = |stage: &StageSweep<'_>| Some((stage.file_name(), stage.draw(Layout::Wide, true)?));
    all.chain(stages.iter().filter_map(each)).collect()
}
