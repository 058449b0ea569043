// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Threads from /proc.

use std::fs;
use std::path::Path;

use irqscope_wire::{Role, ThreadFact, ThreadPolicy};

use crate::facts::parse_cpus;
use crate::stat::Stat;

/// A thread of the kernel (`PF_KTHREAD`).
const KERNEL_THREAD: u64 = 0x0020_0000;

/// Returns every thread of the machine.
pub fn threads(root: &Path) -> Vec<ThreadFact> {
    let processes = numbered(&root.join("proc"));
    let tasks = processes.flat_map(|pid| {
        let tasks = root.join(format!("proc/{pid}/task"));
        numbered(&tasks).map(move |tid| (pid, tid)).collect::<Vec<_>>()
    });
    // A thread that ends meanwhile is left out.
    tasks
        .filter_map(|(pid, tid)| thread(&root.join(format!("proc/{pid}/task/{tid}")), tid))
        .collect()
}

fn numbered(folder: &Path) -> impl Iterator<Item = u32> + use<> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

/// Reads one thread, if it is there.
pub fn thread(folder: &Path, pid: u32) -> Option<ThreadFact> {
    let stat = fs::read_to_string(folder.join("stat")).ok()?;
    let status = fs::read_to_string(folder.join("status")).unwrap_or_default();
    let allowed = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
    let cpus = allowed.and_then(|list| parse_cpus(list.trim())).unwrap_or_default();
    parse(&stat, pid, cpus)
}

/// Reads its name, its flags (field 9), its real-time priority (40) and its policy (41).
fn parse(line: &str, pid: u32, cpus: Vec<u32>) -> Option<ThreadFact> {
    let stat = Stat::parse(line)?;
    let is_kernel = stat.field::<u64>(9)? & KERNEL_THREAD != 0;
    Some(ThreadFact {
        pid,
        name: stat.name.to_owned(),
        role: role(stat.name, is_kernel),
        policy: policy(stat.field(41)?)?,
        priority: stat.field(40)?,
        cpus,
    })
}

/// Converts a policy's number, as in linux/sched.h.
fn policy(number: u64) -> Option<ThreadPolicy> {
    Some(match number {
        0 => ThreadPolicy::Other,
        1 => ThreadPolicy::Fifo,
        2 => ThreadPolicy::Rr,
        3 => ThreadPolicy::Batch,
        5 => ThreadPolicy::Idle,
        6 => ThreadPolicy::Deadline,
        _ => return None,
    })
}

fn role(name: &str, is_kernel: bool) -> Role {
    if !is_kernel {
        return Role::User;
    }
    let first = name.split(['/', '-']).next().unwrap_or_default();
    match first {
        "irq" => Role::Interrupt,
        "ksoftirqd" => Role::Softirq,
        "ktimers" | "ktimersoftd" => Role::Timers,
        "migration" => Role::Migration,
        _ if first.starts_with("rcu") => Role::Rcu,
        _ => Role::Kernel,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Makes a line, of which only the name, the flags, the priority and the policy count.
    fn stat(name: &str, flags: u64, priority: u8, policy: u8) -> String {
        let between = "0 ".repeat(30);
        format!("7 ({name}) S 2 0 0 0 -1 {flags} {between}{priority} {policy} 0 0 0\n")
    }

    fn read(name: &str, flags: u64, priority: u8, policy: u8) -> ThreadFact {
        parse(&stat(name, flags, priority, policy), 7, vec![0]).unwrap()
    }

    #[test]
    fn roles_are_known_by_name_and_only_of_the_kernel() {
        let irq = read("irq/24-ahci[0000:00:1f.2]", KERNEL_THREAD, 50, 1);
        assert_eq!((irq.role, irq.policy, irq.priority), (Role::Interrupt, ThreadPolicy::Fifo, 50));
        assert_eq!(read("ksoftirqd/3", KERNEL_THREAD, 0, 0).role, Role::Softirq);
        assert_eq!(read("ktimers/0", KERNEL_THREAD, 1, 1).role, Role::Timers);
        assert_eq!(read("rcu_preempt", KERNEL_THREAD, 1, 1).role, Role::Rcu);
        assert_eq!(read("irq/24 (fake) 1 2 3", 0, 10, 2).role, Role::User);
    }

    #[test]
    fn this_thread_is_found_as_it_is() {
        let own = nix::unistd::gettid().as_raw() as u32;
        let found = threads(Path::new("/")).into_iter().find(|thread| thread.pid == own).unwrap();
        assert_eq!((found.role, found.is_real_time()), (Role::User, false));
        assert_eq!(found.cpus, crate::scheduling::allowed());
    }

    #[test]
    fn garbage_is_no_thread() {
        for garbage in ["", "7", "7 (a", "7 (a) S", ") ("] {
            assert_eq!(parse(garbage, 7, Vec::new()), None, "{garbage}");
        }
    }
}
