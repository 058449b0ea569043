// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The limits of a generator of tests, in ticks of a nanosecond: everything.

use irqscope_wire::{Limits, Range};

pub const LIMITS: Limits = Limits {
    period: Range { lowest: 10_000, highest: 62_500_000 },
    period_step: 1,
    pulse: 100,
    packet: Range { lowest: 1, highest: 1024 },
    count: Range { lowest: 1, highest: 1 << 32 },
    jitter: Range { lowest: 0, highest: 1_000_000_000 },
    patience: Range { lowest: 10_000, highest: 60_000_000_000 },
    burst: Range { lowest: 1, highest: 10_000 },
    sees_pulses: true,
    sees_arming: true,
    inverts: true,
    calibrates: true,
};
