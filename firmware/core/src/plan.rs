// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Which instants are due, ahead of time.

use irqscope_generator::Grid;
use irqscope_wire::{JitterKind, Settings};

/// Random steps that one look may take until it leaps.
const STEPS: u32 = 32;

#[derive(Clone, Debug)]
pub struct Plan {
    settings: Settings,
    grid: Grid,
    shortest: u64,
    /// The next grid point.
    point: u64,
    /// Triggers that are still to come.
    left: u64,
}

impl Plan {
    /// Plans the first trigger one period after `now`.
    pub fn new(settings: Settings, shortest: u64, now: u64) -> Self {
        let point = now.saturating_add(settings.period.0);
        Self { settings, grid: Grid::new(settings.seed), shortest, point, left: settings.count }
    }

    /// Changes the settings from the next point on.
    pub fn set(&mut self, settings: Settings) {
        self.settings = settings;
    }

    pub fn high(&self) -> u64 {
        self.settings.high.0
    }

    /// Returns the next point; None: all triggers were planned.
    pub fn point(&self) -> Option<u64> {
        (self.left > 0).then_some(self.point)
    }

    /// Moves the first point to no earlier than that; the others follow it.
    pub fn not_before(&mut self, earliest: u64) {
        self.point = self.point.max(earliest);
    }

    /// Skips the points before this cycle; returns how many.
    ///
    /// Where that is more than a few of a random grid, the rest of them is counted
    /// by the mean step, and the grid goes on from there: time that is lost is not
    /// spent on finding out how it was lost.
    pub fn skip_to(&mut self, earliest: u64) -> u64 {
        let mut skipped = 0;
        if self.is_random() {
            while self.point < earliest && skipped < u64::from(STEPS) {
                self.step();
                skipped += 1;
            }
        }
        let behind = earliest.saturating_sub(self.point);
        let periods = behind.div_ceil(self.settings.period.0.max(1));
        self.point = self.point.saturating_add(periods.saturating_mul(self.settings.period.0));
        skipped + periods * u64::from(self.settings.burst.max(1))
    }

    /// Takes the point, which is planned, and goes on to the next.
    pub fn take(&mut self) {
        self.left = self.left.saturating_sub(1);
        self.step();
    }

    /// Moves all points by as much as the first one came late.
    pub fn shift(&mut self, late: i64) {
        self.point = self.point.saturating_add_signed(late);
    }

    fn step(&mut self) {
        self.point = self.point.saturating_add(self.grid.step(&self.settings, self.shortest));
    }

    fn is_random(&self) -> bool {
        self.settings.jitter != JitterKind::None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RP2040;
    use irqscope_generator::initial;
    use irqscope_wire::Cycles;

    fn settings(period: u64) -> Settings {
        let hello = RP2040.hello("0");
        Settings { period: Cycles(period), ..initial(&hello.limits, hello.tick) }
    }

    #[test]
    fn points_are_a_period_apart_and_end_with_the_count() {
        let mut plan = Plan::new(Settings { count: 3, ..settings(100) }, 20, 1_000);
        let mut points = Vec::new();
        while let Some(point) = plan.point() {
            points.push(point);
            plan.take();
        }
        assert_eq!(points, [1_100, 1_200, 1_300]);
    }

    #[test]
    fn what_is_over_is_skipped_and_the_grid_stays() {
        let mut plan = Plan::new(settings(100), 20, 0);
        assert_eq!(plan.skip_to(100), 0);
        assert_eq!(plan.skip_to(1_000_050), 10_000);
        assert_eq!(plan.point(), Some(1_000_100));
    }

    #[test]
    fn a_random_grid_far_behind_is_caught_up_with_at_once() {
        let random =
            Settings { jitter: JitterKind::Uniform, jitter_amount: Cycles(50), ..settings(100) };
        let mut plan = Plan::new(random, 20, 0);
        let skipped = plan.skip_to(1_000_000);
        assert!((9_900..10_100).contains(&skipped), "{skipped}");
        assert!(plan.point().is_some_and(|point| point >= 1_000_000));
    }
}
