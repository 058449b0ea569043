// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Limits held against all cases of a run, if the run may have a verdict.

use irqscope_quantity::Limit;
use irqscope_run::RunDir;

use super::{Verdict, hold};
use crate::{MeasuredCase, Result};

/// Why there is no verdict.
#[allow(missing_docs, reason = "each message names its fields")]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GateError {
    #[error("no verdict: {case}: {why}")]
    NoVerdict { case: String, why: String },
    #[error("nothing called `{name}` was measured; there are: {have}")]
    Unknown { name: String, have: String },
}

/// Refuses a verdict without a valid and complete measurement.
///
/// # Errors
/// [`GateError::NoVerdict`] of the first case that is neither.
pub fn may_be_held<'a>(cases: impl IntoIterator<Item = &'a MeasuredCase>) -> Result<(), GateError> {
    for case in cases {
        let violation = case.summary.violations.first().cloned();
        let unfinished = || "it did not run to its end; repeat the run".to_owned();
        let failed = (!case.summary.finished || !case.case.has_result()).then(unfinished);
        if let Some(why) = violation.or(failed).or_else(|| case.damage.first().cloned()) {
            return Err(GateError::NoVerdict { case: case.name(), why });
        }
    }
    Ok(())
}

/// Requires that some case has a series of this name.
///
/// # Errors
/// [`GateError::Unknown`], with the names that there are.
pub fn is_measured<'a>(
    name: &str,
    cases: impl IntoIterator<Item = &'a MeasuredCase>,
) -> Result<(), GateError> {
    let series: Vec<_> = cases.into_iter().flat_map(|case| &case.series).collect();
    if series.iter().any(|one| one.name.answers_to(name)) {
        return Ok(());
    }
    let mut have: Vec<String> = series.iter().map(|one| one.name.to_string()).collect();
    have.sort();
    have.dedup();
    Err(GateError::Unknown { name: name.to_owned(), have: have.join(", ") })
}

/// Holds every limit against every case, in this order.
///
/// # Errors
/// A name that no case has, or the disk's, where values do not fit into memory.
pub fn hold_all(cases: &[MeasuredCase], limits: &[Limit]) -> Result<Vec<Verdict>> {
    for limit in limits {
        is_measured(&limit.name, cases)?;
    }
    hold_each(cases, limits)
}

/// Holds a run against the limits that its scenario sets. Where the measurement may have no verdict, none
/// has passed.
///
/// # Errors
/// The disk's.
pub fn hold_own(run: &RunDir) -> Result<Vec<Verdict>> {
    let limits = &run.manifest().limits;
    if limits.is_empty() {
        return Ok(Vec::new());
    }
    let cases = MeasuredCase::load(run, None)?;
    if let Err(why) = may_be_held(&cases) {
        let none = |limit: &Limit| Verdict::new("", limit.to_string(), false, why.to_string());
        return Ok(limits.iter().map(none).collect());
    }
    hold_each(&cases, limits)
}

fn hold_each(cases: &[MeasuredCase], limits: &[Limit]) -> Result<Vec<Verdict>> {
    let mut all = Vec::new();
    for limit in limits {
        for case in cases {
            all.extend(hold(case, limit)?);
        }
    }
    Ok(all)
}
