// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The lines of the chosen cases and triggers.

use irqscope_analysis::Waves;
use irqscope_run::RunDir;

use super::Export;
use super::subject::Case;
use crate::foreign::ForeignError;

pub fn waves(run: &RunDir, cases: &[Case], what: &Export) -> Result<Vec<Waves>, ForeignError> {
    let index = run.index()?;
    let mut all = Vec::new();
    for case in cases {
        let mut data = run.case(&index, case.number)?;
        let end = what.triggers.map_or(u64::MAX, |count| what.first.saturating_add(count));
        data.rows.retain(|row| (what.first..end).contains(&row.seq));
        all.extend(Waves::of(&data));
    }
    if all.is_empty() {
        return Err(ForeignError::Nothing { of: " of stages".into() });
    }
    Ok(all)
}
