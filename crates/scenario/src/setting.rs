// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A generator's setting as people write it: `250us`, `25%`, `16`, `uniform`.

use std::fmt;

use irqscope_quantity::{QuantityError, Share, Span};
use irqscope_wire::{Changes, Descriptor, Nanoseconds, Setting, Unit};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{DeserializeSeed, Deserializer, Error, Visitor};

/// Returns the raw value of a setting, times in nanoseconds; it may be larger than the setting
/// can be.
///
/// # Errors
/// The text is none of its values; the message says how one is written.
pub fn parse_setting(setting: Setting, text: &str) -> Result<u128, String> {
    let names = setting.descriptor().names;
    match setting.unit() {
        Unit::Ticks => text.parse::<Span>().map(|Span(ns)| ns.into()).map_err(say),
        Unit::PerMille => text.parse::<Share>().map(|Share(share)| share.into()).map_err(say),
        _ if names.is_empty() => text.parse().map_err(|_| "not a whole number".to_owned()),
        _ => setting
            .raw_of(text)
            .map(u128::from)
            .ok_or_else(|| format!("unknown {setting} `{text}`: {}", names.join(", "))),
    }
}

/// Formats a raw value, times in nanoseconds, as [`parse_setting`] reads it.
fn write_setting(setting: Setting, raw: u64) -> String {
    match setting.unit() {
        Unit::Ticks => Span(raw).to_string(),
        Unit::PerMille => Share(u32::try_from(raw).unwrap_or(u32::MAX)).to_string(),
        _ => setting.text_of(raw),
    }
}

/// The value of a setting's key in a scenario, to be put among others.
pub(crate) struct SettingValue<'a> {
    pub setting: Setting,
    pub settings: &'a mut Changes<Nanoseconds>,
}

impl SettingValue<'_> {
    fn put(self, text: &str) -> Result<(), String> {
        let Self { setting, settings } = self;
        let Descriptor { usual, names, .. } = setting.descriptor();
        let raw = parse_setting(setting, text)?;
        // Which names a generator has is its own matter, and is asked of it.
        let known = |raw: &u64| !names.is_empty() || usual.contains(*raw);
        let raw = u64::try_from(raw).ok().filter(known);
        match raw.is_some_and(|raw| settings.put(setting, raw)) {
            true => Ok(()),
            false => {
                let [lowest, highest] =
                    [usual.lowest, usual.highest].map(|raw| write_setting(setting, raw));
                Err(format!("{setting} is {lowest} to {highest}, not {text}"))
            }
        }
    }

    /// Returns whether its values are plain numbers, in TOML too.
    fn is_number(&self) -> bool {
        let Descriptor { unit, names, .. } = self.setting.descriptor();
        names.is_empty() && !matches!(unit, Unit::Ticks | Unit::PerMille)
    }
}

impl<'de> DeserializeSeed<'de> for SettingValue<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl Visitor<'_> for SettingValue<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_number() { "a whole number" } else { "a string" })
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<(), E> {
        if self.is_number() {
            return Err(E::invalid_type(serde::de::Unexpected::Str(text), &self));
        }
        self.put(text).map_err(E::custom)
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<(), E> {
        self.put(&number.to_string()).map_err(E::custom)
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<(), E> {
        self.put(&number.to_string()).map_err(E::custom)
    }
}

/// Returns the schema of a setting's key.
pub(crate) fn setting_schema(row: &Descriptor) -> Schema {
    let generator = &mut SchemaGenerator::default();
    let mut schema = match row.unit {
        Unit::Ticks => Span::json_schema(generator),
        Unit::PerMille => Share::json_schema(generator),
        _ if row.names.is_empty() => json_schema!({
            "type": "integer", "minimum": row.usual.lowest, "maximum": row.usual.highest
        }),
        _ => json_schema!({ "type": "string", "enum": row.names }),
    };
    schema.insert("description".into(), row.help.trim().into());
    schema
}

fn say(error: QuantityError) -> String {
    error.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_read_in_its_settings_unit() {
        assert_eq!(parse_setting(Setting::Period, "250us"), Ok(250_000));
        assert_eq!(parse_setting(Setting::Duty, "12.5%"), Ok(125));
        assert_eq!(parse_setting(Setting::Count, "18446744073709551616"), Ok(1 << 64));
        assert_eq!(parse_setting(Setting::Polarity, "falling"), Ok(1));
    }

    #[test]
    fn what_is_no_value_says_how_one_is_written() {
        let wrong = |setting, text| parse_setting(setting, text).unwrap_err();
        for text in ["25", "-1%", "%", "nan%", "1e30%"] {
            assert!(wrong(Setting::Duty, text).contains("25%"), "{text}");
        }
        assert!(wrong(Setting::Timeout, "1").contains("250us"));
        assert_eq!(wrong(Setting::Polarity, "low"), "unknown polarity `low`: rising, falling");
        assert_eq!(wrong(Setting::Seed, "-1"), "not a whole number");
    }
}
