// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Errors of a scenario, and how to mend them.

use std::path::PathBuf;

use crate::sweep::SweepError;

/// Errors of a scenario.
#[allow(missing_docs, reason = "each message names its fields")]
#[derive(Debug, thiserror::Error)]
pub enum ScenarioError {
    #[error("{0}")]
    Unknown(String),
    #[error("cannot read scenario {path}: {source}")]
    Read { path: PathBuf, source: std::io::Error },
    /// A wrong key, value or type, with the place where it stands.
    #[error("{file}:{line}:{column}: {message}\n    {text}")]
    Content { file: String, line: usize, column: usize, message: String, text: String },
    #[error("{file}: {message}")]
    Meaning { file: String, message: String },
    #[error("count is {} to {}, not {count}", limits.start(), limits.end())]
    Count { count: u64, limits: std::ops::RangeInclusive<u64> },
    #[error(
        "a path can be traced in rig twin with trigger.kind = \"line\" only, where the machine is \
         emulated and its generator sees each instruction; this is rig {rig}, or another trigger"
    )]
    Untraceable { rig: &'static str },
    #[error(transparent)]
    Sweep(#[from] SweepError),
}

impl ScenarioError {
    /// Turns a byte offset in `source` into a place that an editor can jump to.
    pub(crate) fn at(file: &str, source: &str, offset: usize, message: String) -> Self {
        let before = &source[..floor_char_boundary(source, offset)];
        let line = before.matches('\n').count() + 1;
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let column = before[start..].chars().count() + 1;
        let text = source[start..].lines().next().unwrap_or("").trim().to_owned();
        Self::Content { file: file.to_owned(), line, column, message, text }
    }
}

fn floor_char_boundary(text: &str, offset: usize) -> usize {
    (0..=offset.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}
