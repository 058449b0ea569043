// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The abilities of this machine, and what would spoil its figures. Looks, and changes nothing;
//! every finding but a fine one carries its remedy.

mod driver;
mod figures;
mod system;
mod twin;
mod vm;

use std::path::Path;

use system::System;

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
    /// The command to run or the setting to change; `None` where all is fine.
    pub remedy: Option<String>,
}

impl Finding {
    fn fine(topic: Topic, what: impl Into<String>) -> Self {
        Self { topic, level: Level::Fine, what: what.into(), remedy: None }
    }

    fn advice(topic: Topic, what: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { topic, level: Level::Advice, what: what.into(), remedy: Some(remedy.into()) }
    }

    fn problem(topic: Topic, what: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { topic, level: Level::Problem, what: what.into(), remedy: Some(remedy.into()) }
    }
}

/// Examines this machine. Takes up to ten seconds where KVM hangs.
pub fn examine() -> Vec<Finding> {
    let system = System::at(Path::new("/"));
    let mut findings = twin::examine(&system);
    findings.extend(twin::examine_stock());
    findings.extend(vm::examine(&system));
    findings.extend(driver::examine(&system));
    findings.extend(figures::examine(&system));
    findings
}
