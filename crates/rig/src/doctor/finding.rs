// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One thing that was looked at, and how it is.

/// What a finding is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Topic {
    /// Running the twin.
    Twin,
    /// Running a machine in real time behind a doorbell.
    Vm,
    /// Building and loading the driver: measuring the machine in hand.
    Native,
    /// What a native measurement would show besides the kernel.
    Figures,
}

impl Topic {
    pub const ALL: [Topic; 4] = [Topic::Twin, Topic::Vm, Topic::Native, Topic::Figures];

    pub const fn name(self) -> &'static str {
        match self {
            Topic::Twin => "twin",
            Topic::Vm => "vm",
            Topic::Native => "native",
            Topic::Figures => "figures",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    Fine,
    /// It works, but the figures are worse or say less than they could.
    Advice,
    /// It does not work.
    Problem,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub topic: Topic,
    pub level: Level,
    pub what: String,
    /// What to run or to change; `None` where all is fine.
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
}
