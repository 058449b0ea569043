// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Where pairs are kept: in memory, or in a file, each as two numbers of 7 bits a byte (LEB128):
//! how far its value lies above the one before, and its count. Neighbours are near each other, and
//! a file of many values has a quarter of the 16 bytes that a pair has in memory.

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

/// Bytes of the longest number, 64 bits by sevens.
const LONGEST: usize = 10;
/// Bytes that are read at a time: of hundreds of files at once.
const PIECE: usize = 1 << 15;

#[derive(Debug)]
pub struct PairFile(Scratch);

impl PairFile {
    /// Writes pairs, ascending.
    pub fn write(dir: &Path, pairs: impl Iterator<Item = Result<Pair>>) -> Result<Self> {
        let mut output = ScratchWriter::new(dir)?;
        let (mut before, mut bytes) = (0i64, Vec::with_capacity(2 * LONGEST));
        for pair in pairs {
            let (value, count) = pair?;
            bytes.clear();
            put(&mut bytes, value.wrapping_sub(before).cast_unsigned());
            put(&mut bytes, count);
            output.put(&bytes)?;
            before = value;
        }
        Ok(Self(output.finish()?))
    }

    pub fn pairs(&self) -> FilePairs<'_> {
        FilePairs { input: self.0.reader(), bytes: Vec::new(), at: 0, value: 0 }
    }
}

fn put(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

pub struct FilePairs<'a> {
    input: Reader<'a>,
    /// The piece that was read last, and how many of its bytes are behind.
    bytes: Vec<u8>,
    at: usize,
    /// The value before.
    value: i64,
}

impl FilePairs<'_> {
    /// Reads on where less than a pair may be left.
    fn refill(&mut self) -> Result<()> {
        self.bytes.drain(..self.at);
        self.at = 0;
        let left = self.bytes.len();
        self.bytes.resize(PIECE, 0);
        let filled = self.input.fill(&mut self.bytes[left..])?;
        self.bytes.truncate(left + filled);
        Ok(())
    }

    fn number(&mut self) -> Option<u64> {
        let (mut number, mut shift) = (0, 0);
        for (length, byte) in self.bytes[self.at..].iter().enumerate() {
            number |= u64::from(byte & 0x7f) << shift;
            if *byte < 0x80 {
                self.at += length + 1;
                return Some(number);
            }
            shift += 7;
        }
        None
    }
}

impl Iterator for FilePairs<'_> {
    type Item = Result<Pair>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.bytes.len() - self.at < 2 * LONGEST
            && let Err(error) = self.refill()
        {
            return Some(Err(error));
        }
        // Whole pairs were written.
        let (further, count) = self.number().zip(self.number())?;
        self.value = self.value.wrapping_add(further.cast_signed());
        Some(Ok((self.value, count)))
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
