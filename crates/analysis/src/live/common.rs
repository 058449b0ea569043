// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One clock for both views, where there is one: inside latencies count from the
//! generator's trigger, as they do in the finished run.

use std::collections::VecDeque;

use irqscope_wire::Sample;

/// Triggers whose instant is at hand (4 MiB of them): more than a case of the twin
/// has sent when the target's own record arrives, but for the longest.
const TRIGGERS: usize = 1 << 18;

/// The generator's last triggers by sequence number, in its ticks.
#[derive(Debug, Default)]
pub(super) struct Triggers {
    instants: VecDeque<(u64, u64)>,
}

impl Triggers {
    pub fn add(&mut self, seq: u64, at: u64) {
        if self.instants.len() == TRIGGERS {
            self.instants.pop_front();
        }
        self.instants.push_back((seq, at));
    }

    /// Returns how many ticks after its trigger the handler took its stamp.
    pub fn delay(&self, sample: &Sample) -> Option<u64> {
        let place = self.instants.partition_point(|(seq, _)| *seq < sample.seq.0);
        let (seq, at) = self.instants.get(place)?;
        (*seq == sample.seq.0).then(|| sample.trigger_cycles.0.checked_sub(*at))?
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use irqscope_wire::{Cycles, Nanoseconds, Seq};

    #[test]
    fn a_trigger_is_found_until_too_many_have_followed() {
        let mut triggers = Triggers::default();
        let last = TRIGGERS as u64 + 9;
        (0..=last).for_each(|seq| triggers.add(seq, seq * 10));
        let sample = |seq| Sample {
            seq: Seq(seq),
            trigger_cycles: Cycles(seq * 10 + 7),
            trigger_ns: Nanoseconds(0),
            responses: Vec::new(),
        };
        assert_eq!(triggers.delay(&sample(last)), Some(7));
        assert_eq!(triggers.delay(&sample(10)), Some(7));
        assert_eq!(triggers.delay(&sample(9)), None);
        assert_eq!(triggers.delay(&sample(last + 1)), None);
    }
}
