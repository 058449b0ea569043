// SPDX-License-Identifier: Apache-2.0 OR MIT
//! CPUs and policies of threads; and memory that is never paged out.

use irqscope_wire::{Policy, Scheduling};
use nix::errno::Errno;
use nix::libc;
use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
use nix::sys::mman::{MlockAllFlags, mlockall};
use nix::unistd::Pid;

use crate::error::{Error, Result};
use crate::settings;

const SELF: Pid = Pid::from_raw(0);

/// Returns the CPUs that the calling thread may use.
pub fn allowed() -> Vec<u32> {
    let set = sched_getaffinity(SELF).unwrap_or_default();
    (0..CpuSet::count()).filter(|cpu| set.is_set(*cpu) == Ok(true)).map(|cpu| cpu as u32).collect()
}

/// Pins the calling thread, and what it starts from now on, to one CPU.
///
/// # Errors
/// There is no such CPU, or it may not be used.
pub fn pin(who: &'static str, cpu: u32) -> Result<()> {
    restrict(&[cpu]).map_err(|source| Error::Pin { who, cpu, source })
}

fn restrict(cpus: &[u32]) -> nix::Result<()> {
    let mut set = CpuSet::new();
    cpus.iter().try_for_each(|cpu| set.set(*cpu as usize))?;
    sched_setaffinity(SELF, &set)
}

/// Keeps the calling thread away from the CPU under test, and from the
/// injecting one too if any is left. Returns whether it could.
pub fn keep_off(cpu: u32, inject_cpu: u32) -> bool {
    keep_off_all(&[cpu, inject_cpu]) || keep_off_all(&[cpu])
}

/// Keeps the calling thread away from CPUs. Returns whether it could.
pub fn keep_off_all(cpus: &[u32]) -> bool {
    let left: Vec<u32> = allowed().into_iter().filter(|cpu| !cpus.contains(cpu)).collect();
    !left.is_empty() && restrict(&left).is_ok()
}

/// Lets the calling thread run on every CPU that is there.
///
/// # Errors
/// The kernel refuses it.
pub fn leave_free(who: &'static str) -> Result<()> {
    let all: Vec<u32> = (0..CpuSet::count() as u32).collect();
    restrict(&all).map_err(|source| Error::Pin { who, cpu: 0, source })
}

/// Returns another CPU than the one under test where there is one, else that.
pub fn other_than(cpu: u32, online: &[u32]) -> u32 {
    online.iter().copied().find(|other| *other != cpu).unwrap_or(cpu)
}

/// Gives the calling thread a policy.
///
/// # Errors
/// This process may not have the policy.
pub fn schedule(who: &'static str, wanted: Scheduling) -> Result<()> {
    let refused = |source| Error::Policy { who, policy: settings::scheduling(wanted), source };
    schedule_thread(0, wanted).map_err(refused)
}

/// Gives the calling thread a nice value; it stays an ordinary one.
///
/// # Errors
/// This process may not be that nice.
pub fn be_nice(who: &'static str, nice: i32) -> Result<()> {
    // SAFETY: takes three numbers; on Linux 0 is the calling thread, not its process.
    let result = unsafe { libc::setpriority(libc::PRIO_PROCESS, 0, nice) };
    let refused = |source| Error::Policy { who, policy: format!("nice {nice}"), source };
    Errno::result(result).map(drop).map_err(refused)
}

/// Gives a thread a policy; 0 is the calling one.
///
/// # Errors
/// There is no such thread, or this process may not change it.
pub fn schedule_thread(pid: u32, wanted: Scheduling) -> nix::Result<()> {
    let policy = match wanted.policy {
        Policy::Other => libc::SCHED_OTHER,
        Policy::Fifo => libc::SCHED_FIFO,
        Policy::Rr => libc::SCHED_RR,
    };
    let priority = libc::c_int::from(wanted.priority);
    // SAFETY: the kernel's `struct sched_param` is one int, which outlives the
    // call. musl's own sched_setscheduler() is a stub that returns ENOSYS.
    let result =
        unsafe { libc::syscall(libc::SYS_sched_setscheduler, pid, policy, &raw const priority) };
    Errno::result(result).map(drop)
}

/// `struct sched_attr` of the kernel in its first version, which every kernel
/// takes.
#[repr(C)]
struct Attributes {
    size: u32,
    policy: u32,
    flags: u64,
    nice: i32,
    priority: u32,
    runtime: u64,
    deadline: u64,
    period: u64,
}

/// Gives the calling thread SCHED_DEADLINE: a budget of time in each period. It must be free to run
/// on every CPU of its root domain.
///
/// # Errors
/// The kernel has too little time left, or this process may not have it.
pub fn give_deadline(who: &'static str, runtime_ns: u64, period_ns: u64) -> Result<()> {
    let attributes = Attributes {
        size: size_of::<Attributes>() as u32,
        policy: libc::SCHED_DEADLINE as u32,
        flags: 0,
        nice: 0,
        priority: 0,
        runtime: runtime_ns,
        deadline: period_ns,
        period: period_ns,
    };
    // SAFETY: the kernel reads one struct, which comes with its size and outlives the call; no C
    // library has a function for it.
    let result = unsafe { libc::syscall(libc::SYS_sched_setattr, 0, &raw const attributes, 0) };
    let policy = format!("deadline {runtime_ns} of {period_ns} ns");
    Errno::result(result).map(drop).map_err(|source| Error::Policy { who, policy, source })
}

/// Locks memory: no page of this process leaves memory or is still to be fetched.
///
/// # Errors
/// The limit of locked memory is too low.
pub fn lock_memory() -> Result<()> {
    mlockall(MlockAllFlags::MCL_CURRENT | MlockAllFlags::MCL_FUTURE).map_err(Error::LockMemory)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_runs_where_it_is_pinned() {
        let cpu = *allowed().last().unwrap();
        std::thread::spawn(move || {
            pin("the test", cpu).unwrap();
            assert_eq!(allowed(), [cpu]);
            assert_eq!(nix::sched::sched_getcpu().unwrap(), cpu as usize);
            assert!(!keep_off(cpu, cpu) || allowed() != [cpu]);
        })
        .join()
        .unwrap();
    }

    #[test]
    fn a_cpu_that_does_not_exist_is_named() {
        let error = pin("the user stage", 1000).unwrap_err();
        assert!(error.to_string().contains("CPU 1000"), "{error}");
    }

    #[test]
    fn a_refused_policy_is_an_error_with_a_remedy() {
        let wanted = Scheduling { policy: Policy::Fifo, priority: 200 };
        let error = schedule("the user stage", wanted).unwrap_err();
        assert!(error.to_string().contains("fifo 200"), "{error}");
        assert!(error.remedy().contains("CAP_SYS_NICE"));
    }

    #[test]
    fn another_cpu_injects_where_there_is_one() {
        assert_eq!(other_than(0, &[0, 1, 2]), 1);
        assert_eq!(other_than(1, &[0, 1, 2]), 0);
        assert_eq!(other_than(0, &[0]), 0);
    }
}
