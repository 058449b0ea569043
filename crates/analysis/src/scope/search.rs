// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The trigger that somebody looks for, in a run that is finished.

use std::ops::Range;

use irqscope_run::{SampleRow, SamplesReader};
use irqscope_wire::{Nanoseconds, Stage, View};

use crate::Result;

/// The kind of trigger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Search {
    /// Any that has a row of the stage.
    Any,
    /// Its latency is the longest; of equal ones the first.
    Worst,
    /// Its latency is at least this one.
    Above(Nanoseconds),
    /// The stage was asked and did not answer.
    Missing,
}

/// Finds the first such trigger of a range, or the last where `backwards`.
///
/// # Errors
/// The samples cannot be read.
pub fn search(
    samples: &SamplesReader,
    case: &str,
    (stage, view): (Stage, View),
    search: Search,
    triggers: Range<u64>,
    backwards: bool,
) -> Result<Option<u64>> {
    let mut found: Option<(u64, i64)> = None;
    let is_asked = |row: &&SampleRow| row.stage == stage && row.view == view;
    samples.rows(case, triggers, backwards, |rows| {
        let mut asked = rows.iter().filter(is_asked);
        if search == Search::Worst {
            for row in asked {
                let longer = |latency: &Nanoseconds| found.is_none_or(|(_, most)| latency.0 > most);
                if let Some(latency) = row.latency.filter(longer) {
                    found = Some((row.seq, latency.0));
                }
            }
            return true;
        }
        let fits = |row: &&SampleRow| match search {
            Search::Any | Search::Worst => true,
            Search::Above(least) => row.latency.is_some_and(|latency| latency >= least),
            Search::Missing => row.is_missing(),
        };
        let one = if backwards { asked.rfind(fits) } else { asked.find(fits) };
        found = one.map(|row| (row.seq, 0));
        found.is_none()
    })?;
    Ok(found.map(|(seq, _)| seq))
}
