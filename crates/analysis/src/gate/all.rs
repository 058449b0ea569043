// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Limits held against all cases of a run, if the run may have a verdict.

use super::{Limit, Verdict, hold};
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
    let mut all = Vec::new();
    for limit in limits {
        is_measured(&limit.name, cases)?;
        for case in cases {
            all.extend(hold(case, limit)?);
        }
    }
    Ok(all)
}
