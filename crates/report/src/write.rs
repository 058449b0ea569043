// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Everything for people, into the run directory.

use std::path::PathBuf;

use irqscope_analysis::{Summary, distributions};
use irqscope_run::RunDir;

use crate::figure::{self, Layout, StageFigure};
use crate::png::Painter;
use crate::{Result, html};

const HTML: &str = "report.html";
const FIGURES: &str = "figures";

/// Writes report.html and the figures, and gives the path of the page.
pub fn write_all(run: &RunDir, summary: &Summary) -> Result<PathBuf> {
    let stages = figure::stages(summary, distributions(run)?);
    let html = page(run, summary, &stages)?;
    let figures = files(summary, &stages);
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
    page(run, summary, &figure::stages(summary, distributions(run)?))
}

fn page(run: &RunDir, summary: &Summary, stages: &[StageFigure<'_>]) -> Result<PathBuf> {
    let page = html::page(run.manifest(), summary, stages);
    Ok(run.write(HTML, page.as_bytes())?)
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
