// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Everything for people, into the run directory.

mod compare;

use std::path::PathBuf;

use irqscope_analysis::{
    Above, CaseFigures, Explanation, Summary, Sweep, Verdict, explanations, hold_own,
};
use irqscope_quantity::Quantile;
use irqscope_run::RunDir;

use crate::figure::{self, Form, Layout, StageSweep};
use crate::figures::Figures;
use crate::png::Painter;
use crate::{Result, html};

pub use compare::write_comparisons;

const HTML: &str = "report.html";
const FIGURES: &str = "figures";

/// The things of a page that need more than the summary; what is not given is derived from the run.
#[derive(Debug, Default)]
pub struct Extras {
    /// The late responses above the 99th percentile.
    pub explained: Option<Vec<Explanation>>,
    /// The scenario's own limits.
    pub verdicts: Option<Vec<Verdict>>,
    /// How histograms are drawn.
    pub form: Form,
}

/// Writes report.html and the figures, and gives the path of the page.
///
/// # Errors
/// The run's, the disk's, or a drawing cannot be painted.
pub fn write_all(run: &RunDir, summary: &Summary) -> Result<PathBuf> {
    write_figures(run, summary, CaseFigures::of_run(run)?, Extras::default())
}

/// Writes the figures likewise, of what the summary was derived from.
///
/// # Errors
/// The run's, the disk's, or a drawing cannot be painted.
pub fn write_figures(
    run: &RunDir,
    summary: &Summary,
    figures: Vec<CaseFigures>,
    extras: Extras,
) -> Result<PathBuf> {
    let Drawn { html, files } = draw(run, summary, figures, extras)?;
    for (name, svg) in &files {
        run.write(&format!("{FIGURES}/{name}.svg"), svg.as_bytes())?;
    }
    // Last, because it is the only thing that a bare machine may lack a font for.
    let painter = Painter::new()?;
    for (name, svg) in &files {
        run.write(&format!("{FIGURES}/{name}.png"), &painter.paint(name, svg)?)?;
    }
    Ok(html)
}

/// Writes report.html only.
///
/// # Errors
/// The run's, the disk's, or a drawing cannot be painted.
pub fn write_html(run: &RunDir, summary: &Summary) -> Result<PathBuf> {
    Ok(draw(run, summary, CaseFigures::of_run(run)?, Extras::default())?.html)
}

/// The page, written, and all figures by name.
struct Drawn {
    html: PathBuf,
    files: Vec<(String, String)>,
}

/// Draws the figures. A sweep has one picture per stage for all its steps, where other runs have
/// those of every case.
fn draw(
    run: &RunDir,
    summary: &Summary,
    figures: Vec<CaseFigures>,
    extras: Extras,
) -> Result<Drawn> {
    let manifest = run.manifest();
    let (page, files) = match Sweep::of(summary) {
        Some(sweep) => {
            let stages = figure::sweep_stages(&sweep, summary.caveat());
            let page = html::sweep_page(manifest, summary, &sweep, &stages);
            (page, sweep_files(summary, &sweep, &stages))
        }
        None => {
            let (summary, figures) = summary.with_seeds_together(figures, run.path())?;
            let explained = match extras.explained {
                Some(explained) => explained,
                None => explanations(run, Above::Quantile(Quantile::P99))?,
            };
            let verdicts = extras.verdicts.map_or_else(|| hold_own(run), Ok)?;
            let mut figures = Figures::of(run, &summary, figures, explained)?;
            figures.set(&manifest.limits, verdicts, extras.form);
            (html::page(manifest, &summary, &figures), figures.files(&summary))
        }
    };
    Ok(Drawn { html: run.write(HTML, page.as_bytes())?, files })
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
