// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One case read in pieces, so that memory does not grow with its samples.
//!
//! Rows come in the same order as those of [`CaseData`]. Where that order is not
//! the log's (a view from outside is joined, a damaged log is sorted, events are
//! explained) the case is held as a whole and handed out in one piece.

use irqscope_wire::{Message, decode};

use crate::bench::{Batch, Content};
use crate::join::inside_rows;
use crate::{BenchRow, CaseData, CaseManifest, LogIndex, Result, SampleRow};

/// Rows that are gathered before they are handed out; more by one frame at most.
const PIECE: usize = 1 << 16;

/// A case whose rows are read in pieces.
#[derive(Debug)]
pub struct CaseStream<'a> {
    index: &'a LogIndex,
    data: CaseData,
    whole: bool,
}

impl<'a> CaseStream<'a> {
    pub(crate) fn open(index: &'a LogIndex, number: u16, manifest: &CaseManifest) -> Result<Self> {
        Ok(match CaseData::pre_scan(index, number, manifest)? {
            Some(data) => Self { index, data, whole: false },
            None => Self { index, data: CaseData::read(index, number, manifest)?, whole: true },
        })
    }

    /// Returns everything but the rows, which it has only where the case is held as a whole.
    pub fn data(&self) -> &CaseData {
        &self.data
    }

    /// Hands out all rows of stages in order of sequence number, stage and view;
    /// no piece ends between two rows of one trigger.
    ///
    /// # Errors
    /// The disk's, or the first one of `take`.
    pub fn stages<E: From<crate::RunError>>(
        &self,
        mut take: impl FnMut(&[SampleRow]) -> Result<(), E>,
    ) -> Result<(), E> {
        if self.whole {
            return take(&self.data.rows);
        }
        let Some(tick) = self.data.tick().filter(|_| self.data.samples > 0) else { return Ok(()) };
        let mut piece = Vec::new();
        for record in self.index.records(self.data.number) {
            if let Ok(Message::Samples(samples)) = decode(&record?.frame).map(|one| one.message) {
                samples.iter().for_each(|sample| piece.extend(inside_rows(sample, tick)));
                hand_out(&mut piece, PIECE, &mut take)?;
            }
        }
        hand_out(&mut piece, 1, &mut take)
    }

    /// Hands out all rows of one series of one benchmark, both by position in
    /// [`CaseData::benchmarks`].
    ///
    /// # Errors
    /// The disk's, or the first one of `take`.
    pub fn series<E: From<crate::RunError>>(
        &self,
        benchmark: usize,
        series: usize,
        mut take: impl FnMut(&[BenchRow]) -> Result<(), E>,
    ) -> Result<(), E> {
        let Some(one) = self.data.benchmarks.get(benchmark) else { return Ok(()) };
        let Some(series) = one.series.get(series) else { return Ok(()) };
        if series.places.is_empty() {
            return take(&series.rows);
        }
        let mut piece = Vec::new();
        for placed in self.index.read(&series.places) {
            let message = decode(&placed?.1.frame).ok().map(|frame| frame.message);
            if let Some(Batch { content: Content::Rows(rows), .. }) = message.and_then(Batch::of) {
                piece.extend(rows);
                hand_out(&mut piece, PIECE, &mut take)?;
            }
        }
        hand_out(&mut piece, 1, &mut take)
    }
}

fn hand_out<T, E>(
    piece: &mut Vec<T>,
    least: usize,
    take: &mut impl FnMut(&[T]) -> Result<(), E>,
) -> Result<(), E> {
    if piece.len() < least {
        return Ok(());
    }
    take(piece)?;
    piece.clear();
    Ok(())
}
