// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Reading a log that may be damaged or still growing.

use std::fs::File;
use std::io::{BufRead, BufReader, ErrorKind, Read};
use std::path::{Path, PathBuf};

use super::LOG_HEADER;
use super::record::{self, LogRecord, MAX_RECORD_BYTES};
use crate::{Result, RunError, open_own};

/// The reader's findings on its way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LogHealth {
    /// Records that were read.
    pub records: u64,
    /// Stretches between two delimiters that are no record.
    pub damaged: u64,
    /// Records that their numbers show to be missing.
    pub lost: u64,
    /// Records whose numbers came before: they are there twice, or in another order.
    pub repeated: u64,
    /// The log ends in the middle of a record (or of its header).
    pub truncated: bool,
}

impl LogHealth {
    /// Returns whether nothing is damaged or missing.
    pub fn is_sound(&self) -> bool {
        self.damaged == 0 && self.lost == 0 && self.repeated == 0 && !self.truncated
    }

    /// Counts records as lost that a finished run had and that are missing at the log's end.
    pub(crate) fn expect(&mut self, records: u64) {
        let numbered = self.records.saturating_add(self.lost);
        self.lost = self.lost.saturating_add(records.saturating_sub(numbered));
    }
}

/// Iterates over the records of a log; damage is passed over and counted. An
/// `Err` is an I/O error of the disk, and the last item.
#[derive(Debug)]
pub struct LogReader<R = BufReader<File>> {
    input: R,
    path: PathBuf,
    /// Where the next record begins in the file.
    offset: u64,
    /// Where the last record that was handed out lay, delimiter included.
    span: (u64, usize),
    next_number: u64,
    health: LogHealth,
    buffer: Vec<u8>,
    /// The record in the buffer, without its framing.
    body: Vec<u8>,
    ended: bool,
}

impl LogReader {
    /// Opens a log.
    ///
    /// # Errors
    /// The file cannot be read, or is not what its name says.
    pub fn open(path: &Path) -> Result<Self> {
        let file = open_own(path).map_err(|error| RunError::io("read", path, error))?;
        Self::new(BufReader::with_capacity(1 << 18, file), path)
    }
}

impl<R: BufRead> LogReader<R> {
    /// Reads a log from anywhere; `path` is only for messages.
    ///
    /// # Errors
    /// The file cannot be read, or is not what its name says.
    pub fn new(input: R, path: &Path) -> Result<Self> {
        let mut reader = Self {
            input,
            path: path.to_owned(),
            offset: 0,
            span: (0, 0),
            next_number: 0,
            health: LogHealth::default(),
            buffer: Vec::new(),
            body: Vec::new(),
            ended: false,
        };
        reader.header()?;
        Ok(reader)
    }

    /// Returns the log's health, which is complete once the iterator has ended.
    pub fn health(&self) -> LogHealth {
        self.health
    }

    /// Returns offset and length in the file of the last record that was handed out.
    pub(crate) fn span(&self) -> (u64, usize) {
        self.span
    }

    fn header(&mut self) -> Result<()> {
        let mut header = Vec::new();
        let input = self.input.by_ref();
        input.take(LOG_HEADER.len() as u64).read_to_end(&mut header).map_err(|e| self.io(e))?;
        if !LOG_HEADER.starts_with(&header) {
            return Err(RunError::NotALog { path: self.path.clone() });
        }
        self.offset = header.len() as u64;
        self.ended = header.len() < LOG_HEADER.len();
        self.health.truncated = self.ended;
        Ok(())
    }

    /// Fills the buffer with the bytes up to the next delimiter and says how
    /// many bytes of the file that took; 0 at its end. Bytes of a stretch that
    /// is too long for any record are not kept.
    fn stretch(&mut self) -> Result<usize> {
        self.buffer.clear();
        let mut taken = 0;
        loop {
            let available = match self.input.fill_buf() {
                Ok(available) => available,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(self.io(error)),
            };
            let end = available.iter().position(|byte| *byte == 0);
            let count = end.map_or(available.len(), |end| end + 1);
            if self.buffer.len() <= MAX_RECORD_BYTES {
                self.buffer.extend_from_slice(&available[..count]);
            }
            self.input.consume(count);
            taken += count;
            if end.is_some() || count == 0 {
                return Ok(taken);
            }
        }
    }

    /// Judges the stretch in the buffer, which took `taken` bytes of the file.
    fn judge(&mut self, taken: usize) -> Option<LogRecord> {
        let delimited = self.buffer.last() == Some(&0);
        self.buffer.truncate(self.buffer.len() - usize::from(delimited));
        if self.buffer.is_empty() {
            return None; // what a writer puts after a write that failed
        }
        let record = record::decode(&self.buffer, &mut self.body);
        match &record {
            Some(record) => self.count(record.number),
            None if delimited || self.buffer.len() > MAX_RECORD_BYTES => self.health.damaged += 1,
            None => self.health.truncated = true,
        }
        self.span = (self.offset, taken);
        record
    }

    fn count(&mut self, number: u64) {
        self.health.records += 1;
        self.health.repeated += u64::from(number < self.next_number);
        let lost = number.saturating_sub(self.next_number);
        self.health.lost = self.health.lost.saturating_add(lost);
        self.next_number = self.next_number.max(number.saturating_add(1));
    }

    fn io(&self, error: std::io::Error) -> RunError {
        RunError::io("read", &self.path, error)
    }
}

impl<R: BufRead> Iterator for LogReader<R> {
    type Item = Result<LogRecord>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.ended {
            match self.stretch() {
                Ok(0) => self.ended = true,
                Ok(taken) => {
                    let record = self.judge(taken);
                    self.offset += taken as u64;
                    if record.is_some() {
                        return record.map(Ok);
                    }
                }
                Err(error) => {
                    self.ended = true;
                    return Some(Err(error));
                }
            }
        }
        None
    }
}
