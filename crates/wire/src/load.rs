// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Loads of one's own, and settings of the target's kernel: a plan has what the agent needs to start
//! the first and to make the second.

use alloc::{string::String, vec::Vec};
use serde::{Deserialize, Serialize};

use crate::name::named;
use crate::{Load, Scheduling};

named! {
    /// How a case goes on when a load of one's own ends by itself with success. A load that fails
    /// always fails its case.
    AtEnd, "end of a load", {
        /// The case fails: the system state is not the one asked for any more.
        Fail = "fail",
        /// The load is started again.
        Restart = "restart",
        /// The case goes on without it.
        GoOn = "go-on",
    }
}

/// The unit in which a load counts its work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkUnit {
    /// A byte that was sent.
    Byte,
    /// A file that was made, listed and removed.
    File,
}

impl Load {
    /// Returns the unit of its work; `None`: it does not count.
    pub const fn work_unit(self) -> Option<WorkUnit> {
        match self {
            Self::Tcp | Self::Network => Some(WorkUnit::Byte),
            Self::Files => Some(WorkUnit::File),
            Self::Busy
            | Self::Busy256
            | Self::Copy
            | Self::Exec
            | Self::Hog
            | Self::Memory
            | Self::Hackbench
            | Self::StressNg => None,
        }
    }
}

/// The CPU of a load of one's own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LoadCpu {
    /// The CPU under test.
    #[default]
    Tested,
    /// Any that the scheduler chooses.
    Any,
    /// This one.
    Number(u32),
}

/// A load that the scenario brings: a command, and how it is run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnLoad {
    /// Its name in the scenario.
    pub name: String,
    /// The program and its arguments.
    pub command: Vec<String>,
    /// Names and values that are added to the environment.
    pub environment: Vec<(String, String)>,
    /// How many of it run at the same time.
    pub count: u16,
    /// Its CPU.
    pub cpu: LoadCpu,
    /// Its policy and priority; none: those of the agent, `other`.
    pub scheduling: Option<Scheduling>,
    /// The number or the name of the user that it runs as; none: the agent's, which is root as a rule.
    pub user: Option<String>,
    /// Its end.
    pub at_end: AtEnd,
    /// It runs in network namespace `peer`, which has the guest's other network card.
    #[serde(default)]
    pub peer: bool,
    /// It has brought a root file system, and runs in it.
    #[serde(default)]
    pub has_root: bool,
}

/// A setting of the kernel under `/proc/sys`, and its value while the case runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sysctl {
    /// Its name with dots, `kernel.sched_rt_runtime_us`.
    pub name: String,
    /// Its value, as it is written and read.
    pub value: String,
}
