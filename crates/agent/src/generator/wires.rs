// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The driver's words and its injections as a generator's wires, by the CPU's own
//! counter.

use irqscope_generator::words::{Broken, Raised, Wires, Word};
use nix::errno::Errno;

use super::memory::Memory;
use super::spare::Placement;
use crate::{counter, uapi};

pub struct SpareWires {
    pub memory: Memory,
    pub placement: Placement,
}

impl Wires for SpareWires {
    fn begin(&mut self) {
        self.placement.go();
    }

    fn now(&mut self) -> u64 {
        counter::now_after_loads().0
    }

    fn raise(&mut self) -> Result<Raised, Broken> {
        let injection = match self.memory.inject() {
            Ok(injection) => injection,
            // The run has ended meanwhile.
            Err(Errno::EAGAIN) => return Ok(Raised::Dropped),
            Err(errno) => return Err(refused(errno)),
        };
        Ok(match injection.flags {
            0 => Raised::Numbered(injection.cycles, injection.number),
            flags if flags & uapi::INJECTION_MERGED != 0 => Raised::Merged(injection.cycles),
            _ => Raised::Dropped,
        })
    }

    fn words(&self) -> &[Word] {
        self.memory.words()
    }

    fn armed(&self) -> bool {
        self.memory.armed()
    }
}

fn refused(errno: Errno) -> Broken {
    let what = format!("the driver cannot inject an interrupt: {errno}");
    Broken { what, remedy: "see the kernel log; choose a free line in trigger.irq".into() }
}
