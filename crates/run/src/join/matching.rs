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
//! of the next call: where that call has no other trigger it is, elsewhere the
//! next record is unsure.
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
        let acknowledged = stamp.saturating_sub(self.shortest.unwrap_or(0).saturating_mul(ENTRY));
        let recent = self.triggers.iter().take(out).filter(|seen| seen.at() > acknowledged).count();
        let kept = match next {
            None => 0,
            Some(next) if self.sent_by(next) > out => {
                self.unsure = recent > 0;
                recent
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
