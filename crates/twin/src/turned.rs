// SPDX-License-Identifier: GPL-2.0-or-later
//! `turns=1`: which CPU executed when, while something is measured. The others stood still meanwhile, and a
//! response on one of them was later for it.
//!
//! Where there is no generator the turns have a stream of their own (`clock=1,out=PATH`), in which all
//! else that is recorded comes before its end.

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use irqscope_wire::{Message, Turn, Turns};

use crate::output::Stream;
use crate::turns;

/// Turns in one message.
const BATCH: usize = 1 << 12;

/// Where that goes which no generator sends.
static STREAM: Mutex<Option<Stream>> = Mutex::new(None);

/// The turns that were not handed over yet.
#[derive(Default)]
pub struct Record {
    batch: Turns,
    /// The beginning of the last turn, virtual ns.
    at: u64,
    /// The CPU of the last turn; the outer one is `None` before the first.
    last: Option<Option<u16>>,
}

impl Record {
    /// Takes note that a CPU executes from now on, or none. Returns turns to hand over once there are enough.
    pub fn note(&mut self, now: u64, cpu: Option<u16>) -> Option<Turns> {
        if self.last.replace(cpu) == Some(cpu) {
            return None;
        }
        let is_first = self.batch.turns.is_empty();
        if is_first {
            self.batch.from = now;
        }
        let after = if is_first { 0 } else { now.saturating_sub(self.at) };
        self.batch.turns.push(Turn { after, cpu });
        self.at = now;
        (self.batch.turns.len() >= BATCH).then(|| std::mem::take(&mut self.batch))
    }

    /// Ends the record for now. Returns what was not handed over.
    pub fn pause(&mut self, now: u64) -> Option<Turns> {
        self.last?;
        let full = self.note(now, None);
        self.last = None;
        full.or_else(|| {
            let rest = std::mem::take(&mut self.batch);
            (!rest.turns.is_empty()).then_some(rest)
        })
    }
}

/// Opens the stream of a machine without a generator; the turns go there, too, if they are to be recorded.
pub fn open(path: &Path, records_turns: bool) -> Result<(), String> {
    let stream = Stream::open(path)?;
    *STREAM.lock().unwrap_or_else(PoisonError::into_inner) = Some(stream);
    if records_turns {
        turns::record(write);
    }
    Ok(())
}

fn write(turns: Turns) {
    if let Some(stream) = STREAM.lock().unwrap_or_else(PoisonError::into_inner).as_mut() {
        stream.write(Message::Turns(turns));
    }
}

/// Ends that stream, if there is one, with what else was recorded.
pub fn finish(others: impl FnOnce() -> Vec<Message>) {
    let stream = STREAM.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some(mut stream) = stream {
        others().into_iter().for_each(|message| stream.write(message));
        let rest = turns::pause().unwrap_or_default();
        stream.write(Message::Turns(Turns { ended: true, ..rest }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn each(turns: &Turns) -> Vec<(u64, Option<u16>)> {
        turns.each().collect()
    }

    #[test]
    fn a_cpu_that_goes_on_has_one_turn() {
        let mut record = Record::default();
        for (at, cpu) in [(10, Some(0)), (12, Some(0)), (15, Some(1)), (20, None), (30, Some(1))] {
            assert_eq!(record.note(at, cpu), None);
        }
        let all = record.pause(40).unwrap();
        let expected = [(10, Some(0)), (15, Some(1)), (20, None), (30, Some(1)), (40, None)];
        assert_eq!(each(&all), expected);
        assert_eq!(record.pause(50), None, "nothing was recorded since");
        assert_eq!(record.note(60, Some(1)), None);
        assert_eq!(each(&record.pause(61).unwrap()), [(60, Some(1)), (61, None)]);
    }

    #[test]
    fn a_long_record_comes_in_batches_without_a_gap() {
        let mut record = Record::default();
        let noted = |at: u64| (at, Some((at % 2) as u16));
        let mut all: Vec<Turns> =
            (0..3 * BATCH as u64 + 7).filter_map(|at| record.note(at, noted(at).1)).collect();
        assert_eq!(all.len(), 3);
        all.extend(record.pause(1 << 40));
        let joined: Vec<_> = all.iter().flat_map(each).collect();
        let end = joined.len() - 1;
        assert_eq!(joined[end], (1 << 40, None));
        assert!(joined[..end].iter().copied().eq((0..end as u64).map(noted)));
    }
}
