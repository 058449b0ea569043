// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `[load.NAME]`, `modules` and `[sysctl]`: what a scenario brings along, and settings of the kernel.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use irqscope_wire::{AtEnd, LoadCpu, Sysctl};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde::de::{Deserializer, Error, MapAccess, SeqAccess, Visitor};

use super::value::{Named, Priority};

/// A load of one's own.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct LoadText {
    /// The program and its arguments: words with spaces between them, or a list.
    #[serde(default)]
    pub command: Command,
    /// In the place of a command: system calls that it makes in this order, again and again.
    #[serde(default)]
    pub calls: Vec<String>,
    /// Files and directories that go along, into the directory that it runs in.
    #[serde(default)]
    pub files: Vec<String>,
    /// A root file system in which it runs: a directory, or a file of `tar` as `podman export` writes it.
    pub root: Option<String>,
    /// Debian's packages that a guest gets, with all that they depend on: `"fio"`, `"fio/bookworm"`.
    #[serde(default)]
    pub packages: Vec<String>,
    /// Added to its environment.
    #[serde(default)]
    pub environment: BTreeMap<String, String>,
    /// How many of it run at the same time.
    #[serde(default = "one")]
    pub count: u16,
    /// The CPU under test, any, or one by its number.
    #[serde(default)]
    pub cpu: Cpu,
    pub priority: Option<Priority>,
    /// The user that it runs as, by number or name.
    pub user: Option<String>,
    /// It runs beside the guest's other network card, in network namespace `peer`.
    #[serde(default)]
    pub peer: bool,
    #[serde(default = "fail")]
    pub at_end: Named<AtEnd>,
}

fn one() -> u16 {
    1
}
fn fail() -> Named<AtEnd> {
    Named(AtEnd::Fail)
}

/// A program and its arguments.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Command(pub Vec<String>);

impl JsonSchema for Command {
    fn schema_name() -> Cow<'static, str> {
        "Command".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": ["string", "array"], "items": { "type": "string" } })
    }
}

impl<'de> Deserialize<'de> for Command {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(CommandVisitor)
    }
}

struct CommandVisitor;

impl<'de> Visitor<'de> for CommandVisitor {
    type Value = Command;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a command: \"./hammer 16\", or [\"sh\", \"-c\", \"...\"]")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Command, E> {
        if text.contains(['"', '\'', '\\', '|', ';', '&', '<', '>', '$', '`', '*', '?']) {
            return Err(E::custom(
                "no shell reads a command: write its words as a list, and for a shell's syntax \
                 [\"sh\", \"-c\", \"...\"]",
            ));
        }
        Ok(Command(text.split_whitespace().map(str::to_owned).collect()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut words: A) -> Result<Command, A::Error> {
        let mut all = Vec::new();
        while let Some(word) = words.next_element()? {
            all.push(word);
        }
        Ok(Command(all))
    }
}

/// The CPU of a load.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Cpu(pub LoadCpu);

impl JsonSchema for Cpu {
    fn schema_name() -> Cow<'static, str> {
        "Cpu".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "anyOf": [{ "enum": ["tested", "any"] }, { "type": "integer", "minimum": 0 }] })
    }
}

impl<'de> Deserialize<'de> for Cpu {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        const EXPECTED: &str = "cpu is \"tested\" (the CPU under test), \"any\", or a CPU's number";
        let cpu = match toml::Value::deserialize(deserializer)? {
            toml::Value::String(text) if text == "tested" => Some(LoadCpu::Tested),
            toml::Value::String(text) if text == "any" => Some(LoadCpu::Any),
            toml::Value::Integer(number) => u32::try_from(number).ok().map(LoadCpu::Number),
            _ => None,
        };
        cpu.map(Cpu).ok_or_else(|| D::Error::custom(EXPECTED))
    }
}

/// Settings of the kernel, in the order of their names. Dots of a name may be TOML's.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SysctlText(pub Vec<Sysctl>);

impl JsonSchema for SysctlText {
    fn schema_name() -> Cow<'static, str> {
        "Sysctl".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "object",
            "additionalProperties": { "type": ["string", "integer", "object"] },
        })
    }
}

impl<'de> Deserialize<'de> for SysctlText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(SysctlVisitor)
    }
}

struct SysctlVisitor;

impl<'de> Visitor<'de> for SysctlVisitor {
    type Value = SysctlText;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("settings: { \"kernel.sched_rt_runtime_us\" = -1 }")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<SysctlText, A::Error> {
        let mut all = BTreeMap::new();
        while let Some((name, value)) = map.next_entry::<String, toml::Value>()? {
            flatten(name, value, &mut all).map_err(A::Error::custom)?;
        }
        let setting = |(name, value)| Sysctl { name, value };
        Ok(SysctlText(all.into_iter().map(setting).collect()))
    }
}

fn flatten(
    name: String,
    value: toml::Value,
    all: &mut BTreeMap<String, String>,
) -> Result<(), String> {
    let text = match value {
        toml::Value::Table(table) => {
            let mut inner = table.into_iter();
            return inner.try_for_each(|(key, value)| flatten(format!("{name}.{key}"), value, all));
        }
        toml::Value::String(text) => text,
        toml::Value::Integer(number) => number.to_string(),
        _ => return Err(format!("{name} is a number or a string, as sysctl -w takes it")),
    };
    match all.insert(name.clone(), text) {
        None => Ok(()),
        Some(_) => Err(format!("{name} is there twice")),
    }
}
