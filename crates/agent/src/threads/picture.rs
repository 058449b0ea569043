// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The whole picture, put together.

use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicU32;

use irqscope_wire::{Picture, Role, ThreadFact};
use nix::sys::utsname::uname;
use rustix::thread::futex;

use super::{advice, interrupts, scan};
use crate::facts::{parse_cpus, read_line};

/// Looks at the machine below `root`; changes nothing.
pub fn picture(root: &Path) -> Picture {
    let line = |path: &str| read_line(&root.join(path));
    let (kernel, version) = names();
    let real_time = line("sys/kernel/realtime").as_deref() == Some("1");
    let cmdline = line("proc/cmdline").unwrap_or_default();
    let throttled = line("proc/sys/kernel/sched_rt_runtime_us");
    let isolated = line("sys/devices/system/cpu/isolated");
    let mut threads = scan::threads(root);
    threads.retain(is_shown);
    threads.sort_by(|a, b| b.priority.cmp(&a.priority).then_with(|| a.name.cmp(&b.name)));
    let mut picture = Picture {
        kernel,
        preemption: preemption(root, &version),
        real_time,
        threaded_interrupts: real_time
            || cmdline.split_whitespace().any(|word| word == "threadirqs"),
        priority_inheritance: inherits(),
        // Negative: off.
        throttled_us: throttled.and_then(|text| text.parse().ok()),
        isolated_cpus: isolated.and_then(|list| parse_cpus(&list)).unwrap_or_default(),
        interrupts: interrupts::lines(root, &threads),
        threads,
        advice: Vec::new(),
    };
    picture.advice = advice::advice(&picture);
    picture
}

/// Returns whether a thread is shown: one that has a priority, or that serves softirqs without one.
fn is_shown(thread: &ThreadFact) -> bool {
    thread.is_real_time() || matches!(thread.role, Role::Softirq | Role::Timers | Role::Interrupt)
}

fn names() -> (String, String) {
    let text = |field: &std::ffi::OsStr| field.to_string_lossy().into_owned();
    uname().map_or_else(|_| Default::default(), |name| (text(name.release()), text(name.version())))
}

/// Returns the preemption model. The kernel's version names it; a dynamic one says in debugfs which
/// it has chosen.
fn preemption(root: &Path, version: &str) -> String {
    let model = version.split_whitespace().find(|word| word.starts_with("PREEMPT"));
    let chosen =
        fs::read_to_string(root.join("sys/kernel/debug/sched/preempt")).unwrap_or_default();
    let chosen = chosen.split_once('(').and_then(|(_, rest)| rest.split_once(')'));
    match (model, chosen) {
        (Some(model), Some((chosen, _))) => format!("{model} ({chosen})"),
        (Some(model), None) => model.into(),
        (None, _) => "voluntary or none".into(),
    }
}

/// Returns whether locks inherit: a kernel without it does not know the call; one with it finds
/// that the lock is free.
fn inherits() -> bool {
    let word = AtomicU32::new(0);
    let unlocked = futex::unlock_pi(&word, futex::Flags::PRIVATE);
    unlocked != Err(rustix::io::Errno::NOSYS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_model_of_preemption_is_named_as_the_kernel_names_it() {
        let root = tempfile::tempdir().unwrap();
        let model = |version: &str| preemption(root.path(), version);
        assert_eq!(model("#1 SMP PREEMPT_RT Debian 6.1"), "PREEMPT_RT");
        assert_eq!(model("#1 SMP Debian 5.10"), "voluntary or none");
        fs::create_dir_all(root.path().join("sys/kernel/debug/sched")).unwrap();
        let path = root.path().join("sys/kernel/debug/sched/preempt");
        fs::write(path, "none (voluntary) full\n").unwrap();
        assert_eq!(model("#1 SMP PREEMPT_DYNAMIC"), "PREEMPT_DYNAMIC (voluntary)");
    }

    #[test]
    fn every_shown_thread_has_a_priority_or_serves_interrupts() {
        let picture = picture(Path::new("/"));
        assert!(!picture.kernel.is_empty() && picture.priority_inheritance);
        let sorted = picture.threads.windows(2).all(|two| two[0].priority >= two[1].priority);
        assert!(sorted && picture.threads.iter().all(is_shown));
    }
}
