// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A doorbell as a generator's wires, by the host's own clock.

use std::sync::Arc;

use irqscope_generator::words::{Broken, Raised, Wires, Word};
use irqscope_wire::Tick;
use nix::sched::{CpuSet, sched_setaffinity};
use nix::time::{ClockId, clock_gettime};
use nix::unistd::Pid;

use crate::doorbell::Doorbell;

/// `CLOCK_MONOTONIC_RAW`: nanoseconds that are never slewed. On x86 its reading is ordered after
/// all loads before it (the vDSO's `rdtsc_ordered()`).
pub const TICK: Tick = Tick { femtoseconds: 1_000_000 };

/// A doorbell as the wires of a generator.
pub struct DoorbellWires {
    /// The doorbell, shared with the thread that serves QEMU.
    pub doorbell: Arc<Doorbell>,
    /// Where the loop runs; None: wherever the scheduler lets it.
    pub cpu: Option<usize>,
}

impl Wires for DoorbellWires {
    fn begin(&mut self) {
        let Some(cpu) = self.cpu else { return };
        let mut set = CpuSet::new();
        let pinned = set.set(cpu).and_then(|()| sched_setaffinity(Pid::from_raw(0), &set));
        if let Err(error) = pinned {
            eprintln!("irqscope-vm: warning: the generator is not on CPU {cpu}: {error}");
        }
    }

    fn now(&mut self) -> u64 {
        // Fails for clocks that do not exist; this one has been there since 2.6.28.
        clock_gettime(ClockId::CLOCK_MONOTONIC_RAW).map_or(0, |now| {
            let (seconds, ns) = (now.tv_sec(), now.tv_nsec());
            seconds.unsigned_abs() * 1_000_000_000 + ns.unsigned_abs()
        })
    }

    /// Raises the interrupt. The target may merge it with one that it has not taken yet, and so may
    /// QEMU; neither is seen from here.
    fn raise(&mut self) -> Result<Raised, Broken> {
        let at = self.now();
        self.doorbell.bell.ring();
        Ok(Raised::At(at))
    }

    fn words(&self) -> &[Word] {
        self.doorbell.memory.words()
    }

    fn armed(&self) -> bool {
        self.doorbell.memory.armed()
    }
}
