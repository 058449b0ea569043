// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Which CPU injects and watches, and how it is taken from the scheduler.

use std::path::Path;

use irqscope_wire::{Note, Policy, Role, Scheduling, Severity, ThreadFact};

use crate::error::{Error, Result};
use crate::threads::scan::threads;
use crate::{facts, scheduling};

const WHO: &str = "the generator";
/// Above all that is measured.
const FIFO: Scheduling = Scheduling { policy: Policy::Fifo, priority: 98 };
const NICE: i32 = -20;

/// A CPU that is not under test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spare {
    pub cpu: u32,
    /// The kernel was booted to leave it alone (`isolcpus`).
    is_isolated: bool,
    /// It shares a core with the CPU under test.
    is_sibling: bool,
}

/// How the loop is set apart from other threads on its CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rank {
    /// Not at all: it has to let them run.
    Equal,
    /// Above all ordinary ones, which the scheduler takes elsewhere.
    Nice,
    Fifo,
}

/// Where the loop runs, and how.
#[derive(Debug)]
pub struct Placement {
    cpu: u32,
    rank: Rank,
}

impl Placement {
    /// Prepares the calling thread. A right that it cannot have shows in how often it polls.
    pub fn go(&self) {
        let pinned = scheduling::pin(WHO, self.cpu);
        let scheduled = match self.rank {
            Rank::Equal => Ok(()),
            Rank::Nice => scheduling::be_nice(WHO, NICE),
            Rank::Fifo => scheduling::schedule(WHO, FIFO),
        };
        for error in [pinned, scheduled].into_iter().filter_map(Result::err) {
            eprintln!("irqscope-agent: warning: {error}; {}", error.remedy());
        }
    }
}

impl Spare {
    /// Chooses the CPU that is asked for, or the best one: isolated rather than not, on another
    /// core rather than on the same, the last one rather than another.
    pub fn choose(root: &Path, asked: Option<u32>, under_test: u32) -> Result<Self> {
        let list = |path: &str| {
            let text = facts::read_line(&root.join("sys/devices/system/cpu").join(path));
            text.and_then(|text| facts::parse_cpus(&text)).unwrap_or_default()
        };
        let siblings = list(&format!("cpu{under_test}/topology/thread_siblings_list"));
        let isolated = list("isolated");
        let candidates = list("online").into_iter().filter(|cpu| *cpu != under_test);
        candidates
            .map(|cpu| Self {
                cpu,
                is_isolated: isolated.contains(&cpu),
                is_sibling: siblings.contains(&cpu),
            })
            .filter(|spare| asked.is_none_or(|cpu| cpu == spare.cpu))
            .max_by_key(|spare| (spare.is_isolated, !spare.is_sibling, spare.cpu))
            .ok_or(Error::NoSpareCpu { under_test, asked })
    }

    /// Keeps the calling thread, and what it starts from now on, away from the CPU
    /// under test, and from this one where there is a third. Says how the loop is to
    /// be placed, and what is not as it should be.
    ///
    /// A loop that never sleeps keeps lower threads from running for as long as a run
    /// takes. So it is real-time only on a CPU that was isolated for such a thing and
    /// has no thread bound to it that somebody waits for. Nor where the kernel
    /// throttles such threads: it would be blind for 50 ms in every second.
    pub fn take(&self, root: &Path, under_test: u32) -> (Placement, Vec<Note>) {
        let apart = scheduling::keep_off_all(&[under_test, self.cpu]);
        let alone = apart || !scheduling::keep_off_all(&[under_test]);
        let bound = self.bound(&threads(root));
        let rank = match apart {
            // The threads that talk to the host are there as well.
            false => Rank::Equal,
            true if self.is_isolated && bound.is_none() && !throttles(root) => Rank::Fifo,
            true => Rank::Nice,
        };
        let mut notes = self.notes(apart, alone, rank);
        notes.extend(bound);
        (Placement { cpu: self.cpu, rank }, notes)
    }

    /// Lists others that cannot be taken off this CPU. (Of the kernel's own threads every CPU has
    /// some; they have little to do where nothing else runs.)
    fn bound(&self, threads: &[ThreadFact]) -> Option<Note> {
        let bound = |thread: &&ThreadFact| {
            matches!(thread.role, Role::User | Role::Interrupt) && thread.cpus == [self.cpu]
        };
        let names: Vec<&str> =
            threads.iter().filter(bound).map(|thread| thread.name.as_str()).collect();
        (!names.is_empty()).then(|| {
            warning(format!(
                "threads are bound to CPU {}, where they interrupt the generator: {}; bind them to \
                 another one (irqscope-agent threads --set)",
                self.cpu,
                names.join(", ")
            ))
        })
    }

