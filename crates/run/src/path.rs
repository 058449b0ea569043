// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The target's path as the twin's generator recorded it. It is read apart from
//! all else of a case: few ask for it, and it is long.

use irqscope_wire::{Frame, Mark, Message, Path, PathEnd, decode};

use crate::{LogIndex, LogRecord, Result, Source};

/// The instructions from a trigger until no trigger waited any more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// The code, in the order of its execution.
    pub runs: Vec<CodeRun>,
    /// Events on the way.
    pub marks: Vec<Mark>,
    /// Nothing of it is missing at its end.
    pub complete: bool,
}

/// [`irqscope_wire::Run`] with its place in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CodeRun {
    /// Its first address.
    pub start: u64,
    /// The first address behind it.
    pub end: u64,
    /// Its instructions.
    pub instructions: u32,
    /// It was left before its end.
    pub broken_off: bool,
}

/// Returns the stretches of one case, in order. One of which a frame is missing is left out: what
/// comes after the gap has no known place.
pub(crate) fn stretches<'a>(
    index: &'a LogIndex,
    case: u16,
) -> impl Iterator<Item = Result<Stretch>> + 'a {
    let mut assembly = Assembly::default();
    index.records(case).filter_map(move |record| match record {
        Ok(record) => assembly.take(&record).map(Ok),
        Err(error) => Some(Err(error)),
    })
}

#[derive(Debug, Default)]
struct Assembly {
    next_frame: u64,
    open: Option<Stretch>,
}

impl Assembly {
    fn take(&mut self, record: &LogRecord) -> Option<Stretch> {
        if record.source != Source::Generator {
            return None;
        }
        let Ok(Frame { number, message }) = decode(&record.frame) else {
            self.open = None;
            return None;
        };
        if number != self.next_frame {
            self.open = None;
        }
        self.next_frame = number.saturating_add(1);
        match message {
            Message::Path(path) => self.add(path),
            _ => None,
        }
    }

    /// Marks come with the first part.
    fn add(&mut self, path: Path) -> Option<Stretch> {
        if !path.marks.is_empty() {
            self.open = Some(Stretch { runs: Vec::new(), marks: path.marks, complete: false });
        }
        let stretch = self.open.as_mut()?;
        let mut end = stretch.runs.last().map_or(0, |run| run.end);
        for run in path.runs {
            let start = end.wrapping_add_signed(run.step);
            end = start.wrapping_add(run.bytes.into());
            let (instructions, broken_off) = (run.instructions, run.broken_off);
            stretch.runs.push(CodeRun { start, end, instructions, broken_off });
        }
        stretch.complete = path.end == PathEnd::Complete;
        if path.end == PathEnd::Continues { None } else { self.open.take() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use irqscope_wire::{Cycles, PathEvent, Run, Seq, encode};

    fn record(number: u64, marks: usize, step: i64, end: PathEnd) -> LogRecord {
        let mark = Mark { position: 0, at: Cycles(5), event: PathEvent::Trigger(Seq(0)) };
        let run = Run { step, instructions: 2, bytes: 8, broken_off: false };
        let path = Path { stretch: 0, runs: vec![run], marks: vec![mark; marks], end };
        let mut frame = encode(&Frame { number, message: Message::Path(path) }).unwrap();
        frame.pop();
        LogRecord { number, host_ns: 0, case: 0, source: Source::Generator, frame }
    }

    #[test]
    fn parts_are_put_together_and_runs_get_their_addresses() {
        let mut assembly = Assembly::default();
        assert_eq!(assembly.take(&record(0, 1, 100, PathEnd::Continues)), None);
        let stretch = assembly.take(&record(1, 0, -8, PathEnd::Complete)).unwrap();
        let places: Vec<_> = stretch.runs.iter().map(|run| (run.start, run.end)).collect();
        assert_eq!(places, [(100, 108), (100, 108)]);
        assert!(stretch.complete);
    }

    #[test]
    fn a_stretch_with_a_gap_is_left_out_and_the_next_one_is_read() {
        let mut assembly = Assembly::default();
        assert_eq!(assembly.take(&record(0, 1, 100, PathEnd::Continues)), None);
        assert_eq!(assembly.take(&record(2, 0, -8, PathEnd::Complete)), None);
        assert!(assembly.take(&record(3, 1, 4, PathEnd::TooLong)).is_some_and(|it| !it.complete));
    }
}
