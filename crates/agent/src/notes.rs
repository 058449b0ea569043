// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Settings that spoil a figure on a real machine: one closed enum, each with its remedy; and the
//! one thing that the agent does about it, which it reports.

use std::fs::File;
use std::io::{ErrorKind, Write};
use std::path::Path;

use irqscope_wire::{Load, Message, Note, Plan, Severity};
use nix::errno::Errno;

use crate::facts::{self, Facts};

#[allow(missing_docs, reason = "each text names its fields")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Observation {
    AbsentLoad(Load),
    Governor { cpu: u32, governor: String },
    RtThrottling { runtime_us: i64 },
    IdleStatesHeld,
    IdleStatesFree { why: String },
    IdleStatesLeft,
    NoRealTime { why: Errno },
    MemoryUnlocked { why: Errno },
    NotApart { cpu: u32 },
    EdgeByCall { why: Errno },
}

impl Observation {
    /// Returns it as a note.
    pub fn message(&self) -> Message {
        Message::Note(Note { severity: self.severity(), text: self.text() })
    }

    fn severity(&self) -> Severity {
        match self {
            Observation::IdleStatesHeld | Observation::IdleStatesLeft => Severity::Info,
            _ => Severity::Warning,
        }
    }

    fn text(&self) -> String {
        match self {
            Observation::AbsentLoad(load) => {
                format!("load {load} is not installed, and was left out; install it on the target")
            }
            Observation::Governor { cpu, governor } => format!(
                "the frequency of CPU {cpu} follows its load (governor `{governor}`); \
                 cpupower frequency-set -g performance holds it"
            ),
            Observation::RtThrottling { runtime_us } => format!(
                "real-time tasks are throttled after {runtime_us} us of a period, the measured \
                 ones too; sysctl kernel.sched_rt_runtime_us=-1 lets them run"
            ),
            Observation::IdleStatesHeld => "idle states are kept out of the figures: \
                 /dev/cpu_dma_latency is held at 0 while the case runs"
                .into(),
            Observation::IdleStatesFree { why } => format!(
                "idle states are in the figures: /dev/cpu_dma_latency cannot be held at 0 \
                 ({why}); run as root"
            ),
            Observation::IdleStatesLeft => "idle states are in the figures, as asked: \
                 /dev/cpu_dma_latency is not held"
                .into(),
            Observation::NoRealTime { why } => format!(
                "real-time policies are refused ({why}): what asked for one ran as SCHED_OTHER, \
                 and its figures are those of an ordinary process; run as root, or grant \
                 CAP_SYS_NICE or RLIMIT_RTPRIO"
            ),
            Observation::MemoryUnlocked { why } => format!(
                "memory cannot be locked ({why}): page faults may be in the figures; run as root, \
                 or grant CAP_IPC_LOCK or raise RLIMIT_MEMLOCK"
            ),
            Observation::NotApart { cpu } => format!(
                "CPU {cpu} is under test and also runs the agent, since it may use no other; \
                 widen its cpuset"
            ),
            Observation::EdgeByCall { why } => format!(
                "the user stage cannot drive its line itself ({why}): its edges are made by a \
                 system call, some 500 instructions that its latency from outside includes; run as \
                 root, on a kernel that is not locked down"
            ),
        }
    }
}

/// Returns what the machine's settings do to this plan's figures.
pub fn observe(root: &Path, plan: &Plan, facts: &Facts, apart: bool) -> Vec<Observation> {
    let runtime = facts::read_line(&root.join("proc/sys/kernel/sched_rt_runtime_us"));
    let runtime_us = runtime.and_then(|text| text.parse().ok()).unwrap_or(-1);
    [
        scaled(plan.cpu, &facts.governor),
        (runtime_us >= 0 && plan.uses_real_time())
            .then_some(Observation::RtThrottling { runtime_us }),
        (!apart && facts.online.len() > 1).then_some(Observation::NotApart { cpu: plan.cpu }),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Notes a CPU whose frequency follows its load.
pub fn scaled(cpu: u32, governor: &str) -> Option<Observation> {
    let follows = !["none", "performance"].contains(&governor);
    follows.then(|| Observation::Governor { cpu, governor: governor.into() })
}

/// Keeps the CPUs out of deep idle states for as long as it lives.
#[derive(Debug)]
pub struct IdleStates(#[expect(dead_code, reason = "held open: that is its effect")] Option<File>);

impl IdleStates {
    /// Unless the plan leaves them as they are.
    pub fn of_plan(root: &Path, plan: &Plan) -> (Option<IdleStates>, Option<Observation>) {
        if plan.idle_states {
            return (None, Some(Observation::IdleStatesLeft));
        }
        let (held, told) = IdleStates::hold(root);
        (Some(held), told)
    }

    /// Holds CPUs out of deep idle states for as long as the result lives.
    pub fn hold(root: &Path) -> (IdleStates, Option<Observation>) {
        let held = File::options()
            .write(true)
            .open(root.join("dev/cpu_dma_latency"))
            .and_then(|mut file| file.write_all(&0i32.to_ne_bytes()).map(|()| file));
        match held {
            Ok(file) => (IdleStates(Some(file)), Some(Observation::IdleStatesHeld)),
            // A kernel without idle states has nothing to hold.
            Err(error) if error.kind() == ErrorKind::NotFound => (IdleStates(None), None),
            Err(error) => {
                let why = error.to_string();
                (IdleStates(None), Some(Observation::IdleStatesFree { why }))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::tests::plan;
    use std::fs;

    fn facts(governor: &str) -> Facts {
        Facts { governor: governor.into(), ..facts::gather(Path::new("/nowhere"), 0) }
    }

    fn throttled(runtime: &str) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("proc/sys/kernel")).unwrap();
        fs::write(root.path().join("proc/sys/kernel/sched_rt_runtime_us"), runtime).unwrap();
        root
    }

    #[test]
    fn a_machine_that_is_set_up_well_is_not_commented() {
        let root = throttled("-1\n");
        assert_eq!(observe(root.path(), &plan(), &facts("performance"), true), []);
        assert_eq!(observe(root.path(), &plan(), &facts("none"), true), []);
    }

    #[test]
    fn what_spoils_figures_is_told_with_its_remedy() {
        let root = throttled("950000\n");
        let seen = observe(root.path(), &plan(), &facts("powersave"), true);
        assert!(seen[0].text().contains("powersave") && seen[0].text().contains("cpupower"));
        assert!(seen[1].text().contains("950000") && seen[1].text().contains("sysctl"));
    }

    #[test]
    fn idle_states_are_held_by_an_open_file_and_that_is_told() {
        let root = tempfile::tempdir().unwrap();
        assert_eq!(IdleStates::hold(root.path()).1, None);
        fs::create_dir(root.path().join("dev")).unwrap();
        let path = root.path().join("dev/cpu_dma_latency");
        fs::write(&path, "").unwrap();
        assert_eq!(IdleStates::hold(root.path()).1, Some(Observation::IdleStatesHeld));
        assert_eq!(fs::read(path).unwrap(), [0; 4]);
    }
}
