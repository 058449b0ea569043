// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `[execution]`: how long stages execute when they are triggered.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use irqscope_quantity::Span;
use irqscope_wire::{ExecutionTime, Stage};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor, value};

use super::Named;

pub(crate) type ExecutionText = BTreeMap<Named<Stage>, TimeText>;

/// `"70us"`, `{ lowest = "4us", highest = "6us" }` or `{ mean = "10us" }`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct TimeText(pub ExecutionTime);

impl<'de> Deserialize<'de> for TimeText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TimeVisitor).map(TimeText)
    }
}

impl JsonSchema for TimeText {
    fn schema_name() -> Cow<'static, str> {
        "ExecutionTime".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let span = generator.subschema_for::<Span>();
        let table = |keys: &[&str]| {
            let properties: BTreeMap<&str, &Schema> =
                keys.iter().map(|key| (*key, &span)).collect();
            json_schema!({
                "type": "object",
                "properties": properties,
                "required": keys,
                "additionalProperties": false,
            })
        };
        json_schema!({ "anyOf": [span, table(&["lowest", "highest"]), table(&["mean"])] })
    }
}

struct TimeVisitor;

impl<'de> Visitor<'de> for TimeVisitor {
    type Value = ExecutionTime;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "an execution time: \"70us\", { lowest = \"4us\", highest = \"6us\" } or \
             { mean = \"10us\" }",
        )
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<ExecutionTime, E> {
        let Span(ns) = Span::deserialize(value::StrDeserializer::new(text))?;
        Ok(ExecutionTime::Fixed { ns })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<ExecutionTime, A::Error> {
        let mut times = BTreeMap::new();
        while let Some((key, Span(ns))) = map.next_entry::<String, Span>()? {
            times.insert(key, ns);
        }
        let times: Vec<(&str, u64)> = times.iter().map(|(key, ns)| (key.as_str(), *ns)).collect();
        match times[..] {
            [("mean", mean_ns)] => Ok(ExecutionTime::Exponential { mean_ns }),
            [("highest", highest_ns), ("lowest", lowest_ns)] => {
                Ok(ExecutionTime::Uniform { lowest_ns, highest_ns })
            }
            _ => Err(A::Error::custom("give lowest and highest, or mean")),
        }
    }
}
