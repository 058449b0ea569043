// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A text file line by line, however it is made.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use crate::foreign::ForeignError;
use crate::foreign::error::Place;

/// No tool writes a longer one; a file without any line end is no text.
const LONGEST: u64 = 1 << 20;

pub struct Lines {
    input: BufReader<File>,
    path: PathBuf,
    /// Of the line that was handed out, from 1.
    number: u64,
    buffer: Vec<u8>,
}

impl Lines {
    pub fn new(input: BufReader<File>, path: &Path) -> Self {
        Self { input, path: path.to_owned(), number: 0, buffer: Vec::new() }
    }

    /// Reads the next line without its end; none after the last.
    pub fn read(&mut self) -> Result<Option<&str>, ForeignError> {
        self.buffer.clear();
        self.number += 1;
        let read = self.input.by_ref().take(LONGEST).read_until(b'\n', &mut self.buffer);
        let read = read.map_err(|source| ForeignError::Read { path: self.path.clone(), source })?;
        if read == 0 {
            return Ok(None);
        }
        if read as u64 == LONGEST && self.buffer.last() != Some(&b'\n') {
            return Err(self.wrong(format!("is longer than {LONGEST} bytes")));
        }
        match std::str::from_utf8(&self.buffer) {
            Ok(line) => Ok(Some(line.trim_end())),
            Err(_) => Err(ForeignError::wrong(
                &self.path,
                Place::Line(self.number),
                "is no text (not UTF-8)",
            )),
        }
    }

    /// Returns the number of the line that was handed out last, from 1.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Makes an error of the line that was handed out last.
    pub fn wrong(&self, why: impl Into<String>) -> ForeignError {
        ForeignError::wrong(&self.path, Place::Line(self.number), why)
    }

    /// Makes an error of something that is missing.
    pub fn ended(&self, why: impl Into<String>) -> ForeignError {
        ForeignError::wrong(&self.path, Place::End, why)
    }
}
