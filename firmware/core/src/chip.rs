// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The differences between the two chips, and what a board of each offers.

use alloc::string::ToString;
use irqscope_wire::{
    GeneratorHello, GeneratorKind, Limits, PROTOCOL, Polarity, Range, Shape, Tick,
};

use crate::{HIGH_STEP, SHORTEST_HIGH, SHORTEST_PERIOD};

/// Samples in one packet at most: what the memory for packets allows.
const PACKET: u64 = 16;
/// The longest span that one word to the player can say, with a margin.
const LONGEST: u64 = 1 << 31;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chip {
    pub name: &'static str,
    /// System clock cycles in a microsecond; a cycle is the generator's tick.
    pub cycles_per_us: u32,
    pub tick: Tick,
    pub lines: u8,
    /// Cycles after a trigger in which all lines are looked at in every one; 0: none.
    pub window: u32,
}

/// Raspberry Pi Pico: eight machines, of which one plays the triggers. At 200 MHz,
/// for which the chip is certified by now; it starts at 125.
pub const RP2040: Chip = Chip {
    name: "RP2040",
    cycles_per_us: 200,
    tick: Tick { femtoseconds: 5_000_000 },
    lines: 7,
    window: 0,
};

/// The same with a sampler in place of the last line's machine.
pub const RP2040_WINDOW: Chip = Chip { lines: 6, window: 1 << 13, ..RP2040 };

/// Raspberry Pi Pico 2: twelve machines, of which one samples.
pub const RP2350: Chip = Chip {
    name: "RP2350",
    cycles_per_us: 150,
    tick: Tick { femtoseconds: 6_666_667 },
    lines: 8,
    window: 1 << 16,
};

impl Chip {
    pub fn hello(&self, version: &str) -> GeneratorHello {
        GeneratorHello {
            protocol: PROTOCOL,
            kind: GeneratorKind::Board,
            tool_version: version.to_string(),
            tick: self.tick,
            lines: self.lines,
            limits: self.limits(),
            challenge: None,
        }
    }

    fn limits(&self) -> Limits {
        let period = Range { lowest: SHORTEST_PERIOD, highest: LONGEST };
        Limits {
            period,
            interval: period,
            pulse: SHORTEST_HIGH.next_multiple_of(HIGH_STEP),
            packet: Range { lowest: 1, highest: PACKET },
            count: Range { lowest: 1, highest: 1 << 30 },
            jitter_amount: Range { lowest: 0, highest: LONGEST },
            timeout: Range { lowest: u64::from(self.cycles_per_us), highest: 1 << 36 },
            burst: Range { lowest: 1, highest: 1 << 16 },
            shape: Range { lowest: 0, highest: Shape::Pulse as u64 },
            polarity: Range { lowest: 0, highest: Polarity::Falling as u64 },
            calibrates: true,
            ..Limits::USUAL
        }
    }
}
