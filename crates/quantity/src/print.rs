// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Figures for people: nanoseconds become something else only here.

/// A unit for figures that are compared with each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Nanoseconds.
    Ns,
    /// Microseconds.
    Us,
    /// Milliseconds.
    Ms,
}

impl Unit {
    /// Returns the unit in which the largest of several figures reads well.
    pub fn for_largest(ns: i64) -> Self {
        match ns.unsigned_abs() {
            0..2_000 => Self::Ns,
            2_000..100_000_000 => Self::Us,
            _ => Self::Ms,
        }
    }

    /// Returns its sign.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ns => "ns",
            Self::Us => "µs",
            Self::Ms => "ms",
        }
    }

    /// Returns its length in nanoseconds.
    pub const fn ns(self) -> i64 {
        match self {
            Self::Ns => 1,
            Self::Us => 1_000,
            Self::Ms => 1_000_000,
        }
    }

    /// Formats for a table: two decimals, but none of nanoseconds.
    pub fn figure(self, ns: f64) -> String {
        fixed(ns / self.ns() as f64, if self == Self::Ns { 0 } else { 2 })
    }

    /// Formats with as many decimals as `step_ns` needs to be visible.
    pub fn stepped(self, ns: i64, step_ns: i64) -> String {
        let mut decimals = 0;
        let mut unit = self.ns();
        while unit > 1 && step_ns % unit != 0 {
            unit /= 10;
            decimals += 1;
        }
        fixed(ns as f64 / self.ns() as f64, decimals)
    }
}

/// Formats one figure by itself, with its unit: `1.13 µs`, `982 ns`.
pub fn alone(ns: i64) -> String {
    let unit = Unit::for_largest(ns);
    format!("{} {}", unit.figure(ns as f64), unit.name())
}

/// Formats a setting as people wrote it: `1 ms`, `250 µs`, `1,500 ns`.
pub fn exact(ns: u64) -> String {
    let units = [(1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "µs")];
    let whole = units.into_iter().find(|(unit, _)| ns >= *unit && ns.is_multiple_of(*unit));
    let (unit, name) = whole.unwrap_or((1, "ns"));
    format!("{} {name}", grouped(ns / unit))
}

/// Formats a frequency, to three digits: `22.6 kHz`, `500 Hz`.
pub fn hertz(hertz: f64) -> String {
    let units = [(1e6, "MHz"), (1e3, "kHz"), (1.0, "Hz")];
    // 999.7 is written as 1,000: in the next unit it is one.
    let fits = units.into_iter().find(|(unit, _)| hertz >= unit * 0.9995);
    let (unit, name) = fits.unwrap_or((1e-3, "mHz"));
    let value = hertz / unit;
    let decimals = if value < 9.995 { 2 } else { usize::from(value < 99.95) };
    let text = format!("{value:.decimals$}");
    let text = if decimals > 0 { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    format!("{text} {name}")
}

/// Formats a frequency to a millionth of its unit: `3.000003 kHz`.
pub fn hertz_exact(hertz: f64) -> String {
    scaled(hertz, &[(1e6, "MHz"), (1e3, "kHz"), (1.0, "Hz"), (1e-3, "mHz")])
}

/// Formats a time to a millionth of its unit: `250 µs`, `333.333333 µs`.
pub fn seconds(seconds: f64) -> String {
    scaled(seconds, &[(1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")])
}

/// Formats a share: `25 %`, `99.9 %`.
pub fn percent(per_mille: u64) -> String {
    format!("{} %", per_mille as f64 / 10.0)
}

/// Formats by how many per cent something has changed: `+1.5 %`.
pub fn change(percent: f64) -> String {
    format!("{percent:+.1} %")
}

/// Formats in the first unit of which there is one at least, else in the last.
fn scaled(value: f64, units: &[(f64, &str)]) -> String {
    let fits = units.iter().find(|(unit, _)| value >= unit * (1.0 - 1e-9));
    let (unit, name) = fits.or(units.last()).unwrap_or(&(1.0, ""));
    let text = format!("{:.6}", value / unit);
    format!("{} {name}", text.trim_end_matches('0').trim_end_matches('.'))
}

/// Formats with thousands set apart: `12,345`.
pub fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn fixed(value: f64, decimals: usize) -> String {
    let text = format!("{:.decimals$}", value.abs());
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let whole = whole.parse().map_or_else(|_| whole.to_owned(), grouped);
    let sign =
        if value < 0.0 && text.contains(|c: char| matches!(c, '1'..='9')) { "-" } else { "" };
    let point = if fraction.is_empty() { "" } else { "." };
    format!("{sign}{whole}{point}{fraction}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_grouped_and_have_their_unit() {
        assert_eq!(grouped(1_234_567), "1,234,567");
        assert_eq!(exact(1_000_000), "1 ms");
        assert_eq!(exact(1_500), "1,500 ns");
        assert_eq!(alone(982), "982 ns");
        assert_eq!(alone(1_134_567), "1,134.57 µs");
        assert_eq!(alone(-12_000), "-12.00 µs");
        assert_eq!(alone(250_000_000), "250.00 ms");
        assert_eq!(Unit::Us.figure(-1.0), "0.00");
    }

    #[test]
    fn frequencies_have_three_digits_and_no_empty_ones() {
        let texts = [22_627.4, 500.0, 999.9, 100_000.0, 1_389.4, 0.5, 16.0, 2e6].map(hertz);
        let expected =
            ["22.6 kHz", "500 Hz", "1 kHz", "100 kHz", "1.39 kHz", "500 mHz", "16 Hz", "2 MHz"];
        assert_eq!(texts, expected);
    }

    #[test]
    fn exact_quantities_are_written_in_the_unit_that_reads_well() {
        assert_eq!(hertz_exact(1000.0), "1 kHz");
        assert_eq!(hertz_exact(3000.003), "3.000003 kHz");
        assert_eq!(hertz_exact(0.000_277_8), "0.2778 mHz");
        assert_eq!(seconds(0.000_25), "250 µs");
        assert_eq!(seconds(0.0), "0 ns");
        assert_eq!(seconds(1.0 / 3000.0), "333.333333 µs");
        assert_eq!([percent(250), percent(999)], ["25 %", "99.9 %"]);
    }

    #[test]
    fn steps_decide_the_decimals() {
        assert_eq!(Unit::Us.stepped(1_500, 500), "1.5");
        assert_eq!(Unit::Us.stepped(2_000, 1_000), "2");
        assert_eq!(Unit::Us.stepped(1_020, 20), "1.02");
        assert_eq!(Unit::Ns.stepped(1_020, 20), "1,020");
    }
}
