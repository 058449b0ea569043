// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Where in the log each case's records lie. Cases run in parallel, so their
//! records interleave; with the index one case is read at a time and memory
//! is bounded by the largest.

use std::collections::BTreeMap;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use crate::log::{LogHealth, LogReader, LogRecord, decode_record};
use crate::{Result, RunError};

#[derive(Debug)]
pub struct LogIndex {
    path: PathBuf,
    file: File,
    spans: BTreeMap<u16, Vec<(u64, usize)>>,
    health: LogHealth,
}

impl LogIndex {
    pub fn build(path: &Path) -> Result<Self> {
        let mut reader = LogReader::open(path)?;
        let mut spans: BTreeMap<u16, Vec<(u64, usize)>> = BTreeMap::new();
        while let Some(record) = reader.next() {
            spans.entry(record?.case).or_default().push(reader.span());
        }
        let file = File::open(path).map_err(|error| RunError::io("read", path, error))?;
        Ok(Self { path: path.to_owned(), file, spans, health: reader.health() })
    }

    pub fn health(&self) -> LogHealth {
        self.health
    }

    /// Case numbers that occur in the log.
    pub fn cases(&self) -> impl Iterator<Item = u16> + '_ {
        self.spans.keys().copied()
    }

    /// The records of one case, in order of arrival.
    pub fn records(&self, case: u16) -> impl Iterator<Item = Result<LogRecord>> + '_ {
        let spans = self.spans.get(&case).map_or(&[][..], Vec::as_slice);
        let mut buffer = Vec::new();
        spans.iter().filter_map(move |(offset, length)| {
            buffer.resize(*length, 0);
            match self.file.read_exact_at(&mut buffer, *offset) {
                Ok(()) => decode_record(undelimited(&mut buffer)).map(Ok),
                Err(error) => Some(Err(RunError::io("read", &self.path, error))),
            }
        })
    }
}

fn undelimited(bytes: &mut [u8]) -> &mut [u8] {
    let delimiter = usize::from(bytes.last() == Some(&0));
    let length = bytes.len() - delimiter;
    &mut bytes[..length]
}
