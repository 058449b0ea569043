// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Scales and their ticks.

use irqscope_quantity::Unit;

/// Values to positions on a line, linear.
#[derive(Clone, Copy, Debug)]
pub struct Linear {
    pub from: f64,
    pub to: f64,
    pub start: f64,
    pub end: f64,
}

impl Linear {
    pub fn at(&self, value: f64) -> f64 {
        let share = (value - self.from) / (self.to - self.from).max(f64::MIN_POSITIVE);
        self.start + share * (self.end - self.start)
    }
}

/// Values to positions on a line, logarithmic to base 10.
#[derive(Clone, Copy, Debug)]
pub struct Log {
    linear: Linear,
}

impl Log {
    /// Makes an axis; `from` and `to` are above zero.
    pub fn new(from: f64, to: f64, start: f64, end: f64) -> Self {
        Self { linear: Linear { from: from.log10(), to: to.log10(), start, end } }
    }

    pub fn at(&self, value: f64) -> f64 {
        self.linear.at(value.log10())
    }

    /// Returns the value where the axis begins.
    pub fn lowest(&self) -> f64 {
        10f64.powf(self.linear.from)
    }

    /// Returns the value where the axis ends.
    pub fn highest(&self) -> f64 {
        10f64.powf(self.linear.to)
    }

    pub fn length(&self) -> f64 {
        (self.linear.end - self.linear.start).abs()
    }

    /// Returns the value at a position.
    pub fn value(&self, position: f64) -> f64 {
        let Linear { from, to, start, end } = self.linear;
        10f64.powf(from + (position - start) / (end - start) * (to - from))
    }
}

/// Returns round positions from `from` to `to`, about `wanted` of them, and their distance.
pub fn ticks(from: i64, to: i64, wanted: i64) -> (Vec<i64>, i64) {
    let least = (to.saturating_sub(from) / wanted.max(1)).max(1);
    let step = series().find(|step| *step >= least).unwrap_or(i64::MAX);
    let first = from.div_euclid(step) * step;
    let all = (0..).map_while(|n: i64| first.checked_add(n.checked_mul(step)?));
    (all.skip_while(|tick| *tick < from).take_while(|tick| *tick <= to).collect(), step)
}

/// Returns 1, 2, 5 in every decade between two latencies, on `length` of paper; the bool says
/// whether there is room for the label. Where less than two of them lie in between, it returns some
/// at equal distances.
pub fn log_ticks(from: f64, to: f64, length: f64) -> Vec<(i64, bool)> {
    let decades = (to / from).log10();
    let roomy = length / decades > 150.0;
    let inside = series().filter(|tick| (from..=to).contains(&(*tick as f64)));
    let labelled = |tick: i64| match tick.to_string().as_bytes()[0] {
        b'1' => true,
        b'2' | b'5' => roomy,
        _ => false,
    };
    let all: Vec<_> = inside.map(|tick| (tick, labelled(tick))).collect();
    if all.iter().filter(|(_, labelled)| *labelled).count() >= 2 {
        return all;
    }
    let (even, _) = ticks(from.ceil() as i64, to.floor() as i64, EVEN);
    even.into_iter().map(|tick| (tick, true)).collect()
}

/// Labels a latency on a logarithmic axis: each in the unit that suits it, with the digits that it
/// has.
pub fn log_label(ns: i64) -> String {
    let (divisor, unit) = match ns {
        ..1_000 => (1, Unit::Ns.name()),
        1_000..1_000_000 => (1_000, Unit::Us.name()),
        1_000_000..1_000_000_000 => (1_000_000, Unit::Ms.name()),
        _ => (1_000_000_000, "s"),
    };
    format!("{} {unit}", ns as f64 / f64::from(divisor))
}

/// How many equally distant ticks a logarithmic axis of less than a decade has, about.
const EVEN: i64 = 5;

fn series() -> impl Iterator<Item = i64> {
    (0..18).flat_map(|power| [1, 2, 5].map(|step| step * 10i64.pow(power)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(from: f64, to: f64) -> Vec<String> {
        let shown = log_ticks(from, to, 600.0).into_iter().filter(|(_, shown)| *shown);
        shown.map(|(ns, _)| log_label(ns)).collect()
    }

    #[test]
    fn decades_are_labelled_where_two_of_their_ticks_are() {
        assert_eq!(labels(900.0, 60_000.0), ["1 µs", "2 µs", "5 µs", "10 µs", "20 µs", "50 µs"]);
        assert_eq!(labels(8.0, 2e9).first().unwrap(), "10 ns");
        assert_eq!(labels(8.0, 2e9).last().unwrap(), "1 s");
    }

    #[test]
    fn less_than_a_decade_has_equal_distances_and_all_digits() {
        assert_eq!(labels(95_000.0, 157_000.0), ["100 µs", "120 µs", "140 µs"]);
        assert_eq!(labels(1_020_150.0, 1_020_950.0).first().unwrap(), "1.0202 ms");
        assert_eq!(labels(3.2, 4.4), ["4 ns"]);
        assert!(labels(3.2, 3.4).is_empty());
    }
}
