// SPDX-License-Identifier: Apache-2.0 OR MIT
use std::path::PathBuf;

use irqscope_run::RunError;

use crate::{CompareError, GateError, PathError, TailError};

/// Errors of an analysis.
#[allow(missing_docs, reason = "each message names its fields")]
#[derive(Debug, thiserror::Error)]
pub enum AnalysisError {
    #[error(transparent)]
    Run(#[from] RunError),

    #[error(transparent)]
    Path(#[from] PathError),

    #[error(transparent)]
    Compare(#[from] CompareError),

    #[error(transparent)]
    Gate(#[from] GateError),

    #[error(transparent)]
    Tail(#[from] TailError),

    #[error("{} cannot be read: {source}; derive it again: irqscope report", .path.display())]
    Json { path: PathBuf, source: serde_json::Error },

    #[error(
        "{} is of version {version}, and this program reads {ours}; derive it again: irqscope report",
        .path.display()
    )]
    Version { path: PathBuf, version: u32, ours: u32 },

    /// The figures were derived and written, but must not be trusted.
    #[error("the measurement is invalid: {}", .violations.join("; "))]
    InvalidMeasurement { violations: Vec<String> },
}

impl AnalysisError {
    /// Returns whether something was measured, but must not be used.
    pub fn is_invalid_measurement(&self) -> bool {
        matches!(self, Self::InvalidMeasurement { .. } | Self::Gate(GateError::NoVerdict { .. }))
    }
}
