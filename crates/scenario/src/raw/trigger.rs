// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `[trigger]`: keys of its own, and those of the settings that a generator alone has, which follow
//! from their table.

use irqscope_quantity::{Frequency, Span};
use irqscope_wire::{
    Changes, JitterKind, Line, Mode, Nanoseconds, Pacing, Setting, Trigger, Whose,
};
use schemars::Schema;
use serde::de::value::{Error as Plain, MapAccessDeserializer};
use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, Error, IntoDeserializer, MapAccess, Visitor,
};

use super::Named;
use crate::setting::{SettingValue, setting_schema};

#[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = add_settings)]
pub(crate) struct TriggerText {
    pub kind: Named<Trigger>,
    /// This or a frequency.
    pub period: Option<Span>,
    pub frequency: Option<Frequency>,
    pub count: u64,
    /// Isolated where the target can be asked for it, if it is not given.
    pub mode: Option<Named<Mode>>,
    /// By the count and the stages, if it is not given.
    #[serde(rename = "turn-length")]
    pub turn_length: Option<u32>,
    /// Open, or what the kind has alone.
    pub pacing: Option<Named<Pacing>>,
    #[serde(default = "none")]
    pub jitter: Named<JitterKind>,
    #[serde(default = "zero", rename = "jitter-amount")]
    pub jitter_amount: Span,
    /// Triggers in a row once a period, an interval apart.
    pub burst: Option<u32>,
    pub interval: Option<Span>,
    #[serde(default)]
    pub seed: u64,
    /// Each case once for each seed, from that one on.
    #[serde(default = "one")]
    pub seeds: u32,
    #[serde(default)]
    pub cpu: u32,
    /// Of rigs local and ssh: where the generator is that injects and watches.
    #[serde(rename = "generator-cpu")]
    pub generator_cpu: Option<u32>,
    #[serde(default = "ack")]
    pub irq: u32,
    pub line: Option<Named<Line>>,
    #[serde(default = "ten_seconds")]
    pub timeout: Span,
    #[serde(default = "settle")]
    pub settle: Span,
    /// Keys of the table of settings that a generator alone has.
    #[serde(skip)]
    pub settings: Changes<Nanoseconds>,
}

/// Adds the settings that a generator alone has.
fn add_settings(schema: &mut Schema) {
    let Some(properties) = schema.get_mut("properties").and_then(|all| all.as_object_mut()) else {
        return;
    };
    for row in Setting::generators() {
        properties.insert(row.setting.name().into(), setting_schema(&row).into());
    }
}

/// Reads the table.
pub(super) fn with_settings<'de, D>(deserializer: D) -> Result<Option<TriggerText>, D::Error>
where
    D: Deserializer<'de>,
{
    deserializer.deserialize_map(Whole).map(Some)
}

struct Whole;

impl<'de> Visitor<'de> for Whole {
    type Value = TriggerText;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a table")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<TriggerText, A::Error> {
        let mut settings = Changes::default();
        let others = Others { map, settings: &mut settings };
        let text = TriggerText::deserialize(MapAccessDeserializer::new(others))?;
        Ok(TriggerText { settings, ..text })
    }
}

/// The keys that are none of a generator's settings; those are kept on the way.
struct Others<'a, A> {
    map: A,
    settings: &'a mut Changes<Nanoseconds>,
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Others<'_, A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        mut seed: K,
    ) -> Result<Option<K::Value>, A::Error> {
        loop {
            match self.map.next_key_seed(KeySeed(seed))? {
                None => return Ok(None),
                Some(Key::Other(key)) => return Ok(Some(key)),
                Some(Key::Setting(setting, unused)) => {
                    let value = SettingValue { setting, settings: self.settings };
                    self.map.next_value_seed(value)?;
                    seed = unused;
                }
            }
        }
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        self.map.next_value_seed(seed)
    }
}

enum Key<V, K> {
    Other(V),
    Setting(Setting, K),
}

struct KeySeed<K>(K);

impl<'de, K: DeserializeSeed<'de>> DeserializeSeed<'de> for KeySeed<K> {
    type Value = Key<K::Value, K>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        let name = String::deserialize(deserializer)?;
        match name.parse::<Setting>() {
            Ok(setting) if setting.descriptor().whose == Whose::Generator => {
                Ok(Key::Setting(setting, self.0))
            }
            _ => {
                let key = IntoDeserializer::<Plain>::into_deserializer(name.as_str());
                let value = self.0.deserialize(key);
                value.map(Key::Other).map_err(|error| D::Error::custom(with_settings_of(error)))
            }
        }
    }
}

/// Adds the settings to the keys that serde names beside a misspelt one.
fn with_settings_of(error: Plain) -> String {
    let names = Setting::generators().map(|row| format!(", `{}`", row.setting));
    std::iter::once(error.to_string()).chain(names).collect()
}

fn none() -> Named<JitterKind> {
    Named(JitterKind::None)
}
fn zero() -> Span {
    Span(0)
}
fn one() -> u32 {
    1
}
fn ten_seconds() -> Span {
    Span(10_000_000_000)
}
fn settle() -> Span {
    Span(100_000_000)
}
/// Returns the interrupt line of a parallel port's ACK on a PC.
fn ack() -> u32 {
    7
}
