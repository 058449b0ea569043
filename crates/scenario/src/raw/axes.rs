// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `[axes]`: what a scenario varies besides its kernels and states. Each setting of a level is a key
//! of its table, so that another kind of setting is another key and no other mechanism.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use super::own::SysctlText;
use irqscope_wire::Sysctl;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde::de::{Deserializer, Error, MapAccess, Visitor, value};

/// The levels of each axis, in the order of their cases.
pub(crate) type AxesText = BTreeMap<String, Vec<LevelText>>;

/// One level of an axis: its name, and what it sets. Alone, a name stands for the kernel parameter
/// that has the axis's name: `preempt = ["none", "full"]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum LevelText {
    Parameter(String),
    Table(LevelTable),
}

/// A level that says what it sets.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct LevelTable {
    /// Its name, in the names of its cases.
    pub level: String,
    /// Kernel parameters, after those of all cases.
    #[serde(default)]
    pub boot: String,
    /// Settings of the kernel, beside those of all cases.
    #[serde(default)]
    pub sysctl: SysctlText,
    /// The kernels that have it, by their names; all of them when left out.
    pub kernels: Option<Vec<String>>,
}

impl LevelText {
    pub fn name(&self) -> &str {
        match self {
            Self::Parameter(value) => value,
            Self::Table(table) => &table.level,
        }
    }

    /// Returns its kernel parameters.
    pub fn boot(&self, axis: &str) -> String {
        match self {
            Self::Parameter(value) => format!("{axis}={value}"),
            Self::Table(table) => table.boot.clone(),
        }
    }

    /// Returns its settings of the kernel.
    pub fn sysctls(&self) -> &[Sysctl] {
        match self {
            Self::Parameter(_) => &[],
            Self::Table(table) => &table.sysctl.0,
        }
    }

    pub fn kernels(&self) -> Option<&[String]> {
        match self {
            Self::Parameter(_) => None,
            Self::Table(table) => table.kernels.as_deref(),
        }
    }
}

impl<'de> Deserialize<'de> for LevelText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(LevelVisitor)
    }
}

impl JsonSchema for LevelText {
    fn schema_name() -> Cow<'static, str> {
        "Level".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let table = generator.subschema_for::<LevelTable>();
        json_schema!({ "anyOf": [{ "type": "string" }, table] })
    }
}

struct LevelVisitor;

impl<'de> Visitor<'de> for LevelVisitor {
    type Value = LevelText;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a level: \"full\", or { level = \"full\", boot = \"preempt=full\" }")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<LevelText, E> {
        Ok(LevelText::Parameter(text.to_owned()))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<LevelText, A::Error> {
        LevelTable::deserialize(value::MapAccessDeserializer::new(map)).map(LevelText::Table)
    }
}
