// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The acts of a kernel in a stretch of code: which interrupt came, and which timers, softirqs, works
//! and functions were called on its account, by the functions that call them.

use crate::path::CallTree;

/// How a CPU leaves what it was doing, by the first function of the entry.
const ENTRIES: [(&str, &str); 14] = [
    ("asm_sysvec_apic_timer_interrupt", "timer interrupt"),
    ("asm_sysvec_reschedule_ipi", "reschedule interrupt"),
    ("asm_sysvec_call_function", "call interrupt"),
    ("asm_sysvec_irq_work", "irq_work interrupt"),
    ("asm_sysvec_error_interrupt", "error interrupt"),
    ("asm_sysvec_spurious", "spurious interrupt"),
    ("asm_sysvec_threshold", "machine check interrupt"),
    ("asm_common_interrupt", "device interrupt"),
    ("irq_entries_start", "device interrupt"),
    ("asm_exc_page_fault", "page fault"),
    ("asm_exc_nmi", "NMI"),
    ("asm_exc_", "exception"),
    ("entry_SYSCALL", "system call"),
    ("ret_from_fork", "first run of a thread"),
];

/// A function that calls those which were asked for.
struct Dispatcher {
    functions: &'static [&'static str],
    /// The name of what it calls.
    act: &'static str,
    /// It calls these for itself.
    own: &'static [&'static str],
}

const DISPATCHERS: [Dispatcher; 8] = [
    Dispatcher {
        functions: &["__hrtimer_run_queues", "__run_hrtimer"],
        act: "timer",
        own: &["__remove_hrtimer", "enqueue_hrtimer", "hrtimer_", "timerqueue_", "rb_"],
    },
    Dispatcher { functions: &["call_timer_fn"], act: "timer", own: &[] },
    Dispatcher {
        functions: &["process_one_work"],
        act: "work",
        own: &[
            "pwq_",
            "set_work_",
            "wq_",
            "move_linked_works",
            "kick_pool",
            "need_more_worker",
            "strscpy",
            "sized_strscpy",
            "strnlen",
        ],
    },
    Dispatcher {
        functions: &[
            "__flush_smp_call_function_queue",
            "flush_smp_call_function_queue",
            "generic_smp_call_function_single_interrupt",
        ],
        act: "call",
        own: &["llist_", "irq_work_", "csd_", "smp_call_", "irq_exit", "irqentry_"],
    },
    Dispatcher { functions: &["irq_work_single"], act: "irq_work", own: &["rcuwait_"] },
    Dispatcher {
        functions: &["__handle_irq_event_percpu"],
        act: "handler",
        own: &["add_interrupt_randomness", "__irq_wake_thread", "irq_"],
    },
    Dispatcher { functions: &["cpu_stopper_thread"], act: "stop", own: &["cpu_stop_", "llist_"] },
    Dispatcher {
        functions: &["rcu_do_batch"],
        act: "RCU callback",
        own: &["rcu_", "local_clock", "sched_clock", "note_gp"],
    },
];

/// Functions that are called everywhere, on their callers' own account.
const EVERYWHERE: [&str; 20] = [
    "__list_",
    "static_call",
    "_raw_",
    "__raw_",
    "ktime_get",
    "__x86_",
    "srso_",
    "retbleed_",
    "__rcu_read",
    "rcu_read_",
    "migrate_",
    "preempt_",
    "lock_",
    "__local_bh",
    "local_bh",
    "rt_spin_",
    "__cond_resched",
    "queued_spin",
    "mutex_",
    "__fentry__",
];

/// Functions that serve a softirq, by the names of the vectors.
const SOFTIRQS: [(&str, &str); 16] = [
    ("tasklet_hi_action", "hi"),
    ("run_timer_softirq", "timer"),
    ("net_tx_action", "net_tx"),
    ("net_rx_action", "net_rx"),
    ("blk_done_softirq", "block"),
    ("irq_poll_softirq", "irq_poll"),
    ("tasklet_action", "tasklet"),
    ("run_rebalance_domains", "sched"),
    ("sched_balance_softirq", "sched"),
    ("hrtimer_run_softirq", "hrtimer"),
    ("rcu_core_si", "rcu"),
    ("rcu_core", "rcu"),
    ("rcu_process_callbacks", "rcu"),
    ("tasklet_action_common", "tasklet"),
    ("workqueue_softirq_action", "tasklet"),
    ("napi_threaded_poll", "net_rx"),
];

/// Returns the kind of an entry, by its function; the function's own name where it is not
/// known.
pub fn entry(function: &str) -> String {
    let known = ENTRIES.iter().find(|(begin, _)| function.starts_with(begin));
    known.map_or_else(|| function.to_owned(), |(_, name)| (*name).to_owned())
}

/// Returns whether an entry is that of an interrupt which a CPU sends.
pub fn is_sent(entry: &str) -> bool {
    matches!(entry, "reschedule interrupt" | "call interrupt" | "irq_work interrupt")
}

/// Returns the acts of a stretch, each once, in the order in which they were called first.
pub fn acts(tree: &CallTree) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    let mut add = |act: String| {
        if !all.contains(&act) {
            all.push(act);
        }
    };
    for node in &tree.nodes {
        if let Some((_, vector)) = SOFTIRQS.iter().find(|(function, _)| *function == node.name) {
            add(format!("softirq {vector}"));
        }
        let Some(caller) = node.parent.map(|parent| tree.nodes[parent].name.as_str()) else {
            continue;
        };
        let of = |one: &&Dispatcher| one.functions.contains(&caller);
        let Some(dispatcher) = DISPATCHERS.iter().find(of) else { continue };
        let begins = |begin: &&str| node.name.starts_with(*begin);
        let dispatches = DISPATCHERS.iter().any(|one| one.functions.contains(&node.name.as_str()));
        if !dispatches && !dispatcher.own.iter().any(begins) && !EVERYWHERE.iter().any(begins) {
            add(format!("{} {}", dispatcher.act, node.name));
        }
    }
    all
}
