// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One thing that was looked at, and how it is.

use crate::error::RigError;

/// The subject of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Topic {
    /// Running the twin.
    Twin,
    /// Running a machine in real time behind a doorbell.
    Vm,
    /// Building and loading the driver: measuring the machine in hand.
    Native,
    /// Influences besides the kernel that a native measurement would show.
    Figures,
}

impl Topic {
    /// All topics, in the order in which they are printed.
    pub const ALL: [Topic; 4] = [Topic::Twin, Topic::Vm, Topic::Native, Topic::Figures];

    /// Returns the topic's name.
    pub const fn name(self) -> &'static str {
        match self {
            Topic::Twin => "twin",
            Topic::Vm => "vm",
            Topic::Native => "native",
            Topic::Figures => "figures",
        }
    }
}

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Nothing has to be done.
    Fine,
    /// It works, but the figures are worse or say less than they could.
    Advice,
    /// It does not work.
    Problem,
}

/// One finding about this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Its subject.
    pub topic: Topic,
    /// How much it matters.
    pub level: Level,
    /// The finding, in words.
    pub what: String,
    /// The command to run or the setting to change; `None` where all is fine.
    pub remedy: Option<String>,
}

impl Finding {
    pub(super) fn fine(topic: Topic, what: impl Into<String>) -> Self {
        Self { topic, level: Level::Fine, what: what.into(), remedy: None }
    }

    pub(super) fn advice(topic: Topic, what: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { topic, level: Level::Advice, what: what.into(), remedy: Some(remedy.into()) }
    }

    pub(super) fn problem(
        topic: Topic,
        what: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        Self { topic, level: Level::Problem, what: what.into(), remedy: Some(remedy.into()) }
    }

    /// Makes a problem of an error in what is needed.
    pub(super) fn of_error(topic: Topic, error: RigError) -> Self {
        match error {
            RigError::Unready { what, remedy } => Self::problem(topic, what, remedy),
            other => Self::problem(topic, other.to_string(), "mend what it says"),
        }
    }
}
