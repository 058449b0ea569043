// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Why a fleet cannot go on. A job that fails is no error: the journal has it.

use std::io;
use std::path::{Path, PathBuf};

use irqscope_rig::RigError;
use irqscope_scenario::ScenarioError;

/// Why a fleet cannot go on.
#[allow(missing_docs, reason = "each message names its fields")]
#[derive(Debug, thiserror::Error)]
pub enum FleetError {
    #[error("{}: cannot be read: {source}", .path.display())]
    Read { path: PathBuf, source: io::Error },

    #[error("cannot write {}: {source}", .path.display())]
    Write { path: PathBuf, source: io::Error },

    #[error(
        "cannot run setpriv, by which a fleet's processes end with it: {0}; apt install util-linux"
    )]
    NoSetpriv(io::Error),

    #[error("{}: {text}", .path.display())]
    Plan { path: PathBuf, text: String },

    /// One of the plan's scenarios is wrong with what the plan sets.
    #[error("{}: job {job}: {source}", .path.display())]
    Scenario { path: PathBuf, job: String, source: Box<ScenarioError> },

    #[error(
        "{} belongs to another plan: compare it with {}/plan.toml, and name another directory with --out", .plan.display(), .directory.display()
    )]
    OtherPlan { plan: PathBuf, directory: PathBuf },

    #[error("{} is no fleet's directory: it has no plan.toml", .0.display())]
    NoFleet(PathBuf),

    #[error(
        "{} is being worked on by another irqscope fleet run; wait for its end, or name another directory with --out", .0.display()
    )]
    Busy(PathBuf),

    #[error(
        "{}: line {line} of the journal is damaged ({why}); it was written by another program, or the disk is bad: move the directory away and begin anew", .path.display()
    )]
    Journal { path: PathBuf, line: usize, why: String },

    /// Python's words.
    #[error(
        "no run can be put into a lake ({0}): python3 -m irqscope.lake has to work; pip install 'irqscope[lake]' of this release's Python package brings it"
    )]
    NoLake(String),

    #[error(transparent)]
    Rig(#[from] RigError),
}

impl FleetError {
    pub(crate) fn read(path: &Path, source: io::Error) -> Self {
        Self::Read { path: path.to_owned(), source }
    }

    pub(crate) fn write(path: &Path, source: io::Error) -> Self {
        Self::Write { path: path.to_owned(), source }
    }
}
