// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Samples per second of the host's time.

use std::time::{Duration, Instant};

/// The least distance of two snapshots, else the rate stays what it was.
const LEAST: Duration = Duration::from_millis(200);
/// How much of the new rate is in what is shown.
const WEIGHT: f64 = 0.4;

#[derive(Debug, Default)]
pub struct Rate {
    last: Option<(Instant, u64)>,
    hertz: Option<f64>,
}

impl Rate {
    /// Returns the rate in millihertz, smoothed; none before the second snapshot.
    pub fn at(&mut self, now: Instant, samples: u64) -> Option<u64> {
        let (then, before) = *self.last.get_or_insert((now, samples));
        let passed = now.saturating_duration_since(then);
        if passed >= LEAST {
            let new = samples.saturating_sub(before) as f64 / passed.as_secs_f64();
            self.hertz = Some(self.hertz.map_or(new, |old| old + (new - old) * WEIGHT));
            self.last = Some((now, samples));
        }
        self.hertz.map(|hertz| (hertz * 1e3).round() as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_steady_stream_has_its_rate_and_silence_brings_it_down() {
        let (mut rate, start) = (Rate::default(), Instant::now());
        assert_eq!(rate.at(start, 0), None);
        let at = |second: u64| start + Duration::from_secs(second);
        assert_eq!(rate.at(at(1), 500), Some(500_000));
        assert_eq!(rate.at(at(1) + Duration::from_millis(1), 900), Some(500_000));
        assert_eq!(rate.at(at(2), 1_000), Some(500_000));
        assert!(rate.at(at(3), 1_000).is_some_and(|rate| rate < 500_000));
    }
}