    fn notes(&self, apart: bool, alone: bool, rank: Rank) -> Vec<Note> {
        let cpu = self.cpu;
        let how = match rank {
            Rank::Equal => "as an ordinary thread",
            Rank::Nice => "as an ordinary thread at nice -20",
            Rank::Fifo => "with SCHED_FIFO 98",
        };
        let mut notes = vec![info(format!("CPU {cpu} injects and watches, {how}"))];
        if !apart && alone {
            notes.push(warning(format!(
                "the generator may use CPU {cpu} and the one under test only, on which it talks to \
                 the host; widen its cpuset"
            )));
        } else if !apart {
            notes.push(warning(format!(
                "there is no third CPU: on CPU {cpu} the agent and the network interrupt the \
                 generator, which may see edges late; use a machine with three"
            )));
        }
        if self.is_sibling {
            notes.push(warning(format!(
                "CPU {cpu} shares a core with the one under test, and its looking slows it down; \
                 set trigger.generator-cpu to another core's"
            )));
        }
        if !self.is_isolated {
            notes.push(info(format!(
                "CPU {cpu} is not isolated: other threads, and interrupts of devices, may come in \
                 between; isolcpus={cpu} nohz_full={cpu} on the kernel's command line, and sysctl \
                 kernel.sched_rt_runtime_us=-1, make it the generator's own"
            )));
        }
        notes
    }
}

/// Returns whether real-time threads get a share of each period only.
fn throttles(root: &Path) -> bool {
    let runtime = facts::read_line(&root.join("proc/sys/kernel/sched_rt_runtime_us"));
    runtime.and_then(|text| text.parse::<i64>().ok()).is_some_and(|runtime| runtime >= 0)
}

fn info(text: String) -> Note {
    Note { severity: Severity::Info, text }
}

fn warning(text: String) -> Note {
    Note { severity: Severity::Warning, text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use irqscope_wire::ThreadPolicy;
    use std::fs;

    fn machine(online: &str, isolated: &str, siblings: &str) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        let cpus = root.path().join("sys/devices/system/cpu");
        fs::create_dir_all(cpus.join("cpu0/topology")).unwrap();
        fs::write(cpus.join("online"), online).unwrap();
        fs::write(cpus.join("isolated"), isolated).unwrap();
        fs::write(cpus.join("cpu0/topology/thread_siblings_list"), siblings).unwrap();
        root
    }

    fn chosen(root: &tempfile::TempDir, asked: Option<u32>) -> Option<u32> {
        Spare::choose(root.path(), asked, 0).ok().map(|spare| spare.cpu)
    }

    #[test]
    fn the_cpu_that_is_least_in_use_is_chosen() {
        assert_eq!(chosen(&machine("0-3\n", "\n", "0\n"), None), Some(3));
        assert_eq!(chosen(&machine("0-3\n", "\n", "0,3\n"), None), Some(2));
        assert_eq!(chosen(&machine("0-3\n", "1\n", "0,1\n"), None), Some(1));
        assert_eq!(chosen(&machine("0-1\n", "\n", "0-1\n"), None), Some(1));
    }

    #[test]
    fn a_cpu_that_is_asked_for_is_taken_or_refused() {
        let root = machine("0-3\n", "\n", "0\n");
        assert_eq!(chosen(&root, Some(2)), Some(2));
        for wrong in [0, 7] {
            let error = Spare::choose(root.path(), Some(wrong), 0).unwrap_err();
            assert!(error.to_string().contains(&format!("CPU {wrong}")), "{error}");
        }
    }

    #[test]
    fn whoever_cannot_leave_is_named() {
        let spare = Spare { cpu: 2, is_isolated: false, is_sibling: false };
        let thread = |name: &str, role, cpus: &[u32]| ThreadFact {
            pid: 1,
            name: name.into(),
            role,
            policy: ThreadPolicy::Other,
            priority: 0,
            cpus: cpus.into(),
        };
        let free = [thread("sh", Role::User, &[0, 2]), thread("kworker/2", Role::Kernel, &[2])];
        assert_eq!(spare.bound(&free), None);
        let bound = [thread("plc", Role::User, &[2]), thread("irq/7-x", Role::Interrupt, &[2])];
        assert!(spare.bound(&bound).unwrap().text.contains("plc, irq/7-x"));
    }

    #[test]
    fn one_cpu_has_none_to_spare() {
        let error = Spare::choose(machine("0\n", "\n", "0\n").path(), None, 0).unwrap_err();
        assert!(error.remedy().contains("views"), "{error}");
    }

    #[test]
    fn what_is_not_as_it_should_be_is_told() {
        let spare = Spare { cpu: 1, is_isolated: false, is_sibling: true };
        let said = |notes: Vec<Note>| notes.into_iter().map(|it| it.text).collect::<String>();
        let all = said(spare.notes(false, false, Rank::Equal));
        assert!(all.contains("third CPU") && all.contains("isolcpus=1") && all.contains("core"));
        let spare = Spare { cpu: 1, is_isolated: true, is_sibling: false };
        assert_eq!(
            said(spare.notes(true, true, Rank::Fifo)),
            "CPU 1 injects and watches, with SCHED_FIFO 98"
        );
    }
}
