// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One case read in pieces, so that memory does not grow with its samples.
//!
//! Rows come in the same order as those of [`CaseData`]. Where that order is not
//! the log's (a view from outside is joined, a damaged log is sorted, events are
//! explained) the case is held as a whole and handed out in one piece.

use irqscope_wire::Message;

use crate::bench::{Batch, Content};
use crate::frames::{LogFile, Place, Received};
use crate::join::inside_rows;
use crate::{
    BenchRow, BenchSeries, CaseData, CaseManifest, LogIndex, Result, RunDir, RunError, SampleRow,
    Source,
};

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
        let rows = |received: Received| match received.frame.map(|frame| frame.message) {
            Some(Message::Samples(samples)) if received.source != Source::Generator => {
                samples.iter().flat_map(|sample| inside_rows(sample, tick)).collect()
            }
            _ => Vec::new(),
        };
        let places = self.index.places(self.data.number);
        in_pieces(self.index.file(), places, rows, take)
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
        in_pieces(self.index.file(), &series.places, rows_of, take)
    }
}

/// Where the rows of one series are.
#[derive(Clone, Debug, Default)]
pub struct SeriesRows {
    rows: Vec<BenchRow>,
    places: Vec<Place>,
}

impl SeriesRows {
    /// Takes over where a series' rows are.
    pub fn of(series: &BenchSeries) -> Self {
        Self { rows: series.rows.clone(), places: series.places.clone() }
    }

    /// Hands out all rows in order.
    ///
    /// # Errors
    /// The disk's, or the first one of `take`.
    pub fn each<E: From<RunError>>(
        &self,
        run: &RunDir,
        mut take: impl FnMut(&[BenchRow]) -> Result<(), E>,
    ) -> Result<(), E> {
        if self.places.is_empty() {
            return take(&self.rows);
        }
        in_pieces(&run.log_file()?, &self.places, rows_of, take)
    }
}

fn rows_of(received: Received) -> Vec<BenchRow> {
    match received.frame.map(|frame| frame.message).and_then(Batch::of) {
        Some(Batch { content: Content::Rows(rows), .. }) => rows,
        _ => Vec::new(),
    }
}

fn in_pieces<T: Send + Clone, E: From<RunError>>(
    file: &LogFile,
    places: &[Place],
    rows: impl Fn(Received) -> Vec<T> + Sync,
    mut take: impl FnMut(&[T]) -> Result<(), E>,
) -> Result<(), E> {
    let mut piece = Vec::new();
    file.each(places, rows, |mut rows| {
        piece.append(&mut rows);
        hand_out(&mut piece, PIECE, &mut take)
    })?;
    hand_out(&mut piece, 1, &mut take)
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
