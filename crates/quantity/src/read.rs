// SPDX-License-Identifier: Apache-2.0 OR MIT
//! From text to a number of the smallest unit, and back without a loss.

use std::fmt;
use std::str::FromStr;

use serde::de::{Deserialize, Deserializer, Error};
use serde::{Serialize, Serializer};

/// A span of time in nanoseconds: `250us`, `1.5ms`, `1ms 500us`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span(pub u64);

/// A frequency in millihertz: `1kHz`, `16 Hz`, `2.5MHz`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Frequency(pub u64);

/// A share in per mille: `25%`, `12.5%`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Share(pub u32);

/// A text that is no quantity of the wanted kind.
#[allow(missing_docs, reason = "each message names its field")]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QuantityError {
    #[error("`{0}` is no span of time; write it with its unit: 250us, 1ms or 1h")]
    Span(String),
    #[error("`{0}` is longer than 584 years")]
    Long(String),
    #[error("`{0}` is no frequency; write it with its unit: 16Hz, 1kHz or 2.5MHz")]
    Frequency(String),
    #[error("`{0}` is no share; write 25% or 12.5%")]
    Share(String),
    #[error("`{0}` is not a quantile; write p50, p99.9, p99.999 or max")]
    Quantile(String),
}

const SPANS: [(u64, &str); 5] =
    [(3_600_000_000_000, "h"), (1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "us"), (1, "ns")];
const FREQUENCIES: [(u64, &str); 4] =
    [(1_000_000_000, "MHz"), (1_000_000, "kHz"), (1_000, "Hz"), (1, "mHz")];

impl Frequency {
    /// Returns the period nearest to the frequency, in nanoseconds; of 0 Hz the longest.
    pub fn period_ns(self) -> u64 {
        (1e12 / self.0 as f64).round() as u64
    }

    /// Returns the frequency in hertz.
    pub fn hertz(self) -> f64 {
        self.0 as f64 / 1e3
    }
}

impl FromStr for Span {
    type Err = QuantityError;

    fn from_str(text: &str) -> Result<Self, QuantityError> {
        if let Some(ns) = one_number(text, &SPANS) {
            return Ok(Self(ns));
        }
        // A bare 0 would be one to humantime.
        let several = text.contains(|c: char| c.is_ascii_alphabetic() || c == 'µ');
        let span = humantime::parse_duration(text).ok().filter(|_| several);
        let span = span.ok_or_else(|| QuantityError::Span(text.into()))?;
        u64::try_from(span.as_nanos()).map(Self).map_err(|_| QuantityError::Long(text.into()))
    }
}

impl FromStr for Frequency {
    type Err = QuantityError;

    fn from_str(text: &str) -> Result<Self, QuantityError> {
        let parsed = one_number(text, &FREQUENCIES);
        parsed.map(Self).ok_or_else(|| QuantityError::Frequency(text.into()))
    }
}

impl FromStr for Share {
    type Err = QuantityError;

    fn from_str(text: &str) -> Result<Self, QuantityError> {
        let per_mille = one_number(text, &[(10, "%")]).and_then(|number| number.try_into().ok());
        per_mille.map(Self).ok_or_else(|| QuantityError::Share(text.into()))
    }
}

/// Parses one number with one of these units.
fn one_number(text: &str, units: &[(u64, &str)]) -> Option<u64> {
    let start = text.find(|c: char| !c.is_ascii_digit() && c != '.')?;
    let (number, unit) = text.split_at(start);
    let unit = unit.trim_start().replace('µ', "u");
    let (scale, _) = units.iter().find(|(_, name)| *name == unit)?;
    let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
    let digits = u32::try_from(fraction.len()).ok().filter(|digits| *digits <= 18)?;
    let part = |digits: &str| digits.parse::<u64>().ok().map(u128::from);
    let one = 10u128.pow(digits);
    let scaled = (part(whole)? * one + part(fraction)?).checked_mul(u128::from(*scale))?;
    u64::try_from(scaled.checked_add(one / 2)? / one).ok()
}

