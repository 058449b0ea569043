// SPDX-License-Identifier: Apache-2.0 OR MIT
use irqscope_analysis::AnalysisError;
use irqscope_run::RunError;

/// Errors of writing a report.
#[allow(missing_docs, reason = "each message names its fields")]
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    #[error(transparent)]
    Run(#[from] RunError),

    #[error(transparent)]
    Analysis(#[from] AnalysisError),

    #[error(
        "cannot draw PNG figures: this machine has no font; install one (apt-get install fonts-dejavu-core). The SVG figures and report.html were written"
    )]
    NoFont,

    #[error("cannot draw {figure} as PNG: {what}; its SVG was written")]
    Drawing { figure: String, what: String },
}
