// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Culprits that a scenario asks for, to test what is said of late responses.

use irqscope_wire::{FaultKind, Faults};

use crate::text::Text;

/// Longer ones would make the watchdogs of the target complain.
const LENGTH_NS: std::ops::RangeInclusive<u64> = 1_000..=10_000_000;
const INTERVAL_NS: std::ops::RangeInclusive<u64> = 10_000..=1_000_000_000;

pub fn check(text: &Text) -> Result<(), String> {
    let Some(faults) = &text.faults else { return Ok(()) };
    if !text.rig.facts().virtual_clock {
        return Err("faults hold a CPU up on purpose: only rig twin takes them".to_owned());
    }
    if !LENGTH_NS.contains(&faults.length.0) || !INTERVAL_NS.contains(&faults.interval.0) {
        return Err("faults.length is 1us to 10ms, faults.interval 10us to 1s".to_owned());
    }
    if faults.kinds.as_ref().is_some_and(Vec::is_empty) {
        return Err("faults.kinds is empty; leave it out for all of them".to_owned());
    }
    Ok(())
}

pub fn of(text: &Text) -> Option<Faults> {
    let faults = text.faults.as_ref()?;
    let kinds = faults.kinds.as_ref().map(|kinds| kinds.iter().map(|kind| kind.0).collect());
    let nanoseconds = |span: u64| u32::try_from(span).unwrap_or(u32::MAX); // was checked
    Some(Faults {
        kinds: kinds.unwrap_or_else(|| FaultKind::ALL.to_vec()),
        length_ns: nanoseconds(faults.length.0),
        interval_ns: nanoseconds(faults.interval.0),
        seed: faults.seed,
    })
}
