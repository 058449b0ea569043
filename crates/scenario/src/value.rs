// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Values with a syntax of their own: durations, priorities, closed names.

use std::str::FromStr;

use irqscope_wire::{Policy, Scheduling, UnknownName};
use serde::de::{Deserialize, Deserializer, Error};

use crate::nearest::suggestion;

/// A value of a closed set, whose misspelling is answered with the nearest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Named<T>(pub T);

impl<'de, T: FromStr<Err = UnknownName>> Deserialize<'de> for Named<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        let value = name.parse().map_err(|wrong: UnknownName| {
            D::Error::custom(suggestion(wrong.what, &name, wrong.allowed))
        })?;
        Ok(Named(value))
    }
}

/// A duration such as "250us", in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Duration(pub u64);

impl<'de> Deserialize<'de> for Duration {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let duration = humantime::parse_duration(&text).map_err(|error| {
            D::Error::custom(format!(
                "`{text}` is no duration ({error}); write \"250us\" or \"1ms\""
            ))
        })?;
        u64::try_from(duration.as_nanos())
            .map(Duration)
            .map_err(|_| D::Error::custom(format!("`{text}` is longer than 584 years")))
    }
}

/// A period, given as a frequency such as "1kHz": nanoseconds, rounded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Frequency(pub u64);

impl<'de> Deserialize<'de> for Frequency {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let error = || D::Error::custom(format!("`{text}` is no frequency; write \"1kHz\""));
        let (number, hertz) = [("kHz", 1e3), ("MHz", 1e6), ("mHz", 1e-3), ("Hz", 1.0)]
            .into_iter()
            .find_map(|(unit, hertz)| Some((text.strip_suffix(unit)?, hertz)))
            .ok_or_else(error)?;
        match number.trim().parse::<f64>() {
            Ok(number) if number.is_finite() && number > 0.0 => {
                Ok(Frequency((1e9 / (number * hertz)).round() as u64))
            }
            _ => Err(error()),
        }
    }
}

impl Frequency {
    pub fn hertz(self) -> f64 {
        1e9 / self.0.max(1) as f64
    }
}

/// A share of the period such as "25%" or "12.5%", per mille.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Duty(pub u16);

impl<'de> Deserialize<'de> for Duty {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let percent = text.strip_suffix('%').and_then(|number| number.trim().parse::<f64>().ok());
        match percent.map(|percent| (percent * 10.0).round()) {
            Some(per_mille) if (1.0..=999.0).contains(&per_mille) => Ok(Duty(per_mille as u16)),
            _ => Err(D::Error::custom(format!("duty is \"0.1%\" to \"99.9%\", not `{text}`"))),
        }
    }
}

/// A policy with its priority, "fifo 80" or "other".
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Priority(pub Scheduling);

impl<'de> Deserialize<'de> for Priority {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).map_err(D::Error::custom)
    }
}

impl Priority {
    pub fn parse(text: &str) -> Result<Self, String> {
        parse_priority(text).map(Priority)
    }
}

fn parse_priority(text: &str) -> Result<Scheduling, String> {
    let (policy, priority) = text.split_once(' ').unwrap_or((text, "0"));
    let policy: Policy = policy
        .parse()
        .map_err(|wrong: UnknownName| suggestion(wrong.what, policy, wrong.allowed))?;
    let range = if policy == Policy::Other { 0..=0 } else { 1..=99 };
    match priority.trim().parse() {
        Ok(priority) if range.contains(&priority) => Ok(Scheduling { policy, priority }),
        _ => Err(format!(
            "`{text}` is no priority: {policy} takes {} to {}, as in \"fifo 80\" or \"other\"",
            range.start(),
            range.end()
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn priorities_have_the_range_of_their_policy() {
        assert_eq!(
            parse_priority("fifo 80"),
            Ok(Scheduling { policy: Policy::Fifo, priority: 80 })
        );
        assert_eq!(parse_priority("other"), Ok(Scheduling { policy: Policy::Other, priority: 0 }));
        for wrong in ["fifo", "fifo 0", "rr 100", "other 3", "fifo x", "fif 80"] {
            assert!(parse_priority(wrong).is_err(), "{wrong}");
        }
    }
}
