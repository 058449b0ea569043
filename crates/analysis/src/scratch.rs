// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A file for what does not fit into memory. It has no name, and is gone with its
//! last handle.

use std::fs::File;
use std::io::{self, BufWriter, ErrorKind, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use irqscope_run::RunError;

use crate::Result;

const BUFFER: usize = 1 << 16;

#[derive(Debug)]
pub struct Scratch {
    /// For messages: the directory that it is in.
    dir: PathBuf,
    file: File,
}

#[derive(Debug)]
pub struct ScratchWriter {
    dir: PathBuf,
    output: BufWriter<File>,
}

impl ScratchWriter {
    /// Makes a file that has no name.
    ///
    /// # Errors
    /// The disk's, here and below.
    pub fn new(dir: &Path) -> Result<Self> {
        let file = tempfile::tempfile_in(dir).map_err(|error| unwritten(dir, error))?;
        Ok(Self { dir: dir.to_owned(), output: BufWriter::with_capacity(BUFFER, file) })
    }

    pub fn put(&mut self, bytes: &[u8]) -> Result<()> {
        Ok(self.output.write_all(bytes).map_err(|error| unwritten(&self.dir, error))?)
    }

    pub fn finish(self) -> Result<Scratch> {
        let Self { dir, output } = self;
        let file = output.into_inner().map_err(|error| unwritten(&dir, error.into_error()))?;
        Ok(Scratch { dir, file })
    }
}

fn unwritten(dir: &Path, error: io::Error) -> RunError {
    RunError::io("keep values in", dir, error)
}

impl Scratch {
    /// Reads from the beginning; readers know nothing of each other.
    pub fn reader(&self) -> Reader<'_> {
        Reader { of: self, at: 0 }
    }
}

/// A place in a file; each call reads the disk.
pub struct Reader<'a> {
    of: &'a Scratch,
    at: u64,
}

impl Reader<'_> {
    /// Fills a buffer as far as there is something left; gives how far.
    pub fn fill(&mut self, buffer: &mut [u8]) -> Result<usize> {
        let mut filled = 0;
        while filled < buffer.len() {
            match self.of.file.read_at(&mut buffer[filled..], self.at) {
                Ok(0) => break,
                Ok(read) => {
                    filled += read;
                    self.at += read as u64;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => {
                    return Err(RunError::io("read values in", &self.of.dir, error).into());
                }
            }
        }
        Ok(filled)
    }
}
