// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The limits of a generator of tests, in ticks of a nanosecond: everything.

use irqscope_wire::{Limits, Polarity, Range, Shape};

const PERIOD: Range = Range { lowest: 10_000, highest: 62_500_000 };

pub const LIMITS: Limits = Limits {
    period: PERIOD,
    pulse: 100,
    jitter_amount: Range { lowest: 0, highest: 1_000_000_000 },
    timeout: Range { lowest: 10_000, highest: 60_000_000_000 },
    burst: Range { lowest: 1, highest: 10_000 },
    interval: PERIOD,
    shape: Range { lowest: 0, highest: Shape::Pulse as u64 },
    polarity: Range { lowest: 0, highest: Polarity::Falling as u64 },
    sees_arming: true,
    calibrates: true,
    ..Limits::USUAL
};
