// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A generator's settings and limits as JSON: times in nanoseconds, values with names
//! by their names, each by [`Setting::key`].

use irqscope_wire::{Changes, GeneratorHello, Range, Setting, Settings};
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::error::SettingError;

/// The period as a frequency, beside it in settings and limits and instead of it in a
/// request.
pub const FREQUENCY: &str = "frequency_millihertz";

/// Where a setting is not what was asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Differs {
    /// Its key.
    pub setting: String,
    /// The value that was asked for.
    pub asked: Value,
    /// The value in force.
    pub set: Value,
}

/// Returns the values in force.
pub fn settings(hello: &GeneratorHello, set: &Settings) -> Map<String, Value> {
    let value = |setting: &Setting| (setting.key(), value(*setting, set.get(*setting), hello));
    let mut settings: Map<String, Value> = Setting::ALL.iter().map(value).collect();
    settings.insert("high_ns".into(), ns(hello, set.high.0));
    settings.insert(FREQUENCY.into(), millihertz(hello, set.period.0).into());
    settings
}

/// Returns the abilities of the generator: the lowest and the highest number, or all names.
pub fn limits(hello: &GeneratorHello) -> Map<String, Value> {
    let limits = &hello.limits;
    let span = |setting: &Setting| {
        let Range { lowest, highest } = limits.range(*setting);
        let value = |raw| value(*setting, raw, hello);
        let span = match setting.descriptor().names {
            [] => [lowest, highest].map(value).into(),
            names => (lowest..=highest.min(names.len() as u64 - 1)).map(value).collect(),
        };
        (setting.key(), span)
    };
    let mut all: Map<String, Value> = Setting::ALL.iter().map(span).collect();
    let Range { lowest, highest } = limits.period;
    let frequency = [highest, lowest].map(|period| millihertz(hello, period));
    all.insert(FREQUENCY.into(), json!(frequency));
    let step = limits.period_step as f64 * hello.tick.femtoseconds as f64 / 1e6;
    all.insert("period_step_ns".into(), step.into());
    all.insert("pulse_ns".into(), ns(hello, limits.pulse));
    all.insert("sees_arming".into(), limits.sees_arming.into());
    all.insert("calibrates".into(), limits.calibrates.into());
    all
}

/// Parses the changes that a request asks for. Names are checked whichever generator it is for; without
/// one there are no values yet.
///
/// # Errors
/// It names no setting, one that does not exist, the period twice, or none of a setting's values.
pub fn changes(
    asked: &Map<String, Value>,
    hello: Option<&GeneratorHello>,
) -> Result<Option<Changes>, SettingError> {
    let mut changes = Changes::default();
    for (key, value) in asked {
        let has_value = match (setting_of(key), hello) {
            (None, _) if key != FREQUENCY => return Err(SettingError::Unknown(key.clone())),
            (None, _) if asked.contains_key(&Setting::Period.key()) => {
                return Err(SettingError::Twice(Setting::Period.key(), FREQUENCY));
            }
            (_, None) => true,
            (None, Some(hello)) => {
                changes.period = value.as_u64().and_then(|millihertz| hello.period_of(millihertz));
                changes.period.is_some()
            }
            (Some(setting), Some(hello)) => {
                let raw = match value.as_str() {
                    Some(name) => setting.raw_of(name),
                    None => value.as_u64().map(|raw| setting.to_ticks(raw, hello.tick)),
                };
                raw.is_some_and(|raw| changes.put(setting, raw))
            }
        };
        if !has_value {
            return Err(SettingError::NoValue { key: key.clone(), value: value.clone() });
        }
    }
    if asked.is_empty() { Err(SettingError::None) } else { Ok(hello.map(|_| changes)) }
}

fn setting_of(key: &str) -> Option<Setting> {
    Setting::ALL.iter().copied().find(|setting| setting.key() == key)
}

/// Returns the settings of which the generator made something else.
pub fn differs(asked: &Map<String, Value>, settings: &Map<String, Value>) -> Vec<Differs> {
    let differs = |(key, asked): (&String, &Value)| {
        let set = settings.get(key).filter(|set| *set != asked)?;
        Some(Differs { setting: key.clone(), asked: asked.clone(), set: set.clone() })
    };
    asked.iter().filter_map(differs).collect()
}

fn value(setting: Setting, raw: u64, hello: &GeneratorHello) -> Value {
    match setting.descriptor().names {
        [] => setting.from_ticks(raw, hello.tick).into(),
        _ => setting.text_of(raw).into(),
    }
}

fn ns(hello: &GeneratorHello, ticks: u64) -> Value {
    Setting::Period.from_ticks(ticks, hello.tick).into()
}

/// Returns the triggers in a thousand seconds, to the nearest.
fn millihertz(hello: &GeneratorHello, period: u64) -> u64 {
    let femtoseconds = u128::from(period) * u128::from(hello.tick.femtoseconds);
    // 10^15 fs in a second, 10^3 mHz in a hertz.
    let millihertz = (1_000_000_000_000_000_000 + femtoseconds / 2) / femtoseconds.max(1);
    u64::try_from(millihertz).unwrap_or(u64::MAX)
}
