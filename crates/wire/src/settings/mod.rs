// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The settings of a generator, each written once.
//!
//! The table in `table.rs` is the only place that lists them. From it follow
//! the protocol ([`Changes`], [`Settings`], [`Limits`]), scenario keys, options of
//! `irqscope generator set`, the server's JSON, the page's types and docs/settings.md.
//!
//! A value is a typed field where code reads it, and a *raw* number where all settings
//! are treated alike: a time in the unit of `T`, a named value by its place in its set.

mod plan;
mod table;
mod value;

use alloc::{format, string::String, vec::Vec};
use serde::{Deserialize, Serialize};

use crate::name::named;
use crate::{Nanoseconds, Refusal, Tick};

pub use plan::Outside;
pub use table::{Changes, Limits, Setting, Settings};
pub use value::Value;

named! {
    /// Which edge of the interrupt line is the trigger. High, in the other settings, is
    /// then the time from that edge to the other one.
    Polarity, "polarity", {
        /// The line rests low.
        Rising = "rising",
        /// The line rests high.
        Falling = "falling",
    }
}

/// A closed interval of raw values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Range {
    /// The lowest value that is allowed.
    pub lowest: u64,
    /// The highest value that is allowed.
    pub highest: u64,
}

impl Range {
    /// Returns whether a value is allowed.
    pub const fn contains(self, value: u64) -> bool {
        self.lowest <= value && value <= self.highest
    }
}

/// The unit of a setting's numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Nothing: a number of its own, or a name.
    None,
    /// Ticks of the generator's clock; nanoseconds on the host's side.
    Ticks,
    /// Thousandths.
    PerMille,
    /// Samples.
    Samples,
    /// Triggers.
    Triggers,
    /// Response lines.
    Lines,
}

impl Unit {
    /// Returns its name in a message of a generator.
    pub const fn name(self) -> &'static str {
        match self {
            Unit::None => "",
            Unit::Ticks => "ticks",
            Unit::PerMille => "per mille",
            Unit::Samples => "samples",
            Unit::Triggers => "triggers",
            Unit::Lines => "lines",
        }
    }
}

/// When a setting may change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// At any time, also during a run.
    Always,
    /// While no run is active: it decides a whole run.
    BetweenRuns,
}

/// Whose a setting is in a scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose {
    /// The plan: it has the setting for whatever triggers, or the setting follows from it.
    Plan,
    /// A generator alone.
    Generator,
}

/// A row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Descriptor {
    /// The setting.
    pub setting: Setting,
    /// Its name in Rust and, with [`Setting::key`], in JSON.
    pub field: &'static str,
    /// Its unit.
    pub unit: Unit,
    /// When it may change.
    pub when: When,
    /// Whose it is in a scenario.
    pub whose: Whose,
    /// The raw value of a generator that was not set; times in nanoseconds.
    pub default: u64,
    /// The raw values of a generator that says nothing else; times in nanoseconds.
    pub usual: Range,
    /// The names of its values in the order of their raw numbers; empty: numbers.
    pub names: &'static [&'static str],
    /// Its meaning, in one sentence or more.
    pub help: &'static str,
}

/// Returns the default, or where it is beyond the limits the nearest value within them.
fn default_of<V: Value>(setting: Setting, range: Range, tick: Tick) -> V {
    let raw = setting.to_ticks(setting.descriptor().default, tick);
    V::nearest(raw.max(range.lowest).min(range.highest))
}

impl Setting {
    /// Returns all rows of the table, in its order.
    pub fn table() -> impl Iterator<Item = Descriptor> {
        Self::ALL.iter().map(|setting| setting.descriptor())
    }

    /// Returns the settings that a generator alone has.
    pub fn generators() -> impl Iterator<Item = Descriptor> {
        Self::table().filter(|row| row.whose == Whose::Generator)
    }

    /// Returns the unit of its numbers.
    pub const fn unit(self) -> Unit {
        self.descriptor().unit
    }

    /// Returns its name in JSON, which has the unit.
    pub fn key(self) -> String {
        let Descriptor { field, unit, .. } = self.descriptor();
        match unit {
            Unit::Ticks => format!("{field}_ns"),
            Unit::PerMille => format!("{field}_per_mille"),
            _ => field.into(),
        }
    }

