// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Which record of the driver is of which trigger of the generator.
//!
//! The driver numbers the interrupts that its handler was called for. An interrupt
//! that is raised while an earlier one is pending is lost, and from then on the
//! driver's numbers are behind the generator's.
//!
//! **On one clock** (the twin) numbers are not needed. A call of the handler is of
//! the oldest trigger that was sent before its stamp and that no call before was of;
//! younger triggers that were out by then were lost in it. Only a trigger in the
//! short time between the interrupt's acknowledgement and the stamp may instead be
//! of the next call. It is where that call has no other trigger, and where it was sent so shortly
//! before the stamp that no call was ever stamped sooner after its trigger; the next record is then
//! unsure, as it is after a trigger of up to four times that age.
//!
//! **On two clocks** record n is of trigger n. Whether that is so is seen by
//! [`Stretch`](super::stretch::Stretch).

use std::collections::VecDeque;

use irqscope_wire::{OutsideSample, Sample};

/// The longest time from acknowledgement to stamp, as a multiple of the shortest time
/// from a trigger to its handler's stamp until now.
const ENTRY: u64 = 4;

/// A trigger as the generator saw it.
#[derive(Clone, Debug)]
pub(super) struct Seen {
    pub sample: OutsideSample,
    /// Edges before its end may be unknown: samples were dropped, or edges not listed.
    pub doubtful: bool,
}

impl Seen {
    fn at(&self) -> u64 {
        self.sample.trigger.0
    }
}

/// The target's record of a trigger.
#[derive(Clone, Debug)]
pub(super) enum Record {
    Of {
        sample: Sample,
        /// The record may be of a younger trigger.
        unsure: bool,
    },
    /// Its interrupt was lost in the one of an earlier trigger.
    Lost,
    /// There is none.
    None,
}

#[derive(Clone, Debug)]
pub(super) enum Matched {
    Trigger(Seen, Record),
    /// A record whose trigger is not known, with its presumable number.
    Alone(Sample, u64),
}

/// Triggers and records that have arrived and are not matched yet.
#[derive(Clone, Debug, Default)]
pub(super) struct Matching {
    triggers: VecDeque<Seen>,
    records: VecDeque<Sample>,
    matched: VecDeque<Matched>,
    /// The trigger of the next record is not certain.
    unsure: bool,
    /// How far the driver's numbers are behind.
    behind: u64,
    /// The shortest time from a trigger to its handler's stamp.
    shortest: Option<u64>,
}

impl Matching {
    pub fn add_trigger(&mut self, seen: Seen) {
        self.triggers.push_back(seen);
    }

    pub fn add_record(&mut self, sample: Sample) {
        self.records.push_back(sample);
    }

    /// Counts the triggers whose record has not arrived.
    pub fn waiting(&self) -> usize {
        self.triggers.len()
    }

    /// Returns the next one that is decided. `ended`: nothing more will arrive.
    pub fn next(&mut self, one_clock: bool, ended: bool) -> Option<Matched> {
        if let Some(matched) = self.matched.pop_front() {
            return Some(matched);
        }
        match (self.triggers.front(), self.records.front()) {
            (None, None) => None,
            (Some(_), None) => self.without_record(ended),
            (None, Some(_)) => {
                if ended {
                    self.alone()
                } else {
                    None
                }
            }
            (Some(_), Some(_)) if one_clock => self.by_stamp(ended),
            (Some(seen), Some(record)) => match seen.sample.seq.cmp(&record.seq) {
                std::cmp::Ordering::Less => self.without_record(true),
                std::cmp::Ordering::Greater => self.alone(),
                std::cmp::Ordering::Equal => self.pair(),
            },
        }
    }

    fn without_record(&mut self, decided: bool) -> Option<Matched> {
        let seen = decided.then(|| self.triggers.pop_front())?;
        seen.map(|seen| Matched::Trigger(seen, Record::None))
    }

    fn alone(&mut self) -> Option<Matched> {
        let sample = self.records.pop_front()?;
        let number = sample.seq.0.saturating_add(self.behind);
        Some(Matched::Alone(sample, number))
    }

    fn pair(&mut self) -> Option<Matched> {
        let (seen, sample) = (self.triggers.pop_front()?, self.records.pop_front()?);
        self.behind = seen.sample.seq.0.saturating_sub(sample.seq.0);
        let unsure = std::mem::take(&mut self.unsure);
        Some(Matched::Trigger(seen, Record::Of { sample, unsure }))
    }

