// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The instructions from a trigger to a stage's edge, by function: the path trace of the twin,
//! resolved with the guest's own symbols.
//!
//! `interval` finds a sample's instructions in what was recorded and counts
//! them, `calls` makes a call tree of them, `difference` compares two.

mod calls;
mod difference;
mod grown;
mod interval;
mod sample;
mod shown;

pub use calls::{CallTree, FunctionCount, Node};
pub use difference::{Difference, FunctionDifference};
pub use sample::{At, CasePath, PathCheck, PathSample};
pub use shown::{ComparedPaths, ShownPath};

/// Errors of reading paths.
#[allow(missing_docs, reason = "each message names its fields")]
#[derive(Debug, thiserror::Error)]
pub enum PathError {
    #[error("{case} has no path: record it in the twin with irqscope run … --trace N")]
    NotTraced { case: String },
    #[error("{case} has no names of functions: the guest did not send them; run it again")]
    NoSymbols { case: String },
    #[error("there is no case `{case}`; there are {have}")]
    NoCase { case: String, have: String },
    #[error("no traced trigger of {case} has an answer of stage {stage}; there are {have}")]
    NoStage { case: String, stage: String, have: String },
    #[error(
        "trigger {seq} was not traced, or stage {stage} did not answer it; {first} to {last} were"
    )]
    NoSeq { seq: u64, stage: String, first: u64, last: u64 },
}
