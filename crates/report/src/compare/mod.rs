// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A comparison, and its words.

mod table;
mod verdict;

use irqscope_analysis::{Comparison, MeasuredCase};

pub use table::comparison_table;
pub(crate) use table::{cells, difference_text, head, notes, unit};
pub(crate) use verdict::verdicts;

/// A comparison with what it is of.
pub struct Compared<'a> {
    /// The figures of the comparison.
    pub comparison: &'a Comparison,
    /// The case that is compared with.
    pub base: &'a MeasuredCase,
    /// The case that is compared.
    pub other: &'a MeasuredCase,
}

impl Compared<'_> {
    /// Stands wherever figures of the twin are shown.
    pub(crate) fn caveat(&self) -> Option<String> {
        let ns = self.base.summary.instruction_femtoseconds? as f64 / 1e6;
        Some(format!(
            "virtual nanoseconds: executed instructions x {ns} ns; \
             the structure of a latency, not a hardware latency"
        ))
    }
}
