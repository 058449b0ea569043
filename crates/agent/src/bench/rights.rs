// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Whether this process may do what a real-time measurement wants. A right that is missing is left
//! out, and reported: the figures are another thing then.

use std::thread;

use irqscope_wire::{Class, Policy, Scheduling};
use nix::errno::Errno;

use crate::error::Error;
use crate::notes::Observation;
use crate::scheduling;

const ORDINARY: Class = Class::Fixed(Scheduling { policy: Policy::Other, priority: 0 });

#[derive(Clone, Copy, Debug)]
pub struct Rights {
    /// Why real-time policies are refused, if they are.
    refused: Option<Errno>,
    unlocked: Option<Errno>,
}

impl Rights {
    /// Locks the memory of this process and tries a policy, in a thread that
    /// ends at once.
    pub fn claim() -> Rights {
        let lowest = Scheduling { policy: Policy::Fifo, priority: 1 };
        let tried = thread::spawn(move || scheduling::schedule("a benchmark", lowest)).join();
        let refused = match tried {
            Ok(Err(Error::Policy { source, .. })) => Some(source),
            _ => None,
        };
        let unlocked = match scheduling::lock_memory() {
            Err(Error::LockMemory(errno)) => Some(errno),
            _ => None,
        };
        Rights { refused, unlocked }
    }

    pub fn has_real_time(&self) -> bool {
        self.refused.is_none()
    }

    /// Returns what a thread that wants this class can have.
    pub fn grant(&self, wanted: Class) -> Class {
        if self.has_real_time() || !wanted.is_real_time() { wanted } else { ORDINARY }
    }

    pub fn observations(&self, wants_real_time: bool) -> Vec<Observation> {
        let policies = self.refused.filter(|_| wants_real_time);
        let memory = self.unlocked.map(|why| Observation::MemoryUnlocked { why });
        policies.map(|why| Observation::NoRealTime { why }).into_iter().chain(memory).collect()
    }
}
