// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The capabilities that probes take.

use std::fs;

use nix::sys::resource::{RLIM_INFINITY, Resource, setrlimit};

use crate::WatchError;

/// Stands for all others.
const SYS_ADMIN: u32 = 21;
const NEEDED: [(&str, u32); 2] = [("CAP_BPF", 39), ("CAP_PERFMON", 38)];

/// Checks that this process may load probes, before the kernel says no more than that it may not.
pub fn check() -> Result<(), WatchError> {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let missing = missing(&status);
    if !missing.is_empty() {
        return Err(WatchError::Rights(missing));
    }
    // Kernels before 5.11 count the ring as locked memory; where this is refused, loading says so.
    let _ = setrlimit(Resource::RLIMIT_MEMLOCK, RLIM_INFINITY, RLIM_INFINITY);
    Ok(())
}

/// Returns what a process of this status lacks; nothing where the status does not say.
fn missing(status: &str) -> Vec<&'static str> {
    let line = status.lines().find_map(|line| line.strip_prefix("CapEff:"));
    let Some(has) = line.and_then(|text| u64::from_str_radix(text.trim(), 16).ok()) else {
        return Vec::new();
    };
    let lacks = |bit: u32| has & 1 << bit == 0;
    let all = NEEDED.iter().filter(|(_, bit)| lacks(*bit) && lacks(SYS_ADMIN));
    all.map(|(name, _)| *name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_named_exactly() {
        let of = |caps: u64| missing(&format!("Name:\tx\nCapEff:\t{caps:016x}\n"));
        assert_eq!(of(0), ["CAP_BPF", "CAP_PERFMON"]);
        assert_eq!(of(1 << 39), ["CAP_PERFMON"]);
        assert!(of(1 << 39 | 1 << 38).is_empty() && of(1 << SYS_ADMIN).is_empty());
        assert!(missing("").is_empty());
    }
}
