// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Errors of foreign files: which file, where in it, and why.

use std::io;
use std::path::{Path, PathBuf};

use irqscope_analysis::AnalysisError;
use irqscope_quantity::excerpt;
use irqscope_run::RunError;

/// Errors of foreign files.
#[allow(missing_docs, reason = "each message names its fields")]
#[derive(Debug, thiserror::Error)]
pub enum ForeignError {
    #[error(transparent)]
    Run(#[from] RunError),

    #[error(transparent)]
    Analysis(#[from] AnalysisError),

    #[error("{}: cannot be read: {source}", .path.display())]
    Read { path: PathBuf, source: io::Error },

    /// A part of the file is not what its format has there.
    #[error("{}: {place}: {why}", .path.display())]
    Wrong { path: PathBuf, place: Place, why: String },

    #[error(
        "{}: neither of cyclictest, oslat, jitterdebugger, rtla, latmus nor irqscope's CSV ({why}); give the file as the tool wrote it, or say with --format what it is", .path.display()
    )]
    Unrecognised { path: PathBuf, why: String },

    #[error("{format} holds one case, and this run has {}: choose one with --case", .cases.join(", "))]
    SeveralCases { format: &'static str, cases: Vec<String> },

    #[error(
        "KCIDB's results belong to one build, and the cases {} are of several kernels: choose one with --case", .cases.join(", ")
    )]
    SeveralKernels { cases: Vec<String> },

    #[error("the run has no case {asked}; there are {}", .cases.join(", "))]
    NoCase { asked: String, cases: Vec<String> },

    #[error("the run has no samples{of} to export")]
    Nothing { of: String },

    #[error("{what} has values below zero, which {format} cannot hold; export csv")]
    Negative { what: String, format: &'static str },

    #[error("cannot write the export: {0}; check the disk, or choose another file with --out")]
    Write(#[from] io::Error),

    #[error("cannot write {format}: {why}")]
    Unwritable { format: &'static str, why: String },
}

/// Where in a file.
#[allow(missing_docs, reason = "each message names its fields")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// From 1.
    Line(u64),
    /// Byte, from 0.
    Offset(u64),
    /// Of a JSON document: `thread 0, histogram`.
    Key(String),
    End,
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Line(line) => write!(f, "line {line}"),
            Self::Offset(offset) => write!(f, "byte {offset}"),
            Self::Key(key) => f.write_str(key),
            Self::End => f.write_str("at its end"),
        }
    }
}

impl ForeignError {
    pub(crate) fn wrong(path: &Path, place: Place, why: impl Into<String>) -> Self {
        // It quotes the file.
        let why = excerpt(&why.into()).into_owned();
        Self::Wrong { path: path.to_owned(), place, why }
    }
}