    /// Returns the raw value in a generator's ticks, of one with times in nanoseconds.
    pub fn to_ticks(self, raw: u64, tick: Tick) -> u64 {
        if self.unit() == Unit::Ticks { tick.cycles(raw).0 } else { raw }
    }

    /// Returns the raw value with times in nanoseconds, of one in a generator's ticks.
    pub fn from_ticks(self, raw: u64, tick: Tick) -> u64 {
        if self.unit() != Unit::Ticks {
            return raw;
        }
        let Nanoseconds(ns) = tick.nanoseconds(i64::try_from(raw).unwrap_or(i64::MAX));
        u64::try_from(ns).unwrap_or(0)
    }

    /// Returns the raw value of a name, if its values have names.
    pub fn raw_of(self, name: &str) -> Option<u64> {
        let names = self.descriptor().names;
        names.iter().position(|known| *known == name).map(|place| place as u64)
    }

    /// Formats a raw value as a generator says it: a name, or a number.
    pub fn text_of(self, raw: u64) -> String {
        let name = usize::try_from(raw).ok().and_then(|raw| self.descriptor().names.get(raw));
        name.map_or_else(|| format!("{raw}"), |name| (*name).into())
    }
}

impl<T: Value> Changes<T> {
    /// Iterates over the settings that are asked for, with raw values.
    pub fn iter(&self) -> impl Iterator<Item = (Setting, u64)> {
        Setting::ALL.iter().filter_map(|setting| Some((*setting, self.get(*setting)?)))
    }

    /// Returns whether nothing is asked for.
    pub fn is_empty(&self) -> bool {
        self.iter().next().is_none()
    }
}

impl Changes<Nanoseconds> {
    /// Writes these changes as one word of text, for a program's arguments.
    pub fn to_hex(&self) -> String {
        // Sixteen numbers and names always have an encoding.
        let bytes = postcard::to_allocvec(self).unwrap_or_default();
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Reads what [`Self::to_hex`] wrote.
    pub fn from_hex(text: &str) -> Option<Self> {
        let digits = text.as_bytes();
        let byte = |pair: &[u8]| u8::from_str_radix(core::str::from_utf8(pair).ok()?, 16).ok();
        let bytes: Option<Vec<u8>> = digits.chunks(2).map(byte).collect();
        postcard::from_bytes(&bytes?).ok()
    }

    /// Returns the same in a generator's ticks.
    pub fn in_ticks(&self, tick: Tick) -> Changes {
        let mut changes = Changes::default();
        for (setting, raw) in self.iter() {
            // Both types of time have room for all others' values, and ticks for any.
            let _ = changes.put(setting, setting.to_ticks(raw, tick));
        }
        changes
    }
}

impl Changes {
    /// Checks whether a generator with these limits can do what is asked, as far as each
    /// setting alone says so.
    ///
    /// # Errors
    /// A value is out of range; or a run is active, which the setting decides.
    pub fn check(&self, limits: &Limits, active: bool) -> Result<(), Refusal> {
        for (setting, asked) in self.iter() {
            if active && setting.descriptor().when == When::BetweenRuns {
                return Err(Refusal::RunActive { setting });
            }
            limits.range(setting).check(setting, asked)?;
        }
        Ok(())
    }

    /// Returns the settings with other values in force than those asked for, beyond the rounding that
    /// the limits announce.
    pub fn differences(
        &self,
        settings: &Settings,
        limits: &Limits,
    ) -> impl Iterator<Item = Difference> {
        self.iter().filter_map(|(setting, asked)| {
            let effective = settings.get(setting);
            let rounding =
                if setting == Setting::Period { limits.period_step.max(1) - 1 } else { 0 };
            let differs = asked.abs_diff(effective) > rounding;
            differs.then_some(Difference { setting, asked, effective })
        })
    }
}

impl Range {
    /// Refuses a setting's value that is beyond this range.
    ///
    /// # Errors
    /// [`Refusal::OutOfRange`], with the limits.
    pub fn check(self, setting: Setting, asked: u64) -> Result<(), Refusal> {
        let Self { lowest, highest } = self;
        if self.contains(asked) {
            return Ok(());
        }
        Err(Refusal::OutOfRange { setting, asked, lowest, highest })
    }
}

/// A setting whose value in force is not the one asked for; raw values in ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The setting.
    pub setting: Setting,
    /// The value that was asked for.
    pub asked: u64,
    /// The value in force.
    pub effective: u64,
}
