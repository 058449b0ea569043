// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Advice on what to change, and why: one function for each thing that is known to spoil latencies.

use irqscope_wire::{Picture, Role, ThreadFact, ThreadPolicy};

/// The priority that the kernel gives every interrupt thread.
const DEFAULT: u8 = 50;

/// Returns advice, the most important first.
pub fn advice(picture: &Picture) -> Vec<String> {
    let rules = [
        hard_handlers,
        no_inheritance,
        user_at_the_top,
        user_below_interrupts,
        user_shares,
        same_priority,
        ordinary_softirqs,
        throttling,
    ];
    rules.iter().filter_map(|rule| rule(picture)).collect()
}

fn interrupt_threads(picture: &Picture) -> impl Iterator<Item = &ThreadFact> {
    picture.threads.iter().filter(|thread| thread.role == Role::Interrupt)
}

fn real_time_users(picture: &Picture) -> impl Iterator<Item = &ThreadFact> {
    let mine = |thread: &&ThreadFact| thread.role == Role::User && thread.is_real_time();
    picture.threads.iter().filter(mine)
}

fn hard_handlers(picture: &Picture) -> Option<String> {
    (!picture.threaded_interrupts).then(|| {
        "handlers run in hard interrupt context, above every thread whatever its priority: boot \
         with threadirqs, or a PREEMPT_RT kernel, to give them priorities"
            .into()
    })
}

fn no_inheritance(picture: &Picture) -> Option<String> {
    (!picture.priority_inheritance).then(|| {
        "locks of user space cannot pass priorities on, and priority inversion is unbounded: use \
         a kernel with CONFIG_FUTEX_PI"
            .into()
    })
}

fn user_at_the_top(picture: &Picture) -> Option<String> {
    let top = real_time_users(picture).filter(|thread| thread.priority == 99);
    list(top).map(|names| {
        format!(
            "{names} run at priority 99, the kernel's own (migration, watchdogs): 98 is enough to \
             be above everything else"
        )
    })
}

fn user_below_interrupts(picture: &Picture) -> Option<String> {
    let least = interrupt_threads(picture).map(|thread| thread.priority).min()?;
    let below = real_time_users(picture)
        .filter(|thread| thread.policy != ThreadPolicy::Deadline && thread.priority < least);
    list(below).map(|names| {
        format!(
            "{names} lie below every interrupt thread ({least} and above), and wait for all of \
             them: raise them, or lower the interrupts that they do not depend on"
        )
    })
}

fn user_shares(picture: &Picture) -> Option<String> {
    let taken = |thread: &&ThreadFact| {
        let same = |other: &ThreadFact| other.priority == thread.priority;
        thread.priority > 0 && interrupt_threads(picture).any(same)
    };
    list(real_time_users(picture).filter(taken)).map(|names| {
        format!(
            "{names} share a priority with interrupt threads: the first to wake runs to its end; \
             give them one of their own"
        )
    })
}

fn same_priority(picture: &Picture) -> Option<String> {
    let count = interrupt_threads(picture).filter(|thread| thread.priority == DEFAULT).count();
    (count > 1).then(|| {
        format!(
            "{count} interrupt threads share priority {DEFAULT}, the kernel's default: they run in \
             the order of arrival; raise those that your application waits for, as in [[thread]] \
             name = \"irq/24-*\", priority = \"fifo 60\""
        )
    })
}

fn ordinary_softirqs(picture: &Picture) -> Option<String> {
    let ordinary = |thread: &&ThreadFact| thread.role == Role::Softirq && !thread.is_real_time();
    let any = picture.threads.iter().any(|thread| ordinary(&thread));
    (any && picture.real_time).then(|| {
        "softirqs that are raised outside of interrupt threads run in ksoftirqd, an ordinary \
         thread: whatever is busy delays network and block completions; give ksoftirqd a priority \
         if you wait for them"
            .into()
    })
}

fn throttling(picture: &Picture) -> Option<String> {
    picture.throttled_us.map(|runtime| {
        format!(
            "real-time tasks are stopped after {runtime} us of each period: sysctl \
             kernel.sched_rt_runtime_us=-1 lets them run, and a loop that never sleeps then takes \
             the CPU for good"
        )
    })
}

/// Formats `a (12), b (13)`, up to five; nothing if there are none.
fn list<'a>(threads: impl Iterator<Item = &'a ThreadFact>) -> Option<String> {
    let names: Vec<String> =
        threads.map(|thread| format!("{} ({})", thread.name, thread.pid)).collect();
    match names.len() {
        0 => None,
        1..=5 => Some(names.join(", ")),
        more => Some(format!("{} and {} more", names[..5].join(", "), more - 5)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn thread(name: &str, role: Role, policy: ThreadPolicy, priority: u8) -> ThreadFact {
        ThreadFact { pid: 7, name: name.into(), role, policy, priority, cpus: vec![0] }
    }

    fn picture(threads: Vec<ThreadFact>) -> Picture {
        Picture {
            kernel: "6.1".into(),
            preemption: "PREEMPT_RT".into(),
            real_time: true,
            threaded_interrupts: true,
            priority_inheritance: true,
            throttled_us: None,
            isolated_cpus: Vec::new(),
            threads,
            interrupts: Vec::new(),
            advice: Vec::new(),
        }
    }

    #[test]
    fn a_system_that_is_set_up_well_gets_no_advice() {
        let irq = thread("irq/24-eth0", Role::Interrupt, ThreadPolicy::Fifo, 60);
        let user = thread("control", Role::User, ThreadPolicy::Fifo, 80);
        assert_eq!(advice(&picture(vec![irq, user])), [""; 0]);
    }

    #[test]
    fn each_thing_that_spoils_latencies_is_named_with_its_threads() {
        let fifo = |name: &str, role, priority| thread(name, role, ThreadPolicy::Fifo, priority);
        let mut all = picture(vec![
            fifo("greedy", Role::User, 99),
            fifo("irq/1-a", Role::Interrupt, 50),
            fifo("irq/2-b", Role::Interrupt, 50),
            fifo("equal", Role::User, 50),
            fifo("humble", Role::User, 10),
            thread("ksoftirqd/0", Role::Softirq, ThreadPolicy::Other, 0),
        ]);
        all.throttled_us = Some(950_000);
        let told = advice(&all).join("\n");
        for what in [
            "greedy (7) run at priority 99",
            "humble (7) lie below",
            "equal (7) share",
            "2 interrupt threads share",
            "ksoftirqd",
            "950000",
        ] {
            assert!(told.contains(what), "{what} not in {told}");
        }
        assert!(!told.contains("threadirqs"));
        all.threaded_interrupts = false;
        assert!(advice(&all)[0].contains("threadirqs"));
    }
}
