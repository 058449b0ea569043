// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The machine that `irqscope` runs on.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// Facts about the host; a field that cannot be found out is empty. The name
/// of the machine is left out: runs are passed on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Host {
    /// The distribution.
    pub os: String,
    /// `uname -r`.
    pub kernel: String,
    /// `uname -m`.
    pub machine: String,
    /// The CPU's model.
    pub cpu_model: String,
    /// The number of CPUs.
    pub cpus: u32,
    /// Versions of the programs that the rig used, such as `qemu`.
    pub tools: BTreeMap<String, String>,
}

/// The agent's name among the tools. Its version is the beginning of its SHA-256.
pub const AGENT: &str = "irqscope-agent";

impl Host {
    /// Adds the build of the agent that the target is to execute.
    #[must_use]
    pub fn and_agent(mut self, path: &Path) -> Self {
        if let Ok(bytes) = fs::read(path) {
            let digest = Sha256::digest(bytes);
            let version = digest.iter().take(6).map(|byte| format!("{byte:02x}")).collect();
            self.tools.insert(AGENT.to_owned(), version);
        }
        self
    }

    /// Looks at the machine in hand.
    pub fn current() -> Self {
        Self {
            os: os_name().unwrap_or_default(),
            kernel: line("/proc/sys/kernel/osrelease").unwrap_or_default(),
            machine: std::env::consts::ARCH.into(),
            cpu_model: cpu_model().unwrap_or_default(),
            cpus: std::thread::available_parallelism().map_or(0, |n| n.get() as u32),
            tools: BTreeMap::new(),
        }
    }
}

fn line(path: &str) -> Option<String> {
    Some(fs::read_to_string(path).ok()?.trim().to_owned())
}

fn os_name() -> Option<String> {
    let text = fs::read_to_string("/etc/os-release").ok()?;
    let value = text.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="))?;
    Some(value.trim_matches('"').to_owned())
}

fn cpu_model() -> Option<String> {
    let text = fs::read_to_string("/proc/cpuinfo").ok()?;
    let (_, value) = text.lines().find(|line| line.starts_with("model name"))?.split_once(':')?;
    Some(value.trim().to_owned())
}
