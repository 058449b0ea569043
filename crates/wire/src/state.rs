// SPDX-License-Identifier: Apache-2.0 OR MIT
//! System states: which loads run while a case is measured.

use alloc::{string::String, vec::Vec};
use serde::{Deserialize, Serialize};

use crate::name::named;
use crate::{OwnLoad, Policy, Scheduling};

named! {
    /// Background work of one kind on the target.
    Load, "load", {
        /// One process that never sleeps.
        Busy = "busy",
        /// 256 processes that never sleep.
        Busy256 = "busy256",
        /// A stream over loopback TCP.
        Tcp = "tcp",
        /// Copying a file again and again.
        Copy = "copy",
        /// fork and exec without pause.
        Exec = "exec",
        /// One process that never sleeps, of real-time priority.
        Hog = "hog",
        /// Mapping, touching and unmapping memory.
        Memory = "memory",
        /// The scheduler benchmark, where it is installed.
        Hackbench = "hackbench",
        /// stress-ng's mixed stressors, where it is installed.
        StressNg = "stress-ng",
        /// Making, listing and removing many small files.
        Files = "files",
        /// A stream over TCP to a guest's other network card.
        Network = "network",
    }
}

/// A named set of loads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SystemState {
    /// The state's name.
    pub name: String,
    /// The loads that run in it.
    pub loads: Vec<Load>,
    /// Policy and priority of load `hog`; none: [`HOG`].
    #[serde(default)]
    pub hog: Option<Scheduling>,
    /// Loads that the scenario brings; they run beside the others.
    #[serde(default)]
    pub own: Vec<OwnLoad>,
}

impl SystemState {
    /// Makes a state of these loads.
    pub fn of(name: impl Into<String>, loads: Vec<Load>) -> Self {
        Self { name: name.into(), loads, hog: None, own: Vec::new() }
    }

    /// Returns whether nothing runs in it.
    pub fn is_idle(&self) -> bool {
        self.loads.is_empty() && self.own.is_empty()
    }

    /// Returns the names of all its loads.
    pub fn load_names(&self) -> Vec<&str> {
        let own = self.own.iter().map(|load| load.name.as_str());
        self.loads.iter().map(|load| load.name()).chain(own).collect()
    }

    /// Returns the loads that are started with a real-time priority, by name.
    pub fn urgent_loads(&self) -> Vec<(&str, Scheduling)> {
        let hog = self.loads.contains(&Load::Hog);
        let hog = hog.then(|| (Load::Hog.name(), self.hog.unwrap_or(HOG)));
        let own = self.own.iter().filter_map(|load| Some((load.name.as_str(), load.scheduling?)));
        let all = hog.into_iter().chain(own);
        all.filter(|(_, scheduling)| scheduling.policy != Policy::Other).collect()
    }
}

/// Above all that is not real-time, below the interrupt threads of an RT kernel.
pub const HOG: Scheduling = Scheduling { policy: Policy::Fifo, priority: 40 };
