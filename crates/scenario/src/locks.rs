// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `[delayed-locking]`: what a scenario asks of a kernel that has it.

use irqscope_wire::{DelayedLocking, LockMode, LockPolicy, ShortPeriod};

use crate::value::Named;

/// Each case once for each mode, in this order.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct LocksText {
    modes: Vec<Named<LockMode>>,
    policy: Option<Named<LockPolicy>>,
    max_refusals: Option<u32>,
    short_period: Option<Named<ShortPeriod>>,
}

impl LocksText {
    pub fn check(&self) -> Result<(), String> {
        if self.modes.is_empty() {
            return Err("delayed-locking.modes is empty: name some of off, monitor, on".into());
        }
        let twice = |at: usize| self.modes[..at].iter().any(|mode| mode.0 == self.modes[at].0);
        if (0..self.modes.len()).any(twice) {
            return Err("delayed-locking.modes has a mode twice".into());
        }
        Ok(())
    }

    pub fn settings(&self) -> Vec<DelayedLocking> {
        let default = DelayedLocking::default();
        let of = |mode: &Named<LockMode>| DelayedLocking {
            mode: mode.0,
            policy: self.policy.map_or(default.policy, |policy| policy.0),
            max_refusals: self.max_refusals.unwrap_or(default.max_refusals),
            short_period: self.short_period.map_or(default.short_period, |way| way.0),
        };
        self.modes.iter().map(of).collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::Scenario;
    use irqscope_wire::{LockMode, LockPolicy};

    fn scenario(locks: &str) -> Result<Scenario, String> {
        let text = format!(
            "version = 1\nabout = \"x\"\nkernels = [\"delayed-locking\"]\nstates = [\"tcp\"]\n\
             [bench.sleep]\n[delayed-locking]\n{locks}"
        );
        Scenario::parse("x", "x.toml", &text).map_err(|error| error.to_string())
    }

    #[test]
    fn every_mode_is_a_case_of_its_own() {
        let scenario = scenario("modes = [\"off\", \"on\"]\npolicy = \"average\"").unwrap();
        let cases = scenario.cases();
        let names: Vec<&str> = cases.iter().map(|case| case.plan.case.as_str()).collect();
        assert_eq!(names, ["delayed-locking/tcp/off", "delayed-locking/tcp/on"]);
        let asked = cases[1].plan.delayed_locking.unwrap();
        assert_eq!((asked.mode, asked.policy), (LockMode::On, LockPolicy::Average));
        assert_eq!(asked.max_refusals, 100);
    }

    #[test]
    fn wrong_modes_are_refused() {
        assert!(scenario("modes = []").unwrap_err().contains("off, monitor, on"));
        assert!(scenario("modes = [\"on\", \"on\"]").unwrap_err().contains("twice"));
        assert!(scenario("modes = [\"of\"]").unwrap_err().contains("`off`"));
    }
}