    fn by_stamp(&mut self, ended: bool) -> Option<Matched> {
        let stamp = self.records.front()?.trigger_cycles.0;
        let next = self.records.get(1).map(|next| (next.trigger_cycles.0, next.seq.0));
        let known =
            next.is_some_and(|(next, _)| self.triggers.back().is_some_and(|t| t.at() > next));
        if !known && !ended {
            return None;
        }
        let out = self.sent_by(stamp);
        if out == 0 {
            return self.alone();
        }
        let (at, number) = (self.triggers.front()?.at(), self.records.front()?.seq.0);
        let (delay, sure) = (stamp.saturating_sub(at), !self.unsure);
        let pair = self.pair()?;
        if out == 1 && sure {
            self.shortest = Some(self.shortest.map_or(delay, |shortest| shortest.min(delay)));
        }
        match next {
            Some((next, seq)) if seq > number.saturating_add(1) => {
                self.pass_unrecorded(next, seq - number - 1);
            }
            _ => self.pass_lost(out - 1, stamp, next.map(|(next, _)| next)),
        }
        Some(pair)
    }

    /// Counts the triggers that were out at an instant.
    fn sent_by(&self, instant: u64) -> usize {
        self.triggers.iter().take_while(|seen| seen.at() <= instant).count()
    }

    /// Passes the `out` more triggers that were out at this stamp: they were lost in its
    /// call, but for those that may be of the next one.
    fn pass_lost(&mut self, out: usize, stamp: u64, next: Option<u64>) {
        let shortest = self.shortest.unwrap_or(0);
        let since = |instant| self.triggers.iter().take(out).filter(|t| t.at() > instant).count();
        let recent = since(stamp.saturating_sub(shortest.saturating_mul(ENTRY)));
        let kept = match next {
            None => 0,
            Some(next) if self.sent_by(next) > out => {
                self.unsure = recent > 0;
                // The way from acknowledgement to stamp is a part of that from a trigger.
                since(stamp.saturating_sub(shortest))
            }
            Some(_) => {
                self.unsure = recent > 1;
                recent.max(1).min(out)
            }
        };
        self.pass(out - kept, &Record::Lost);
    }

    /// Passes triggers where the driver had no memory for `calls` records before the one at
    /// `next`: until then all but the last are of those, or were lost in them.
    fn pass_unrecorded(&mut self, next: u64, calls: u64) {
        let out = self.sent_by(next);
        self.unsure = out as u64 != calls.saturating_add(1);
        self.pass(out.saturating_sub(1), &Record::None);
    }

    fn pass(&mut self, count: usize, record: &Record) {
        let passed = self.triggers.drain(..count);
        self.matched.extend(passed.map(|seen| Matched::Trigger(seen, record.clone())));
    }
}

#[cfg(test)]
mod tests {
    use irqscope_wire::{Cycles, Nanoseconds, Seq};

    use super::*;

    fn trigger(seq: u64, at: u64) -> Seen {
        let sample = OutsideSample {
            seq: Seq(seq),
            trigger: Cycles(at),
            answers: Vec::new(),
            extra: 0,
            widths: Vec::new(),
            window: 0,
        };
        Seen { sample, doubtful: false }
    }

    fn call(seq: u64, stamp: u64) -> Sample {
        let trigger_cycles = Cycles(stamp);
        Sample { seq: Seq(seq), trigger_cycles, trigger_ns: Nanoseconds(0), responses: Vec::new() }
    }

    /// Returns each trigger's stamp, and whether it is unsure; `None`: lost.
    fn matched(triggers: &[u64], stamps: &[u64]) -> Vec<Option<(u64, bool)>> {
        let mut matching = Matching::default();
        for (seq, at) in triggers.iter().enumerate() {
            matching.add_trigger(trigger(seq as u64, *at));
        }
        for (seq, stamp) in stamps.iter().enumerate() {
            matching.add_record(call(seq as u64, *stamp));
        }
        let of = |one| match one {
            Matched::Trigger(_, Record::Of { sample, unsure }) => {
                Some((sample.trigger_cycles.0, unsure))
            }
            Matched::Trigger(..) => None,
            Matched::Alone(sample, _) => panic!("{sample:?} is alone"),
        };
        std::iter::from_fn(|| matching.next(true, true)).map(of).collect()
    }

    #[test]
    fn a_trigger_lost_before_the_stamp_does_not_wait_for_the_next_burst() {
        // The first call is stamped 2,000 after its trigger. The second is late: a trigger 4,500
        // before its stamp was lost in it, and the next call, of a later burst, is not its own.
        let stamps = [2_000, 130_000, 20_002_000];
        let all = matched(&[0, 100_000, 125_500, 20_000_000], &stamps);
        let expected =
            [Some((2_000, false)), Some((130_000, false)), None, Some((20_002_000, true))];
        assert_eq!(all, expected);
    }

    #[test]
    fn a_trigger_after_the_acknowledgement_is_of_the_next_call() {
        // No call was ever stamped within 1,000 of its trigger: it is pending when the handler ends.
        let all = matched(&[0, 100_000, 129_000, 135_000], &[2_000, 130_000, 155_000, 180_000]);
        let stamps: Vec<_> = all.iter().map(|one| one.map(|(stamp, _)| stamp)).collect();
        assert_eq!(stamps, [Some(2_000), Some(130_000), Some(155_000), Some(180_000)]);
    }
}
