// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Errors of a scenario: what is wrong, where, and how to mend it.

use std::fmt;
use std::path::PathBuf;

use irqscope_quantity::{EXCERPT, excerpt, shortened};

use crate::check::Rule;

/// Errors of a scenario.
#[allow(missing_docs, reason = "each message names its fields")]
#[derive(Debug, thiserror::Error)]
pub enum ScenarioError {
    /// A name that no scenario, no benchmark and no setting has.
    #[error("{0}")]
    Unknown(String),
    #[error("cannot read scenario {path}: {source}")]
    Read { path: PathBuf, source: std::io::Error },
    /// Everything that is wrong, in the order in which it was found; never empty.
    #[error("{}", lines(.0))]
    Wrong(Vec<Flaw>),
}

impl ScenarioError {
    /// Returns the rules that were broken.
    pub fn rules(&self) -> impl Iterator<Item = &Rule> {
        let flaws = if let Self::Wrong(flaws) = self { &flaws[..] } else { &[] };
        flaws.iter().filter_map(|flaw| match &flaw.what {
            Wrong::Rule(rule) => Some(rule),
            Wrong::Content(_) => None,
        })
    }
}

fn lines(flaws: &[Flaw]) -> String {
    flaws.iter().map(Flaw::to_string).collect::<Vec<_>>().join("\n")
}

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flaw {
    /// Where it stands.
    pub place: Place,
    /// Its kind.
    pub what: Wrong,
}

/// The kinds of flaws.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wrong {
    /// A key, value or type that no scenario has.
    Content(String),
    /// Keys that do not go together, or a value out of its range.
    Rule(Rule),
}

/// Where something stands.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the fields of a place are what they are called")]
pub enum Place {
    /// A line of the file.
    Line { file: String, line: usize, column: usize, text: String },
    /// Nowhere in the file: it is missing, or follows from what is not written.
    File(String),
    /// `KEY=VALUE`, as it was set outside the file.
    Option(String),
}

impl Place {
    /// Turns a byte offset into a place that an editor can jump to.
    pub(crate) fn in_text(file: &str, source: &str, offset: usize) -> Self {
        let before = &source[..floor_char_boundary(source, offset)];
        let line = before.matches('\n').count() + 1;
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let column = before[start..].chars().count() + 1;
        let text = source[start..].lines().next().unwrap_or("").trim();
        let text = excerpt(text).into_owned();
        Self::Line { file: file.to_owned(), line, column, text }
    }
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { place, what } = self;
        match place {
            Place::Line { file, line, column, text } => {
                write!(f, "{file}:{line}:{column}: {what}\n    {text}")
            }
            Place::File(file) => write!(f, "{file}: {what}"),
            Place::Option(option) => write!(f, "{option} (command line): {what}"),
        }
    }
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // It may quote a key of any length, and beside it all that are possible.
            Self::Content(message) => f.write_str(&shortened(message, 5 * EXCERPT)),
            Self::Rule(rule) => rule.fmt(f),
        }
    }
}

fn floor_char_boundary(text: &str, offset: usize) -> usize {
    (0..=offset.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}
