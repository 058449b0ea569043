// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Values in the order of time. Values that do not fit into memory lie in a file, eight bytes for
//! each; nothing reads them but from the beginning, piece by piece.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::Result;
use crate::scratch::{Reader, Scratch, ScratchWriter};

/// Values that are kept in memory: 1 MB.
const KEPT: usize = 1 << 17;
/// Values of a piece: 64 kB.
const PIECE: usize = 1 << 13;
const BYTES: usize = size_of::<i64>();

/// Values in the order of time.
#[derive(Clone, Debug, Default)]
pub struct Ordered {
    count: u64,
    store: Store,
}

#[derive(Clone, Debug)]
enum Store {
    Memory(Arc<Vec<i64>>),
    File(Arc<Scratch>),
}

impl Default for Store {
    fn default() -> Self {
        Self::Memory(Arc::default())
    }
}

impl Ordered {
    /// Keeps values; those that do not fit into memory go to a file in `dir`.
    ///
    /// # Errors
    /// The disk's, here and below.
    pub fn of(values: impl IntoIterator<Item = i64>, dir: &Path) -> Result<Self> {
        let mut writer = OrderedWriter::new(dir);
        values.into_iter().try_for_each(|value| writer.add(value))?;
        writer.finish()
    }

    /// Returns how many there are.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Hands out all values, in pieces of the same length but the last one.
    ///
    /// # Errors
    /// The disk's.
    pub fn each(&self, mut take: impl FnMut(&[i64])) -> Result<()> {
        let mut pieces = self.pieces();
        while let Some(piece) = pieces.next()? {
            take(piece);
        }
        Ok(())
    }

    /// Returns whether the other ones are the same values, in the same order.
    ///
    /// # Errors
    /// The disk's.
    pub fn is_same(&self, other: &Self) -> Result<bool> {
        let (mut ours, mut theirs) = (self.pieces(), other.pieces());
        let mut same = self.count == other.count;
        while let (true, Some(piece)) = (same, ours.next()?) {
            same = Some(piece) == theirs.next()?;
        }
        Ok(same)
    }

    fn pieces(&self) -> Pieces<'_> {
        match &self.store {
            Store::Memory(values) => Pieces::Memory(values.chunks(PIECE)),
            Store::File(file) => Pieces::File { input: file.reader(), values: Vec::new() },
        }
    }
}

enum Pieces<'a> {
    Memory(std::slice::Chunks<'a, i64>),
    File { input: Reader<'a>, values: Vec<i64> },
}

impl Pieces<'_> {
    fn next(&mut self) -> Result<Option<&[i64]>> {
        match self {
            Self::Memory(chunks) => Ok(chunks.next()),
            Self::File { input, values } => {
                let mut bytes = [0; PIECE * BYTES];
                let filled = input.fill(&mut bytes)?;
                values.clear();
                values
                    .extend(bytes[..filled].as_chunks().0.iter().copied().map(i64::from_le_bytes));
                Ok((!values.is_empty()).then_some(values))
            }
        }
    }
}

/// Values as they come.
#[derive(Debug)]
pub(crate) struct OrderedWriter {
    dir: PathBuf,
    count: u64,
    values: Vec<i64>,
    kept: usize,
    /// Where those are that had to make room.
    file: Option<ScratchWriter>,
}

impl OrderedWriter {
    pub fn new(dir: &Path) -> Self {
        Self::with_room(dir, KEPT)
    }

    fn with_room(dir: &Path, kept: usize) -> Self {
        Self { dir: dir.to_owned(), count: 0, values: Vec::new(), kept, file: None }
    }

    pub fn add(&mut self, value: i64) -> Result<()> {
        if self.values.len() >= self.kept {
            self.spill()?;
        }
        self.values.push(value);
        self.count += 1;
        Ok(())
    }

    fn spill(&mut self) -> Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(ScratchWriter::new(&self.dir)?),
        };
        self.values.drain(..).try_for_each(|value| file.put(&value.to_le_bytes()))
    }

    pub fn finish(mut self) -> Result<Ordered> {
        if self.file.is_some() {
            self.spill()?;
        }
        self.values.shrink_to_fit();
        let store = match self.file {
            Some(file) => Store::File(Arc::new(file.finish()?)),
            None => Store::Memory(Arc::new(self.values)),
        };
        Ok(Ordered { count: self.count, store })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(ordered: &Ordered) -> Vec<i64> {
        let mut all = Vec::new();
        ordered.each(|piece| all.extend_from_slice(piece)).unwrap();
        all
    }

    #[test]
    fn more_than_fits_into_memory_comes_back_in_order() {
        let dir = tempfile::tempdir().unwrap();
        let of = |kept: usize, count: usize| {
            let mut writer = OrderedWriter::with_room(dir.path(), kept);
            (0..count as i64).rev().for_each(|value| writer.add(value).unwrap());
            writer.finish().unwrap()
        };
        for count in [0, 1, 100, 101, PIECE, 2 * PIECE + 1] {
            let (spilled, kept) = (of(100, count), of(KEPT, count));
            assert_eq!(matches!(spilled.store, Store::File(_)), count > 100);
            let expected: Vec<i64> = (0..count as i64).rev().collect();
            assert_eq!((listed(&spilled), listed(&kept)), (expected.clone(), expected));
            assert!(spilled.is_same(&kept).unwrap() && kept.is_same(&spilled).unwrap());
            assert!(!spilled.is_same(&of(100, count + 1)).unwrap());
        }
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0, "the file has no name");
    }

    #[test]
    fn one_other_value_is_not_the_same() {
        let dir = tempfile::tempdir().unwrap();
        let of = |last| Ordered::of((0..20_000).chain([last]), dir.path()).unwrap();
        assert!(!of(1).is_same(&of(2)).unwrap());
    }
}
