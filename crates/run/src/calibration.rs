// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The known errors of a generator itself: the way from its trigger to its lines, and how its clock
//! runs against the host's.

use irqscope_wire::{Calibration, GeneratorKind, Loopback, Tick};
use serde::{Deserialize, Serialize};

/// Fewer readings say nothing about their own error.
const READINGS: usize = 3;
/// Nor do those of a moment.
const SHORTEST_NS: f64 = 1e9;

/// The generator of a case, as it said itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GeneratorFacts {
    /// The kind of generator.
    pub kind: GeneratorKind,
    /// Its program's version.
    pub tool_version: String,
    /// The length of its tick.
    pub tick_femtoseconds: u64,
    /// By line; empty where it has measured nothing of itself.
    #[serde(default)]
    pub calibration: Vec<Option<LineOffset>>,
    /// Its clock's error, where it was measured.
    #[serde(default)]
    pub clock: Option<ClockError>,
}

/// A generator's own way from its trigger to one of its lines. The median is
/// subtracted from every latency of that line.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LineOffset {
    /// The median.
    pub offset_ns: f64,
    /// The shortest.
    pub lowest_ns: f64,
    /// The longest.
    pub highest_ns: f64,
    /// How often it was measured.
    pub measurements: u32,
}

impl LineOffset {
    fn of(loopback: Loopback, tick: Tick) -> Self {
        let Loopback { offset, lowest, highest, measurements } = loopback;
        let ns = |ticks: i64| ticks as f64 * tick.femtoseconds as f64 / 1e6;
        let [offset_ns, lowest_ns, highest_ns] = [offset, lowest, highest].map(ns);
        Self { offset_ns, lowest_ns, highest_ns, measurements }
    }
}

/// Converts a calibration to nanoseconds.
pub fn line_offsets(calibration: &Calibration, tick: Tick) -> Vec<Option<LineOffset>> {
    let line = |loopback: &Option<Loopback>| loopback.map(|it| LineOffset::of(it, tick));
    calibration.lines.iter().map(line).collect()
}

/// How much faster a generator's clock runs than the host's: the slope of a line
/// through readings of both, by least squares. Both clocks' own errors are in it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClockError {
    /// Parts in a million; positive: the generator's is faster.
    pub ppm: f64,
    /// The slope's standard error, from the readings' distances to the line.
    pub standard_error_ppm: f64,
    /// How many readings there were.
    pub readings: usize,
    /// From the first reading to the last, by the host's clock.
    pub span_ns: f64,
}

impl ClockError {
    /// Fits a line; `readings`: the host's clock and the generator's at one instant, both in
    /// nanoseconds from zeros of their own. None: too few, or too close together.
    pub fn of(readings: &[(f64, f64)]) -> Option<Self> {
        let count = readings.len() as f64;
        let [first, last] = [readings.first()?, readings.last()?];
        let span_ns = last.0 - first.0;
        if readings.len() < READINGS || span_ns < SHORTEST_NS {
            return None;
        }
        let mean = |of: fn(&(f64, f64)) -> f64| readings.iter().map(of).sum::<f64>() / count;
        let (host, difference) = (mean(|it| it.0), mean(|it| it.1 - it.0));
        // The clocks' difference over the host's, so that no digits are lost.
        let pairs = || readings.iter().map(|it| (it.0 - host, it.1 - it.0 - difference));
        let square: f64 = pairs().map(|(x, _)| x * x).sum();
        let slope = pairs().map(|(x, y)| x * y).sum::<f64>() / square;
        let residual: f64 = pairs().map(|(x, y)| (y - slope * x).powi(2)).sum();
        let standard_error = (residual / (count - 2.0) / square).sqrt();
        Some(Self {
            ppm: slope * 1e6,
            standard_error_ppm: standard_error * 1e6,
            readings: readings.len(),
            span_ns,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: f64 = 1e9;

    #[test]
    fn a_clock_that_is_faster_by_so_much_is_told_exactly() {
        let readings: Vec<_> =
            (0..10).map(|n| f64::from(n) * SECOND).map(|t| (t, 7e15 + t * (1.0 + 20e-6))).collect();
        let error = ClockError::of(&readings).unwrap();
        assert!((error.ppm - 20.0).abs() < 1e-3, "{error:?}");
        assert!(error.standard_error_ppm < 1e-3, "{error:?}");
        assert_eq!((error.readings, error.span_ns), (10, 9.0 * SECOND));
    }

    #[test]
    fn delays_of_readings_are_in_the_error_that_is_told() {
        // By hand: x = -2 .. 2 s, y off by +-1 ms: slope 0, sum of squares 4 (1 ms) and 10.
        let late = [1e6, -1e6, 0.0, -1e6, 1e6];
        let readings: Vec<_> = late
            .iter()
            .zip(0..)
            .map(|(late, n)| (f64::from(n) * SECOND, f64::from(n) * SECOND + late))
            .collect();
        let error = ClockError::of(&readings).unwrap();
        let expected = (4e12_f64 / 3.0 / (10.0 * SECOND * SECOND)).sqrt() * 1e6;
        assert!(error.ppm.abs() < 1e-6);
        assert!((error.standard_error_ppm - expected).abs() < 1e-6, "{error:?}");
    }

    #[test]
    fn too_little_says_nothing() {
        assert_eq!(ClockError::of(&[]), None);
        assert_eq!(ClockError::of(&[(0.0, 0.0), (5e9, 5e9)]), None);
        assert_eq!(ClockError::of(&[(0.0, 0.0), (1.0, 1.0), (2.0, 2.0)]), None);
    }

    #[test]
    fn offsets_are_told_in_nanoseconds() {
        let loopback = Loopback { offset: 1, lowest: -1, highest: 2, measurements: 1000 };
        let calibration = Calibration { lines: vec![None, Some(loopback)] };
        let offsets = line_offsets(&calibration, Tick { femtoseconds: 5_000_000 });
        let line =
            LineOffset { offset_ns: 5.0, lowest_ns: -5.0, highest_ns: 10.0, measurements: 1000 };
        assert_eq!(offsets, [None, Some(line)]);
    }
}
