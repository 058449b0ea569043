// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The figures of a run.

use irqscope_analysis::{
    CaseFigures, Distribution, Explanation, Isolation, LateResponse, Locks, Summary, Verdict,
    latest,
};
use irqscope_quantity::Limit;
use irqscope_run::RunDir;
use irqscope_wire::BenchmarkKind;

use crate::Result;
use crate::figure::{self, Figure, Form, Layout, Scope, Timeline};

/// Everything that is drawn of a run that is no sweep, besides the overview.
pub struct Figures<'a> {
    /// Stages, then benchmarks.
    pub all: Vec<Figure<'a>>,
    pub rounds: Vec<Timeline<'a>>,
    /// Of the cases with events.
    pub explanations: Vec<Explanation>,
    /// Of the cases with bursts or execution times.
    pub scopes: Vec<Scope>,
    /// The latest responses of all cases, each in its main view.
    pub latest: Vec<LateResponse>,
    /// The latest response of each stage in each case, in the case's main view.
    pub greatest: Vec<LateResponse>,
    /// The critical sections of the cases that recorded all of them.
    pub locks: Vec<Locks>,
    /// Isolated CPUs, by case.
    pub isolated: Vec<Isolation>,
    /// Whether the limits of the scenario hold.
    pub verdicts: Vec<Verdict>,
}

impl<'a> Figures<'a> {
    pub fn of(
        run: &RunDir,
        summary: &'a Summary,
        figures: Vec<CaseFigures>,
        explanations: Vec<Explanation>,
    ) -> Result<Self> {
        let (mut stages, mut series, mut rounds) = (Vec::new(), Vec::new(), Vec::new());
        let mut locks = Vec::new();
        for case in figures {
            locks.extend(case.locks);
            stages.extend(case.stages);
            series.extend(case.series.into_iter().map(|one| (case.number, one)));
            rounds.extend(case.rounds.into_iter().map(|one| (case.number, one)));
        }
        let main = |one: &&Distribution| figure::is_shown(summary, one);
        let latest = latest(stages.iter().filter(main));
        let first = |one: &Distribution| one.latest.first().copied();
        let greatest = stages.iter().filter(main).filter_map(first).collect();
        let mut all = figure::stages(summary, stages)?;
        all.extend(figure::benchmarks(summary, run, series)?);
        let isolated = isolated(run, summary)?;
        let (rounds, scopes) = (figure::timelines(summary, &rounds), figure::scopes(run, summary)?);
        Ok(Self {
            all,
            rounds,
            explanations,
            scopes,
            latest,
            greatest,
            locks,
            isolated,
            verdicts: Vec::new(),
        })
    }

    /// Sets the limits that are drawn, whether they hold, and how histograms are drawn.
    pub fn set(&mut self, limits: &[Limit], verdicts: Vec<Verdict>, form: Form) {
        for figure in &mut self.all {
            let of_figure = limits.iter().filter(|limit| figure.subject.answers_to(&limit.name));
            figure.limits_ns = of_figure.map(|limit| limit.limit_ns).collect();
            figure.form = form;
        }
        self.verdicts = verdicts;
    }

    /// Names and drawings of all files.
    pub fn files(&self, summary: &Summary) -> Vec<(String, String)> {
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

/// Reads what disturbed isolated CPUs, of a run that has any.
fn isolated(run: &RunDir, summary: &Summary) -> Result<Vec<Isolation>> {
    let mut series = summary.cases.iter().flat_map(|case| &case.benchmarks);
    if !series.any(|one| one.benchmark == BenchmarkKind::Isolate) {
        return Ok(Vec::new());
    }
    let mut all = Vec::new();
    for data in run.cases()? {
        all.extend(Isolation::of_case(&data?));
    }
    Ok(all)
}
