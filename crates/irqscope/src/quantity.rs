// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Quantities as people write and read them on the command line.

use std::str::FromStr;

/// A frequency in millihertz: `1kHz`, `16 Hz`, `2.5MHz`. A bare number is hertz.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frequency(pub u64);

/// A span of time in nanoseconds: `250us`, `1ms 500us`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span(pub u64);

impl FromStr for Frequency {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let units = [("MHz", 1e9), ("kHz", 1e6), ("mHz", 1.0), ("Hz", 1e3), ("", 1e3)];
        let parsed = units.into_iter().find_map(|(unit, millihertz)| {
            let number: f64 = text.strip_suffix(unit)?.trim().parse().ok()?;
            whole(number * millihertz)
        });
        parsed.map(Self).ok_or_else(|| "not a frequency; write 1kHz, 16Hz or 2.5MHz".to_owned())
    }
}

impl FromStr for Span {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let span = humantime::parse_duration(text)
            .map_err(|error| format!("not a span of time ({error}); write 250us or 1ms"))?;
        u64::try_from(span.as_nanos()).map(Self).map_err(|_| "longer than 584 years".to_owned())
    }
}

/// Returns the nearest whole number; none for what is negative or no number.
fn whole(number: f64) -> Option<u64> {
    (number >= 0.0 && number < u64::MAX as f64).then(|| number.round() as u64)
}

/// Formats `1 kHz`, `3.000003 kHz`: to a millionth of its unit.
pub fn hertz(hertz: f64) -> String {
    scaled(hertz, &[(1e6, "MHz"), (1e3, "kHz"), (1.0, "Hz"), (1e-3, "mHz")])
}

/// Formats `250 us`, `333.333 us`.
pub fn seconds(seconds: f64) -> String {
    scaled(seconds, &[(1.0, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns")])
}

pub fn percent(per_mille: u64) -> String {
    format!("{} %", trimmed(per_mille as f64 / 10.0, 1))
}

/// Formats in the first unit of which there is one at least, else in the last.
fn scaled(value: f64, units: &[(f64, &str)]) -> String {
    let fits = units.iter().find(|(unit, _)| value >= unit * (1.0 - 1e-9));
    let (unit, name) = fits.or(units.last()).unwrap_or(&(1.0, ""));
    format!("{} {name}", trimmed(value / unit, 6))
}

fn trimmed(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn quantities_are_read_in_their_units() {
        assert_eq!("1kHz".parse(), Ok(Frequency(1_000_000)));
        assert_eq!("16 Hz".parse(), Ok(Frequency(16_000)));
        assert_eq!("0".parse(), Ok(Frequency(0)));
        assert_eq!("2.5MHz".parse(), Ok(Frequency(2_500_000_000)));
        assert_eq!("250us".parse(), Ok(Span(250_000)));
    }

    #[test]
    fn what_is_none_says_how_one_is_written() {
        for wrong in ["", "fast", "-1Hz", "1e300MHz", "nan", "infHz", "1ms"] {
            assert!(wrong.parse::<Frequency>().unwrap_err().contains("1kHz"), "{wrong}");
        }
        assert!("1kHz".parse::<Span>().unwrap_err().contains("250us"));
    }

    #[test]
    fn quantities_are_written_in_the_unit_that_reads_well() {
        assert_eq!(hertz(1000.0), "1 kHz");
        assert_eq!(hertz(3000.003), "3.000003 kHz");
        assert_eq!(hertz(0.000_277_8), "0.2778 mHz");
        assert_eq!(seconds(0.000_25), "250 us");
        assert_eq!(seconds(0.0), "0 ns");
        assert_eq!(seconds(1.0 / 3000.0), "333.333333 us");
        assert_eq!([percent(250), percent(999)], ["25 %", "99.9 %"]);
    }

    proptest! {
        #[test]
        fn any_text_is_a_quantity_or_none(text in "[-+0-9.eE]{0,9}[ µumkMnsHz%]{0,4}|\\PC{0,12}") {
            let read = [
                text.parse::<Frequency>().map(|Frequency(millihertz)| hertz(millihertz as f64)),
                text.parse::<Span>().map(|Span(ns)| seconds(ns as f64 / 1e9)),
            ];
            prop_assert!(read.into_iter().flatten().all(|text| !text.contains("inf")));
        }
    }
}
