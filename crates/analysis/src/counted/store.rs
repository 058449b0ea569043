// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Where pairs are kept: in memory, or as 16 bytes each in a file.

use std::path::Path;
use std::sync::Arc;

use super::Pair;
use crate::Result;
use crate::scratch::{Reader, Scratch, ScratchWriter};

#[derive(Clone, Debug)]
pub enum Store {
    /// Ascending.
    Memory(Arc<Vec<Pair>>),
    File(Arc<PairFile>),
}

impl Default for Store {
    fn default() -> Self {
        Self::Memory(Arc::default())
    }
}

impl Store {
    pub fn pairs(&self) -> Pairs<'_> {
        match self {
            Self::Memory(pairs) => Pairs::Memory(pairs.iter()),
            Self::File(file) => Pairs::File(file.pairs()),
        }
    }

    #[cfg(test)]
    pub fn is_file(&self) -> bool {
        matches!(self, Self::File(_))
    }
}

#[derive(Debug)]
pub struct PairFile(Scratch);

impl PairFile {
    pub fn write(dir: &Path, pairs: impl Iterator<Item = Result<Pair>>) -> Result<Self> {
        let mut output = ScratchWriter::new(dir)?;
        for pair in pairs {
            let (value, count) = pair?;
            output.put(&value.to_le_bytes())?;
            output.put(&count.to_le_bytes())?;
        }
        Ok(Self(output.finish()?))
    }

    pub fn pairs(&self) -> FilePairs<'_> {
        FilePairs(self.0.reader())
    }
}

pub struct FilePairs<'a>(Reader<'a>);

impl Iterator for FilePairs<'_> {
    type Item = Result<Pair>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut bytes = [0; 16];
        match self.0.fill(&mut bytes) {
            // Whole pairs were written.
            Ok(0) => None,
            Ok(_) => {
                let pair = u128::from_le_bytes(bytes);
                Some(Ok(((pair as u64).cast_signed(), (pair >> 64) as u64)))
            }
            Err(error) => Some(Err(error)),
        }
    }
}

pub enum Pairs<'a> {
    Memory(std::slice::Iter<'a, Pair>),
    File(FilePairs<'a>),
}

impl Iterator for Pairs<'_> {
    type Item = Result<Pair>;

    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Self::Memory(pairs) => pairs.next().copied().map(Ok),
            Self::File(pairs) => pairs.next(),
        }
    }
}
