// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The work that was done until now, counted in memory that the workers share with the agent.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicU64, Ordering};

use irqscope_wire::Load;
use nix::errno::Errno;
use nix::sys::mman::{MapFlags, ProtFlags, mmap_anonymous};

const LOADS: usize = Load::ALL.len();

/// One counter per kind of load, for as long as the process lives.
#[derive(Clone, Copy, Debug)]
pub struct Work(&'static [AtomicU64; LOADS]);

impl Work {
    /// Maps the memory; to be made before the workers are forked.
    pub fn new() -> nix::Result<Work> {
        let length = NonZeroUsize::new(size_of::<[AtomicU64; LOADS]>()).ok_or(Errno::EINVAL)?;
        let (access, shared) = (ProtFlags::PROT_READ | ProtFlags::PROT_WRITE, MapFlags::MAP_SHARED);
        // SAFETY: a new mapping where the kernel likes; nothing unmaps it.
        let mapped = unsafe { mmap_anonymous(None, length, access, shared) }?;
        // SAFETY: page-aligned, long enough, zeroed, never unmapped, and all atomics.
        Ok(Work(unsafe { mapped.cast::<[AtomicU64; LOADS]>().as_ref() }))
    }

    /// Returns where the workers of a load count what they do; the load says in which unit.
    pub fn of(self, load: Load) -> &'static AtomicU64 {
        &self.0[load as usize]
    }

    pub fn done(self, load: Load) -> u64 {
        self.of(load).load(Ordering::Relaxed)
    }
}
