// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Values with a syntax of their own: priorities, closed names.

use std::borrow::Cow;
use std::fmt::Display;
use std::str::FromStr;

use irqscope_wire::{Names, Policy, Scheduling, UnknownName};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, Error};
use serde::{Serialize, Serializer};

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

impl<T: Names> JsonSchema for Named<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Named".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "enum": T::NAMES })
    }
}

impl<T: Display> Serialize for Named<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

impl JsonSchema for Priority {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Priority".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": "^(other|(fifo|rr) [1-9][0-9]?)$" })
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
