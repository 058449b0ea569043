// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The whole picture, put together.

use std::path::Path;
use std::sync::atomic::AtomicU32;

use irqscope_wire::{Picture, Role, ThreadFact};
use rustix::thread::futex;

use super::{advice, interrupts, scan};
use crate::facts::{Names, names, parse_cpus, preemption, read_line};

/// Looks at the machine below `root`; changes nothing.
pub fn picture(root: &Path) -> Picture {
    let line = |path: &str| read_line(&root.join(path));
    let Names { kernel, version, .. } = names();
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
    fn every_shown_thread_has_a_priority_or_serves_interrupts() {
        let picture = picture(Path::new("/"));
        assert!(!picture.kernel.is_empty() && picture.priority_inheritance);
        let sorted = picture.threads.windows(2).all(|two| two[0].priority >= two[1].priority);
        assert!(sorted && picture.threads.iter().all(is_shown));
    }
}
