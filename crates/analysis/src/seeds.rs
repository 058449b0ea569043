// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The figures of one case over several seeds.

use std::collections::BTreeSet;
use std::path::Path;

use irqscope_wire::{Stage, View};
use serde::{Deserialize, Serialize};

use crate::replications::{SEEDS_METHOD, mean, of_mean};
use crate::{
    CaseFigures, CaseSummary, Distribution, LEVEL, Result, StageSummary, Summary, Warning,
};

/// The figures of one case over its seeds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SeedsSummary {
    /// The case, without a seed.
    pub case: String,
    /// The seeds whose figures are taken together.
    pub seeds: Vec<u64>,
    /// Seeds of which there is nothing to take: their case failed, has no end, or must not be used.
    pub left_out: Vec<u64>,
    /// Two seeds gave the same samples, so that they are no draws of their own: no figure has an
    /// interval.
    pub same_samples: bool,
    /// How sure intervals are.
    pub level: f64,
    /// How they are made.
    pub method: String,
    /// In order of stage and view.
    pub stages: Vec<StageSeeds>,
}

/// The figures of one stage in one view over the seeds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StageSeeds {
    /// The stage.
    pub stage: Stage,
    /// The view.
    pub view: View,
    /// Responses of all seeds together.
    pub count: u64,
    /// Triggers of all seeds that were not answered in time.
    pub missing: u64,
    /// Responses of all seeds that another interrupt hit.
    pub hit: u64,
    /// The shortest latency of each seed.
    pub min_ns: Option<OverSeeds>,
    /// The 5th percentile of each seed; none where it is not known of each of them, as below.
    pub p5_ns: Option<OverSeeds>,
    /// The median.
    pub p50_ns: Option<OverSeeds>,
    /// The 95th percentile.
    pub p95_ns: Option<OverSeeds>,
    /// The 99th percentile.
    pub p99_ns: Option<OverSeeds>,
    /// The 99.9th percentile.
    pub p99_9_ns: Option<OverSeeds>,
    /// The 99.99th percentile.
    pub p99_99_ns: Option<OverSeeds>,
    /// The 99.999th percentile.
    pub p99_999_ns: Option<OverSeeds>,
    /// The longest latency of each seed.
    pub max_ns: Option<OverSeeds>,
    /// The arithmetic mean of each seed.
    pub mean_ns: Option<OverSeeds>,
}

/// One figure of every seed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct OverSeeds {
    /// The mean over the seeds.
    pub mean_ns: f64,
    /// The least one of all seeds.
    pub lowest_ns: f64,
    /// The greatest one of all seeds.
    pub highest_ns: f64,
    /// Where the mean of all seeds that there could be lies; `None` with one seed, and where all
    /// seeds have the same figure.
    pub interval_ns: Option<[f64; 2]>,
}

impl OverSeeds {
    fn of(figures: Vec<Option<f64>>, are_draws: bool) -> Option<Self> {
        let figures: Vec<f64> = figures.into_iter().collect::<Option<_>>()?;
        let first = *figures.first()?;
        let interval = are_draws.then(|| of_mean(&figures, LEVEL)).flatten();
        Some(Self {
            mean_ns: mean(&figures),
            lowest_ns: figures.iter().copied().fold(first, f64::min),
            highest_ns: figures.iter().copied().fold(first, f64::max),
            interval_ns: interval.map(|one| [one.low, one.high]),
        })
    }
}

impl SeedsSummary {
    /// Takes the seeds of each case together, in the order of the first of each, and warns in the
    /// cases where they are no draws of their own.
    pub(crate) fn all(cases: &mut [CaseSummary]) -> Vec<Self> {
        let mut names: Vec<String> = Vec::new();
        for name in cases.iter().filter_map(|case| case.seed_of.as_ref()) {
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
        names.into_iter().map(|name| Self::one(name, cases)).collect()
    }

    fn one(name: String, cases: &mut [CaseSummary]) -> Self {
        let is_seed = |case: &CaseSummary| case.seed_of.as_ref() == Some(&name);
        let (sound, unsound): (Vec<&CaseSummary>, _) =
            cases.iter().filter(|case| is_seed(case)).partition(|case| case.is_sound());
        let digests: BTreeSet<_> = sound.iter().map(|case| &case.seed_digest).collect();
        let same_samples = digests.len() < sound.len();
        let seeds = |cases: &[&CaseSummary]| cases.iter().filter_map(|case| case.seed).collect();
        let summary = Self {
            seeds: seeds(&sound),
            left_out: seeds(&unsound),
            same_samples,
            level: LEVEL,
            method: SEEDS_METHOD.to_owned(),
            stages: StageSeeds::all(&sound, !same_samples),
            case: name.clone(),
        };
        if same_samples {
            let seeds = cases.iter_mut().filter(|case| is_seed(case));
            seeds.for_each(|case| case.warnings.push(Warning::SameSeeds.to_string()));
        }
        summary
    }

    /// Returns the figures of a stage in a view.
    pub fn stage(&self, stage: Stage, view: View) -> Option<&StageSeeds> {
        self.stages.iter().find(|one| one.stage == stage && one.view == view)
    }
}

impl StageSeeds {
    fn all(cases: &[&CaseSummary], are_draws: bool) -> Vec<Self> {
        let Some(first) = cases.first() else { return Vec::new() };
        let of = |asked: &StageSummary| {
            let seed = |case: &&CaseSummary| case.stage(asked.stage, asked.view).cloned();
            Some(Self::of(&cases.iter().map(seed).collect::<Option<Vec<_>>>()?, are_draws))
        };
        first.stages.iter().filter_map(of).flatten().collect()
    }

