// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Which case is compared with which.

use irqscope_run::{CaseData, CaseManifest, Gap, LogHealth, Manifest, RunDir};
use irqscope_wire::View;

use super::series::Keeper;
use super::{CompareError, Series, SeriesName};
use crate::derive::case_summary;
use crate::validity::{Warning, log_warning};
use crate::{CaseFigures, CaseSummary, Result};

/// One case with everything that a comparison needs of it.
#[derive(Clone, Debug)]
pub struct MeasuredCase {
    /// The run's directory, as it was named.
    pub run: String,
    /// The manifest of its run.
    pub manifest: Manifest,
    /// The case.
    pub case: CaseManifest,
    /// Its summary.
    pub summary: CaseSummary,
    /// The series.
    pub series: Vec<Series>,
    /// Everything that is missing of its log or damaged in it: without a verdict.
    pub damage: Vec<String>,
}

/// Names what is missing of a log, or of the frames in it.
fn damage(health: LogHealth, data: &CaseData) -> Vec<String> {
    let gaps = data.gaps.iter().map(Gap::to_string);
    let strange =
        (data.undecodable > 0).then(|| Warning::Undecodable(data.undecodable).to_string());
    log_warning(health).into_iter().chain(gaps).chain(strange).collect()
}

impl MeasuredCase {
    /// Reads the named case of a run, or all of them, in the manifest's order.
    ///
    /// # Errors
    /// There is no such case, or the run cannot be read.
    pub fn load(run: &RunDir, wanted: Option<&str>) -> Result<Vec<Self>> {
        let (name, manifest) = (run.path().display().to_string(), run.manifest());
        let index = run.index()?;
        let mut cases = Vec::new();
        for (number, case) in (0..).zip(&manifest.cases) {
            if wanted.is_none_or(|wanted| wanted == case.case) {
                let stream = run.stream(&index, number)?;
                let mut keeper = Keeper::new(run.path());
                let figures = CaseFigures::of(&stream, run.path(), &mut keeper)?;
                cases.push(Self {
                    run: name.clone(),
                    manifest: manifest.clone(),
                    case: case.clone(),
                    summary: case_summary(case, stream.data(), &figures)?,
                    series: keeper.finish(stream.data(), figures)?,
                    damage: damage(index.health(), stream.data()),
                });
            }
        }
        match (cases.is_empty(), wanted) {
            (false, _) => Ok(cases),
            (true, None) => Err(CompareError::Empty { run: name }.into()),
            (true, Some(case)) => {
                let known: Vec<&str> = manifest.cases.iter().map(|one| one.case.as_str()).collect();
                let (case, known) = (case.into(), known.join(", "));
                Err(CompareError::NoCase { run: name, case, known }.into())
            }
        }
    }

    /// Returns `runs/a#6.1/idle`.
    pub fn name(&self) -> String {
        format!("{}#{}", self.run, self.case.case)
    }

    /// Returns the view in which stages are shown where nothing else is said.
    pub fn main_view(&self) -> View {
        self.summary.main_view()
    }

    /// Returns a series by its name.
    pub fn find(&self, name: &SeriesName) -> Option<&Series> {
        self.series.iter().find(|series| series.name == *name)
    }

    pub(super) fn series_names(&self) -> String {
        let names: Vec<String> = self.series.iter().map(|one| one.name.to_string()).collect();
        if names.is_empty() { "nothing".into() } else { names.join(", ") }
    }
}

/// Pairs cases: one on one side with each of the other side; else those of the same name.
///
/// # Errors
/// No case is on both sides, and which ones there are.
pub fn pairs<'a>(
    base: &'a [MeasuredCase],
    other: &'a [MeasuredCase],
) -> Result<Vec<(&'a MeasuredCase, &'a MeasuredCase)>, CompareError> {
    if let ([one], _) = (base, other) {
        return Ok(other.iter().map(|other| (one, other)).collect());
    }
    if let (_, [one]) = (base, other) {
        return Ok(base.iter().map(|base| (base, one)).collect());
    }
    let same = |base: &'a MeasuredCase| {
        let other = other.iter().find(|other| other.case.case == base.case.case);
        other.map(|other| (base, other))
    };
    let pairs: Vec<_> = base.iter().filter_map(same).collect();
    let names = |cases: &[MeasuredCase]| {
        cases.iter().map(|one| one.case.case.clone()).collect::<Vec<_>>().join(", ")
    };
    if pairs.is_empty() {
        let run =
            |cases: &[MeasuredCase]| cases.first().map_or_else(String::new, |one| one.run.clone());
        let (bases, others) = (names(base), names(other));
        return Err(CompareError::NoCommonCase {
            base: run(base),
            other: run(other),
            bases,
            others,
        });
    }
    Ok(pairs)
}
