// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Everything for people, into the run directory.

use std::path::PathBuf;

use irqscope_analysis::{Above, CaseFigures, Explanation, Summary, Sweep, explanations};
use irqscope_quantity::Quantile;
use irqscope_run::RunDir;

use crate::figure::{self, Figure, Layout, Scope, StageSweep, Timeline};
use crate::png::Painter;
use crate::{Result, html};

const HTML: &str = "report.html";
const FIGURES: &str = "figures";

/// Writes report.html and the figures, and gives the path of the page.
///
/// # Errors
/// The run's, the disk's, or a drawing cannot be painted.
pub fn write_all(run: &RunDir, summary: &Summary) -> Result<PathBuf> {
    write_figures(run, summary, CaseFigures::of_run(run)?)
}

/// Writes the figures likewise, of what the summary was derived from.
///
/// # Errors
/// The run's, the disk's, or a drawing cannot be painted.
pub fn write_figures(
    run: &RunDir,
    summary: &Summary,
    figures: Vec<CaseFigures>,
) -> Result<PathBuf> {
    let Drawn { html, files } = draw(run, summary, figures)?;
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
    Ok(draw(run, summary, CaseFigures::of_run(run)?)?.html)
}

/// The page, written, and all figures by name.
struct Drawn {
    html: PathBuf,
    files: Vec<(String, String)>,
}

/// Draws the figures. A sweep has one picture per stage for all its steps, where other runs have
/// those of every case.
fn draw(run: &RunDir, summary: &Summary, figures: Vec<CaseFigures>) -> Result<Drawn> {
    let manifest = run.manifest();
    let (page, files) = match Sweep::of(summary) {
        Some(sweep) => {
            let stages = figure::sweep_stages(&sweep, summary.caveat());
            let page = html::sweep_page(manifest, summary, &sweep, &stages);
            (page, sweep_files(summary, &sweep, &stages))
        }
        None => {
            let figures = Figures::of(run, summary, figures)?;
            (html::page(manifest, summary, &figures), figures.files(summary))
        }
    };
    Ok(Drawn { html: run.write(HTML, page.as_bytes())?, files })
}

/// Everything that is drawn of a run that is no sweep, besides the overview.
pub(crate) struct Figures<'a> {
    /// Stages, then benchmarks.
    pub all: Vec<Figure<'a>>,
    pub rounds: Vec<Timeline<'a>>,
    /// Of the cases with events.
    pub explanations: Vec<Explanation>,
    /// Of the cases with bursts or execution times.
    pub scopes: Vec<Scope>,
}

impl<'a> Figures<'a> {
    fn of(run: &RunDir, summary: &'a Summary, figures: Vec<CaseFigures>) -> Result<Self> {
        let (mut stages, mut series, mut rounds) = (Vec::new(), Vec::new(), Vec::new());
        for case in figures {
            stages.extend(case.stages);
            series.extend(case.series.into_iter().map(|one| (case.number, one)));
            rounds.extend(case.rounds.into_iter().map(|one| (case.number, one)));
        }
        let mut all = figure::stages(summary, stages)?;
        all.extend(figure::benchmarks(summary, run, series)?);
        let explanations = explanations(run, Above::Quantile(Quantile::P99))?;
        let (rounds, scopes) = (figure::timelines(summary, &rounds), figure::scopes(run, summary)?);
        Ok(Self { all, rounds, explanations, scopes })
    }

    /// Names and drawings of all files.
    fn files(&self, summary: &Summary) -> Vec<(String, String)> {
        let wide = Layout::Wide;
        let overview = figure::overview(summary, wide, true);
        let mut files: Vec<_> =
            overview.into_iter().map(|svg| ("overview".to_owned(), svg)).collect();
        for one in &self.all {
            let drawn = [
                ("histogram", one.histogram(wide, true)),
                ("tail", one.tail(wide, true)),
                ("course", one.scatter(wide, true)),
            ];
            let named = |(what, svg): (&str, Option<String>)| {
                Some((format!("{what}-{}", one.file_name()), svg?))
            };
            files.extend(drawn.into_iter().filter_map(named));
        }
        for one in &self.rounds {
            files.push((format!("round-{}", one.variant), one.draw(wide, true)));
        }
        for one in &self.scopes {
            files.push((format!("sweep-{}", one.file_name()), one.single(wide, true)));
            let seen = one.persistent(wide, true);
            files.extend(seen.map(|svg| (format!("persistence-{}", one.file_name()), svg)));
        }
        files
    }
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
