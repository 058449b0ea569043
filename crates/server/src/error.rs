// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Errors of the session and of finished runs, without any HTTP.

use std::io;

use irqscope_analysis::AnalysisError;
use irqscope_report::ReportError;
use irqscope_rig::generator::GeneratorError;
use irqscope_run::{ExecuteError, RunError};
use irqscope_scenario::{ScenarioError, Unconfined};
use serde::Serialize;
use serde_json::Value;

/// Why a request to a [`crate::Session`] is not met, or its measurement failed.
#[allow(missing_docs, reason = "each message names its fields")]
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    #[error("a measurement is under way\n  remedy: stop it first")]
    Busy,
    #[error("no generator is connected\n  remedy: connect one by its address, HOST:PORT")]
    NotConnected,
    #[error("nothing is being measured")]
    NotRunning,
    #[error("the session has ended")]
    Closed,
    #[error("a thread of the measurement has failed: see what it printed")]
    Panicked,
    #[error(transparent)]
    Setting(#[from] SettingError),
    #[error(
        "the generator watches {lines} lines: name as many stages, each once; {named} were named"
    )]
    Stages { lines: usize, named: usize },
    #[error("the scenario has no such states")]
    NoSuchState,
    #[error(
        "the page names kernels of Debian's and those of irqscope's recipes; give others on the \
         command line: irqscope serve SCENARIO --kernel {0}"
    )]
    KernelOfFile(String),
    #[error(transparent)]
    Scenario(#[from] ScenarioError),
    #[error(transparent)]
    Unconfined(#[from] Unconfined),
    #[error(transparent)]
    Generator(#[from] GeneratorError),
    #[error(transparent)]
    Execute(Box<ExecuteError>),
    #[error(transparent)]
    Derive(#[from] DeriveError),
}

impl From<ExecuteError> for SessionError {
    fn from(error: ExecuteError) -> Self {
        Self::Execute(Box::new(error))
    }
}

/// Why settings cannot be asked for.
#[allow(missing_docs, reason = "each message names its fields")]
#[derive(Debug, thiserror::Error)]
pub enum SettingError {
    #[error("no setting is named")]
    None,
    #[error("there is no setting `{0}`")]
    Unknown(String),
    #[error("{0} and {1} say the same: name one of them")]
    Twice(String, &'static str),
    #[error("{key} cannot be {value}")]
    NoValue { key: String, value: Value },
}

/// Why the figures and the report of a run cannot be made.
#[allow(missing_docs, reason = "each is the error of the crate that it is from")]
#[derive(Debug, thiserror::Error)]
pub enum DeriveError {
    #[error(transparent)]
    Analysis(#[from] AnalysisError),
    #[error(transparent)]
    Report(#[from] ReportError),
}

/// Why a finished run, or a file of it, cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum RunsError {
    #[error("there is no run `{0}`")]
    NoRun(String),
    #[error("the run has no run.log")]
    NoLog,
    #[error("the run has no file `{0}`")]
    NoFile(String),
    #[error("cannot read {name}: {source}")]
    Unread { name: &'static str, source: io::Error },
    #[error(transparent)]
    Run(#[from] RunError),
    #[error(transparent)]
    Derive(#[from] DeriveError),
}

/// An error as people read it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Trouble {
    /// The event, in one sentence.
    pub what: String,
    /// How to mend it; may be empty.
    pub remedy: String,
}

impl Trouble {
    /// Splits an error's text: those of libraries name their remedy on a line of its own.
    pub fn of(error: impl ToString) -> Self {
        let text = error.to_string();
        let (what, remedy) = text.split_once("\n  remedy: ").unwrap_or((&text, ""));
        Self { what: what.to_owned(), remedy: remedy.to_owned() }
    }
}
