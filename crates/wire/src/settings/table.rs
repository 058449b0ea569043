// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The table of a generator's settings, and what is made of it.

use serde::ser::{SerializeStruct, Serializer};
use serde::{Deserialize, Serialize};

use super::value::Value;
use super::{Descriptor, Range, Unit, When, Whose, default_of};
use crate::name::named;
use crate::{Cycles, JitterKind, Mode, Pacing, Polarity, Shape, Tick};

/// Defines the settings: `Variant field "name": type, unit, when, whose, default, lowest, highest;`.
/// `T` is the type of times. The order is that of the bytes on the wire.
macro_rules! settings {
    ($($(#[doc = $help:literal])+
       $variant:ident $field:ident $name:literal: $type:ty, $unit:ident, $when:ident, $whose:ident,
       $default:expr, $lowest:expr, $highest:expr;)+) => {
        named! {
            /// A setting, by the name that it has in scenarios, options and messages.
            Setting, "setting", { $($variant = $name),+ }
        }

        impl Setting {
            /// Returns its row of the table.
            pub const fn descriptor(self) -> Descriptor {
                type T = Cycles;
                match self {
                    $(Setting::$variant => Descriptor {
                        setting: Setting::$variant,
                        field: stringify!($field),
                        unit: Unit::$unit,
                        when: When::$when,
                        whose: Whose::$whose,
                        default: $default,
                        usual: Range { lowest: $lowest, highest: $highest },
                        names: <$type as Value>::NAMES,
                        help: concat!($($help),+),
                    },)+
                }
            }
        }

        /// The values in force.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
        pub struct Settings<T = Cycles> {
            $($(#[doc = $help])+ pub $field: $type,)+
            /// How long the interrupt line really stays high.
            pub high: T,
        }

        impl<T: Value> Settings<T> {
            /// Returns the raw value of a setting.
            pub fn get(&self, setting: Setting) -> u64 {
                match setting { $(Setting::$variant => self.$field.to_raw()),+ }
            }

            /// Takes over what a change names.
            pub fn apply(&mut self, changes: &Changes<T>) {
                $(if let Some(value) = changes.$field { self.$field = value; })+
            }
        }

        /// Any number of settings that are asked for, and take effect together. None: it
        /// stays as it is.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
        pub struct Changes<T = Cycles> {
            $($(#[doc = $help])+ pub $field: Option<$type>,)+
        }

        /// Leaves out what is not asked for where people read it.
        impl<T: Serialize> Serialize for Changes<T> {
            fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                let all = !to.is_human_readable();
                let mut fields = to.serialize_struct("Changes", Setting::ALL.len())?;
                $(if all || self.$field.is_some() {
                    fields.serialize_field(stringify!($field), &self.$field)?;
                })+
                fields.end()
            }
        }

        impl<T> Default for Changes<T> {
            fn default() -> Self {
                Self { $($field: None,)+ }
            }
        }

        impl<T: Value> Changes<T> {
            /// Returns the raw value that is asked for.
            pub fn get(&self, setting: Setting) -> Option<u64> {
                match setting { $(Setting::$variant => self.$field.map(Value::to_raw)),+ }
            }

            /// Asks for a raw value. False: its type has no such value.
            #[must_use]
            pub fn put(&mut self, setting: Setting, raw: u64) -> bool {
                match setting {
                    $(Setting::$variant => {
                        let value = Value::from_raw(raw);
                        self.$field = value.or(self.$field);
                        value.is_some()
                    })+
                }
            }

            /// Returns these changes, and where they name none those of `others`.
            #[must_use]
            pub fn or(self, others: Self) -> Self {
                Self { $($field: self.$field.or(others.$field),)+ }
            }

            $(
                /// Asks for this value, too.
                #[must_use]
                pub const fn $field(mut self, value: $type) -> Self where T: Copy {
                    self.$field = Some(value);
                    self
                }
            )+
        }

        /// The abilities of a generator. Times in ticks.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
        pub struct Limits {
            $($(#[doc = $help])+ pub $field: Range,)+
            /// Periods are rounded to a multiple of this: the divider.
            pub period_step: u64,
            /// The shortest time the interrupt line stays high, or low.
            pub pulse: u64,
            /// It can see the target let its interrupt through ([`crate::StartAt::Armed`]).
            pub sees_arming: bool,
            /// It can measure the way from its trigger to its own lines
            /// ([`crate::Command::Calibrate`]).
            pub calibrates: bool,
        }

        impl Limits {
            /// The ranges of the table, and none of the other abilities.
            pub const USUAL: Self = Self {
                $($field: Setting::$variant.descriptor().usual,)+
                period_step: 1,
                pulse: 1,
                sees_arming: false,
                calibrates: false,
            };

            /// Returns the raw values that a setting may have.
            pub const fn range(&self, setting: Setting) -> Range {
                match setting { $(Setting::$variant => self.$field),+ }
            }
        }

        impl Settings {
            /// Returns the defaults of the table, as far as these limits allow them.
            pub fn initial(limits: &Limits, tick: Tick) -> Self {
                Self {
                    $($field: default_of(Setting::$variant, limits.$field, tick),)+
                    high: Cycles(0),
                }
            }
        }
    };
}

settings! {
    /// The time from trigger to trigger, or from burst to burst, without jitter.
    Period period "period": T, Ticks, Always, Plan, 1_000_000, 0, u64::MAX;
    /// The part of the period, or of a burst's interval, for which the interrupt line
    /// is asserted.
    Duty duty "duty": u16, PerMille, Always, Generator, 250, 1, 999;
    /// The samples in one packet.
    Packet packet "packet": u16, Samples, Always, Generator, 16, 1, 1024;
    /// The triggers in one run.
    Count count "count": u64, Triggers, BetweenRuns, Plan, 1000, 1, 1 << 32;
    /// How a random part of the period is distributed.
    Jitter jitter "jitter": JitterKind, None, BetweenRuns, Plan, 0, 0, JitterKind::Exponential as u64;
    /// Half the width of uniform jitter, the mean of exponential jitter; 0 without.
    JitterAmount jitter_amount "jitter-amount": T, Ticks, BetweenRuns, Plan, 0, 0, u64::MAX;
    /// The seed of the jitter's random numbers.
    Seed seed "seed": u64, None, BetweenRuns, Plan, 0, 0, u64::MAX;
    /// Whether a trigger waits for the answers to the one before.
    Pacing pacing "pacing": Pacing, None, BetweenRuns, Plan, 0, 0, Pacing::Closed as u64;
    /// How long a response is waited for before it is called missing.
    Timeout timeout "timeout": T, Ticks, BetweenRuns, Plan, 10_000_000_000, 0, u64::MAX;
    /// The triggers in a burst, of which there is one in each period; 1: no bursts.
    Burst burst "burst": u32, Triggers, BetweenRuns, Plan, 1, 1, 1 << 20;
    /// The time from one trigger of a burst to the next.
    Interval interval "interval": T, Ticks, BetweenRuns, Plan, 0, 0, u64::MAX;
    /// How lines show responses.
    Shape shape "shape": Shape, None, BetweenRuns, Plan, 0, 0, Shape::Toggle as u64;
    /// Which edge of the interrupt line is the trigger.
    Polarity polarity "polarity": Polarity, None, BetweenRuns, Generator, 0, 0, Polarity::Rising as u64;
    /// Which lines a trigger asks for an answer: all of them, or the first and one other in turn.
    Mode mode "mode": Mode, None, BetweenRuns, Plan, 0, 0, Mode::Isolated as u64;
    /// The triggers in a row that ask the same stage, in mode `isolated`.
    TurnLength turn_length "turn-length": u32, Triggers, BetweenRuns, Plan, 1, 1, 1 << 20;
    /// The response lines in use, the first ones: samples have an answer for each.
    Lines lines "lines": u8, Lines, BetweenRuns, Plan, 255, 1, 255;
}