impl fmt::Display for Span {
    /// Formats in the largest unit of which it is a whole number: `1500us`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let whole = SPANS.iter().find(|(unit, _)| self.0 >= *unit && self.0.is_multiple_of(*unit));
        let (unit, name) = whole.unwrap_or(&(1, "ns"));
        write!(f, "{}{name}", self.0 / unit)
    }
}

impl fmt::Display for Frequency {
    /// Formats exactly, in the largest unit of which there is one: `22.6kHz`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fits = FREQUENCIES.iter().find(|(unit, name)| self.0 >= *unit && *name != "MHz");
        let (unit, name) = fits.unwrap_or(&(1, "mHz"));
        let places = unit.ilog10() as usize;
        let rest = format!("{:0places$}", self.0 % unit);
        let rest = rest.trim_end_matches('0');
        let point = if rest.is_empty() { "" } else { "." };
        write!(f, "{}{point}{rest}{name}", self.0 / unit)
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}%", f64::from(self.0) / 10.0)
    }
}

/// Reads and writes quantities as text, and says in a schema what that looks like.
macro_rules! texts {
    ($($quantity:ident, $pattern:literal;)+) => {$(
        impl Serialize for $quantity {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        #[cfg(feature = "schema")]
        impl schemars::JsonSchema for $quantity {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($quantity).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({ "type": "string", "pattern": $pattern })
            }
        }

        impl<'de> Deserialize<'de> for $quantity {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
            }
        }
    )+};
}

texts! {
    Span, "^([0-9]+(\\.[0-9]+)? ?[a-zµ]+ ?)+$";
    Frequency, "^[0-9]+(\\.[0-9]+)? ?(MHz|kHz|Hz|mHz)$";
    Share, "^[0-9]+(\\.[0-9]+)? ?%$";
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn quantities_are_read_in_their_units() {
        assert_eq!("1kHz".parse(), Ok(Frequency(1_000_000)));
        assert_eq!("16 Hz".parse(), Ok(Frequency(16_000)));
        assert_eq!("2.5MHz".parse(), Ok(Frequency(2_500_000_000)));
        for text in ["250us", "250 µs", "0.25ms", "0ms 250us"] {
            assert_eq!(text.parse(), Ok(Span(250_000)), "{text}");
        }
        assert_eq!("1h".parse(), Ok(Span(3_600_000_000_000)));
        assert_eq!("2min".parse(), Ok(Span(120_000_000_000)));
        assert_eq!("12.5%".parse(), Ok(Share(125)));
    }

    #[test]
    fn what_is_none_says_how_one_is_written() {
        for wrong in ["", "fast", "-1Hz", "1e300MHz", "nan", "infHz", "1ms", "1000", "0"] {
            assert!(wrong.parse::<Frequency>().unwrap_err().to_string().contains("1kHz"));
        }
        for wrong in ["25", "-1%", "%", "1e30%"] {
            assert!(wrong.parse::<Share>().unwrap_err().to_string().contains("25%"), "{wrong}");
        }
        for wrong in ["1kHz", "250", "0", "", "us", "-1us"] {
            assert!(wrong.parse::<Span>().unwrap_err().to_string().contains("250us"), "{wrong}");
        }
        assert!("600y".parse::<Span>().unwrap_err().to_string().contains("584 years"));
    }

    proptest! {
        #[test]
        fn any_text_is_a_quantity_or_none(text in "[-+0-9.eE]{0,9}[ µumkMnsHz%]{0,4}|\\PC{0,12}") {
            let _ = (text.parse::<Frequency>(), text.parse::<Span>(), text.parse::<Share>());
        }

        #[test]
        fn what_is_printed_is_read_again(number: u64, per_mille in 0u32..=1_000_000) {
            prop_assert_eq!(Span(number).to_string().parse(), Ok(Span(number)));
            let frequency = Frequency(number >> 12);
            prop_assert_eq!(frequency.to_string().parse(), Ok(frequency));
            prop_assert_eq!(Share(per_mille).to_string().parse(), Ok(Share(per_mille)));
        }
    }
}
