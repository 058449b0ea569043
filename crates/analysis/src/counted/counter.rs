// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Counting values as they come.
//!
//! Values gather in a buffer; a full buffer is sorted and merged into the pairs
//! that are known. Too many pairs for memory become a sorted run in a file, and
//! all runs are merged in the end (external merge sort: Knuth, "The Art of
//! Computer Programming" 3, 5.4).

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::store::{PairFile, Pairs, Store};
use super::{Counted, Pair, merge};
use crate::Result;

/// Values that are gathered before they are sorted: 1 MB.
const BUFFERED: usize = 1 << 16;
/// Pairs that are kept in memory while counting: 4 MB.
const PAIRS: usize = 1 << 18;

/// Counts values.
#[derive(Debug)]
pub struct Counter {
    dir: PathBuf,
    buffer: Vec<Pair>,
    buffered: usize,
    pairs: Vec<Pair>,
    most: usize,
    runs: Vec<PairFile>,
    /// Count, least and greatest value of those that were added.
    counted: Counted,
}

impl Counter {
    /// Makes a counter; `dir` is where files go, if there need to be any.
    pub fn new(dir: &Path) -> Self {
        Self::with_room(dir, BUFFERED, PAIRS)
    }

    pub(super) fn with_room(dir: &Path, buffered: usize, most: usize) -> Self {
        let dir = dir.to_owned();
        let (buffer, pairs, runs) = (Vec::new(), Vec::new(), Vec::new());
        Self { dir, buffer, buffered, pairs, most, runs, counted: Counted::default() }
    }

    /// Adds a value that came `count` times.
    ///
    /// # Errors
    /// The disk's.
    pub fn add(&mut self, value: i64, count: u64) -> Result<()> {
        if count == 0 {
            return Ok(());
        }
        let Counted { count: all, min, max, .. } = &mut self.counted;
        *all = all.saturating_add(count);
        *min = Some(min.map_or(value, |min| min.min(value)));
        *max = (*max).max(Some(value));
        self.buffer.push((value, count));
        if self.buffer.len() >= self.buffered { self.settle() } else { Ok(()) }
    }

    /// Returns the values, sorted.
    ///
    /// # Errors
    /// The disk's.
    pub fn finish(mut self) -> Result<Counted> {
        self.settle()?;
        // Of many sets, each keeps less in memory than it was counted in.
        let store = if self.runs.is_empty() && self.pairs.len() <= self.most / 4 {
            self.pairs.shrink_to_fit();
            Store::Memory(Arc::new(self.pairs))
        } else {
            self.spill()?;
            let all = merge(self.runs.iter().map(|run| Pairs::File(run.pairs())).collect());
            Store::File(Arc::new(PairFile::write(&self.dir, all)?))
        };
        Ok(Counted { store, ..self.counted })
    }

    /// Sorts the buffer and merges it into the pairs.
    fn settle(&mut self) -> Result<()> {
        self.buffer.sort_unstable_by_key(|pair| pair.0);
        self.buffer.dedup_by(|next, one| {
            let same = next.0 == one.0;
            one.1 = if same { one.1.saturating_add(next.1) } else { one.1 };
            same
        });
        if self.pairs.is_empty() {
            std::mem::swap(&mut self.pairs, &mut self.buffer);
        } else {
            let sources = [&self.pairs, &self.buffer].map(|pairs| Pairs::Memory(pairs.iter()));
            self.pairs = merge(sources.into()).collect::<Result<Vec<_>>>()?;
            self.buffer.clear();
        }
        if self.pairs.len() > self.most { self.spill() } else { Ok(()) }
    }

    fn spill(&mut self) -> Result<()> {
        self.runs.push(PairFile::write(&self.dir, self.pairs.drain(..).map(Ok))?);
        Ok(())
    }
}
