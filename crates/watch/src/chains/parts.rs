// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One latency, split into what the CPU ran meanwhile. Parts add up to it.

use super::cpu::{Cpu, Running};
use super::names::Names;
use super::origin::Origin;
use super::stack::Texts;

/// A part of a latency.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The CPU.
    pub cpu: u16,
    /// Its length in nanoseconds.
    pub ns: u64,
    /// The name of the work that the CPU did.
    pub what: String,
    /// It was the chain's own work.
    pub own: bool,
}

/// Splits the time from a chain's beginning to `end`, in order. The same work twice in a row is one
/// part.
pub fn parts(cpus: &[Cpu], names: &Names, texts: &Texts, origin: &Origin, end: u64) -> Vec<Part> {
    let mut found: Vec<(u16, Running, Option<usize>, bool, u64)> = Vec::new();
    let legs = origin.legs();
    for (place, (from, number)) in legs.iter().enumerate() {
        let to = legs.get(place + 1).map_or(end, |(next, _)| *next);
        let Some(cpu) = cpus.get(usize::from(*number)).filter(|_| *from < to) else { continue };
        let ran = cpu.ran(*from, to);
        for (place, (since, mark)) in ran.iter().enumerate() {
            let until = ran.get(place + 1).map_or(to, |(next, _)| *next);
            let running = mark.map_or(Running::Unknown, |mark| mark.running);
            let held_off = mark.and_then(|mark| mark.held_off);
            let own = mark.is_some_and(|mark| mark.chain == Some(origin.number()));
            match found.last_mut() {
                Some(last)
                    if (last.0, last.1, last.2, last.3) == (*number, running, held_off, own) =>
                {
                    last.4 += until - since;
                }
                _ => found.push((*number, running, held_off, own, until - since)),
            }
        }
    }
    let what = |running, held_off: Option<usize>| match held_off.and_then(|text| texts.text(text)) {
        Some(text) => format!("{} ({text})", names.of(running)),
        None => names.of(running),
    };
    let part =
        |(cpu, running, held_off, own, ns)| Part { cpu, ns, what: what(running, held_off), own };
    found.into_iter().filter(|(.., ns)| *ns > 0).map(part).collect()
}
