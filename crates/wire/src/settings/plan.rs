// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The settings that a plan asks of a generator.

use serde::{Deserialize, Serialize};

use super::{Changes, Setting, Settings};
use crate::{JitterKind, Nanoseconds, StagePlan, Tick};

/// A plan's demands on a generator besides its triggers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outside {
    /// The CPU of the target on which a generator runs; the rig chooses if it is not named.
    pub cpu: Option<u32>,
    /// The settings that a generator alone has.
    pub settings: Changes<Nanoseconds>,
}

/// The table's defaults.
impl Default for Outside {
    fn default() -> Self {
        let mut settings = Changes::default();
        for row in Setting::generators() {
            // Every type has its default.
            let _ = settings.put(row.setting, row.default);
        }
        Self { cpu: None, settings }
    }
}

impl Outside {
    /// Returns the demands that these settings in force fulfil.
    pub fn of(in_force: &Settings, tick: Tick) -> Self {
        let mut settings = Changes::default();
        for row in Setting::generators() {
            // Nanoseconds have room for all others' values.
            let _ =
                settings.put(row.setting, row.setting.from_ticks(in_force.get(row.setting), tick));
        }
        Self { cpu: None, settings }
    }
}

impl StagePlan {
    /// Returns all settings, for a generator with this many lines in use.
    pub fn settings(&self, lines: usize) -> Changes<Nanoseconds> {
        let ns = |ns: u64| Nanoseconds(i64::try_from(ns).unwrap_or(i64::MAX));
        let amount = if self.jitter.kind == JitterKind::None { 0 } else { self.jitter.ns };
        let asked = Changes::default()
            .period(ns(self.period_ns))
            .count(self.count)
            .jitter(self.jitter.kind)
            .jitter_amount(ns(amount))
            .seed(self.seed)
            .pacing(self.pacing)
            .mode(self.mode)
            .turn_length(self.turn_length)
            .timeout(ns(u64::from(self.timeout_ms) * 1_000_000))
            .shape(self.shape())
            .lines(u8::try_from(lines).unwrap_or(u8::MAX))
            .burst(self.burst.map_or(1, |burst| burst.triggers));
        Changes { interval: self.burst.map(|burst| ns(burst.interval_ns)), ..asked }
            .or(self.outside.unwrap_or_default().settings)
    }
}
