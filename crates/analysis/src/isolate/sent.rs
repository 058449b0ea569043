// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Disturbances read with the guest's own symbols. Many have the same code: each is read once.

use std::collections::HashMap;

use irqscope_run::CaseData;
use irqscope_wire::{Disturbance, Sender, Symbol, Way};

use super::Asked;
use super::acts::{acts, entry, is_sent};
use super::disturbance::Described;
use crate::path::CallTree;

/// Callers that are named.
const CALLERS: usize = 6;

/// Functions that carry an interrupt to another CPU, and those that everything goes through: none of
/// them says what for.
const CARRIERS: [&str; 17] = [
    "send_IPI",
    "send_ipi",
    "_ipi",
    "send_call_function",
    "smp_call_function",
    "call_single_queue",
    "generic_exec_single",
    "apic_",
    "on_each_cpu",
    "_raw_spin",
    "__x86_",
    "resched_curr",
    "smp_send_reschedule",
    "ttwu_",
    "try_to_wake_up",
    "wake_up_",
    "__wake_up",
];

/// Reads the disturbances of one case.
pub struct Reader<'a> {
    ways: &'a [Way],
    symbols: &'a [Symbol],
    known: HashMap<u32, (String, Vec<String>)>,
    callers: HashMap<u32, Vec<String>>,
}

impl<'a> Reader<'a> {
    pub fn new(data: &'a CaseData) -> Self {
        let (ways, symbols) = (&data.isolated.ways[..], &data.symbols[..]);
        Self { ways, symbols, known: HashMap::new(), callers: HashMap::new() }
    }

    /// Says what a disturbance was, and whether its code is known whole.
    pub fn describe(&mut self, one: &Disturbance) -> (Described, bool) {
        let complete = self.way(one.way).is_some_and(|way| way.complete);
        let (entry, mut acts) = self.code(one.way);
        acts.extend(one.threads.iter().map(|thread| format!("thread {}", thread.name)));
        if one.halts > 0 {
            acts.push("halted".into());
        }
        let from = one.senders.first().filter(|_| is_sent(&entry));
        let from = from.map(|sender| self.asked(sender));
        if acts.is_empty() && is_sent(&entry) && from.is_some() {
            acts.push("nothing else".into());
        }
        (Described { entry, acts, from }, complete)
    }

    fn way(&self, number: u32) -> Option<&'a Way> {
        self.ways.get(number as usize)
    }

    fn code(&mut self, number: u32) -> (String, Vec<String>) {
        if let Some(known) = self.known.get(&number) {
            return known.clone();
        }
        let found = self.way(number).map_or_else(Default::default, |way| {
            let tree = CallTree::new(steps(way), self.symbols);
            let first = tree.roots.first().map_or("", |root| tree.nodes[*root].name.as_str());
            (entry(first), acts(&tree))
        });
        self.known.insert(number, found.clone());
        found
    }

    fn asked(&mut self, sender: &Sender) -> Asked {
        let (ways, symbols) = (self.ways, self.symbols);
        let callers = self.callers.entry(sender.way).or_insert_with(|| {
            let way = ways.get(sender.way as usize);
            way.map_or_else(Vec::new, |way| callers(&CallTree::stack(steps(way), symbols)))
        });
        Asked { cpu: sender.cpu, thread: sender.thread.clone(), callers: callers.clone() }
    }
}

/// Returns where each run begins, and its instructions.
fn steps(way: &Way) -> impl Iterator<Item = (u64, u64)> + '_ {
    let mut end = 0u64;
    way.runs.iter().map(move |run| {
        let start = end.wrapping_add_signed(run.step);
        end = start.wrapping_add(run.bytes.into());
        // The last one faulted, and is called again.
        (start, u64::from(run.instructions - u32::from(run.broken_off)))
    })
}

/// Returns the callers that say what an interrupt was sent for.
fn callers(stack: &[String]) -> Vec<String> {
    let carries = |name: &&String| CARRIERS.iter().any(|part| name.contains(part));
    let mut named: Vec<String> = stack.iter().skip_while(carries).cloned().collect();
    if named.is_empty() {
        named = stack.to_vec();
    }
    named.truncate(CALLERS);
    named
}
