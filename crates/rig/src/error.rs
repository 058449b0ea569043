// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Errors between here and a target.

use std::path::{Path, PathBuf};

use crate::generator::GeneratorError;
use crate::text::last_lines;

/// Errors between here and a target.
#[allow(missing_docs, reason = "each message names its fields")]
#[derive(Debug, thiserror::Error)]
pub enum RigError {
    /// Something has to be installed, named or permitted first.
    #[error("{what}\n  remedy: {remedy}")]
    Unready { what: String, remedy: String },
    /// The target hung, panicked, complained or cannot be reached.
    #[error("{what}{}", console_tail(.console, .tail))]
    Lost { what: String, console: Option<PathBuf>, tail: String },
    /// The target answered that it could not do the case.
    #[error("{what}\n  remedy: {remedy}")]
    Refused { what: String, remedy: String },
    /// It measured, but the measurement cannot be trusted.
    #[error("the measurement is invalid: {what}\n  remedy: {remedy}")]
    Invalid { what: String, remedy: String },
    #[error("{what}: {source}")]
    Io { what: String, source: std::io::Error },
    /// The keeping of frames failed.
    #[error(transparent)]
    Keep(Box<dyn std::error::Error + Send + Sync>),
    #[error(transparent)]
    Generator(#[from] GeneratorError),
    #[error("interrupted")]
    Interrupted,
}

/// A result with this crate's error.
pub type Result<T, E = RigError> = std::result::Result<T, E>;

fn console_tail(console: &Option<PathBuf>, tail: &str) -> String {
    match console {
        Some(path) => format!("\n  console log: {}\n{tail}", path.display()),
        None => String::new(),
    }
}

impl RigError {
    pub(crate) fn unready(what: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self::Unready { what: what.into(), remedy: remedy.into() }
    }
}

/// Makes the error for a target that was lost, with the last lines of its console log.
pub(crate) fn lost(what: impl Into<String>, console: &Path) -> RigError {
    let text = std::fs::read(console).unwrap_or_default();
    let tail = last_lines(&String::from_utf8_lossy(&text), 12);
    RigError::Lost { what: what.into(), console: Some(console.to_owned()), tail }
}

/// Names what was tried when a system call fails.
pub(crate) trait Trying<T> {
    fn trying(self, what: impl FnOnce() -> String) -> Result<T>;
}

impl<T> Trying<T> for std::io::Result<T> {
    fn trying(self, what: impl FnOnce() -> String) -> Result<T> {
        self.map_err(|source| RigError::Io { what: what(), source })
    }
}
