// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Where pairs are kept: in memory, or as 16 bytes each in a file without a name,
//! which is gone with its handle.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};
use std::path::{Path, PathBuf};

use irqscope_run::RunError;

use super::Pair;
use crate::Result;

const BUFFER: usize = 1 << 16;

#[derive(Debug)]
pub enum Store {
    /// Ascending.
    Memory(Vec<Pair>),
    File(PairFile),
}

impl Default for Store {
    fn default() -> Self {
        Self::Memory(Vec::new())
    }
}

impl Store {
    pub fn pairs(&self) -> Result<Pairs<'_>> {
        Ok(match self {
            Self::Memory(pairs) => Pairs::Memory(pairs.iter()),
            Self::File(file) => Pairs::File(file.pairs()?),
        })
    }

    #[cfg(test)]
    pub fn is_file(&self) -> bool {
        matches!(self, Self::File(_))
    }
}

#[derive(Debug)]
pub struct PairFile {
    /// For messages: the directory that it is in.
    dir: PathBuf,
    file: File,
}

impl PairFile {
    pub fn write(dir: &Path, pairs: impl Iterator<Item = Result<Pair>>) -> Result<Self> {
        let io = |error| RunError::io("sort values in", dir, error);
        let file = tempfile::tempfile_in(dir).map_err(io)?;
        let mut output = BufWriter::with_capacity(BUFFER, file);
        for pair in pairs {
            let (value, count) = pair?;
            output.write_all(&value.to_le_bytes()).map_err(io)?;
            output.write_all(&count.to_le_bytes()).map_err(io)?;
        }
        let file = output.into_inner().map_err(|error| io(error.into_error()))?;
        Ok(Self { dir: dir.to_owned(), file })
    }

    /// From the beginning. One reader at a time: they share the file's position.
    pub fn pairs(&self) -> Result<FilePairs<'_>> {
        (&self.file).rewind().map_err(|error| self.failed(error))?;
        Ok(FilePairs { of: self, input: BufReader::with_capacity(BUFFER, &self.file) })
    }

    fn failed(&self, error: io::Error) -> RunError {
        RunError::io("read sorted values in", &self.dir, error)
    }
}

pub struct FilePairs<'a> {
    of: &'a PairFile,
    input: BufReader<&'a File>,
}

impl Iterator for FilePairs<'_> {
    type Item = Result<Pair>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut bytes = [0; 16];
        match self.input.read_exact(&mut bytes) {
            Ok(()) => {
                let pair = u128::from_le_bytes(bytes);
                Some(Ok(((pair as u64).cast_signed(), (pair >> 64) as u64)))
            }
            // What was written is whole pairs.
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => None,
            Err(error) => Some(Err(self.of.failed(error).into())),
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