    fn of(seeds: &[StageSummary], are_draws: bool) -> Option<Self> {
        let first = seeds.first()?;
        let sum = |of: fn(&StageSummary) -> u64| seeds.iter().map(of).sum();
        let whole = |of: fn(&StageSummary) -> Option<i64>| {
            OverSeeds::of(seeds.iter().map(|one| of(one).map(|ns| ns as f64)).collect(), are_draws)
        };
        Some(Self {
            stage: first.stage,
            view: first.view,
            count: sum(|one| one.count),
            missing: sum(|one| one.missing),
            hit: sum(|one| one.hit),
            min_ns: whole(|one| one.min_ns),
            p5_ns: whole(|one| one.p5_ns),
            p50_ns: whole(|one| one.p50_ns),
            p95_ns: whole(|one| one.p95_ns),
            p99_ns: whole(|one| one.p99_ns),
            p99_9_ns: whole(|one| one.p99_9_ns),
            p99_99_ns: whole(|one| one.p99_99_ns),
            p99_999_ns: whole(|one| one.p99_999_ns),
            max_ns: whole(|one| one.max_ns),
            mean_ns: OverSeeds::of(seeds.iter().map(|one| one.mean_ns).collect(), are_draws),
        })
    }
}

impl CaseSummary {
    /// Returns whether its figures are those of a whole and valid measurement.
    fn is_sound(&self) -> bool {
        self.finished && !self.failed && self.violations.is_empty()
    }

    /// Returns the case that this is with one of several seeds, or its own name.
    pub fn any_seed(&self) -> &str {
        self.seed_of.as_deref().unwrap_or(&self.case)
    }
}

impl Summary {
    /// Returns whether a case, by its place, is the first one of its seeds, or has one seed only.
    pub fn is_first_seed(&self, place: usize) -> bool {
        let case = &self.cases[place];
        let mut before = self.cases[..place].iter();
        case.seed_of.is_none() || !before.any(|other| other.seed_of == case.seed_of)
    }

    /// Returns the case with all its seeds; it alone, if it has one seed only.
    pub fn seeds_like(&self, case: &CaseSummary) -> Vec<&CaseSummary> {
        let same = |other: &&CaseSummary| match &case.seed_of {
            None => other.case == case.case,
            name => other.seed_of == *name,
        };
        self.cases.iter().filter(same).collect()
    }

    /// Returns the same with the samples of all seeds of a case in place of those of its first seed:
    /// what pictures show. The other seeds are no longer shown, and have no figures.
    ///
    /// # Errors
    /// The disk's, where a file in `dir` holds samples.
    pub fn with_seeds_together(
        &self,
        figures: Vec<CaseFigures>,
        dir: &Path,
    ) -> Result<(Self, Vec<CaseFigures>)> {
        let mut summary = self.clone();
        let mut together: Vec<CaseFigures> = Vec::new();
        for one in figures {
            let case = &self.cases[usize::from(one.number)];
            let of_same = |other: &CaseFigures| {
                case.seed_of.is_some()
                    && self.cases[usize::from(other.number)].seed_of == case.seed_of
            };
            match together.iter().position(of_same) {
                Some(place) => {
                    together[place].locks.extend(one.locks);
                    together[place].join(one.stages, dir)?;
                }
                None => together.push(one),
            }
        }
        for one in &together {
            let case = &mut summary.cases[usize::from(one.number)];
            if let Some(name) = case.seed_of.clone() {
                case.case = name;
                case.stages = one.stages.iter().map(StageSummary::new).collect::<Result<_>>()?;
            }
        }
        Ok((summary, together))
    }
}

impl CaseFigures {
    fn join(&mut self, seed: Vec<Distribution>, dir: &Path) -> Result<()> {
        for other in seed {
            let same = |one: &&mut Distribution| one.stage == other.stage && one.view == other.view;
            match self.stages.iter_mut().find(same) {
                Some(one) => one.join(other, dir)?,
                None => self.stages.push(other),
            }
        }
        Ok(())
    }
}
