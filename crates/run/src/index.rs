// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Where in the log each case's records lie. Cases run in parallel, so their
//! records interleave; with the index one case is read at a time and memory
//! is bounded by the largest.

use std::collections::BTreeMap;
use std::path::Path;

use crate::Result;
use crate::frames::{LogFile, Place};
use crate::log::{LogHealth, LogReader, LogRecord};

/// Where the records of each case lie in a log.
#[derive(Debug)]
pub struct LogIndex {
    file: LogFile,
    places: BTreeMap<u16, Vec<Place>>,
    health: LogHealth,
}

impl LogIndex {
    /// Reads a log once and notes where its records lie.
    ///
    /// # Errors
    /// The file cannot be read, or is not what its name says.
    pub fn build(path: &Path) -> Result<Self> {
        let mut reader = LogReader::open(path)?;
        let mut places: BTreeMap<u16, Vec<Place>> = BTreeMap::new();
        while let Some(record) = reader.next() {
            // No record is longer than the protocol's frames, which fit.
            let (offset, length) = reader.span();
            places.entry(record?.case).or_default().push((offset, length as u32));
        }
        Ok(Self { file: LogFile::open(path)?, places, health: reader.health() })
    }

    /// Lets the health say what is missing of as many records as the log of a finished run had.
    pub(crate) fn expecting(mut self, records: Option<u64>) -> Self {
        records.into_iter().for_each(|records| self.health.expect(records));
        self
    }

    /// Returns the log's health.
    pub fn health(&self) -> LogHealth {
        self.health
    }

    /// Returns the case numbers that occur in the log.
    pub fn cases(&self) -> impl Iterator<Item = u16> + '_ {
        self.places.keys().copied()
    }

    /// Reads the records of one case, in order of arrival.
    pub fn records(&self, case: u16) -> impl Iterator<Item = Result<LogRecord>> + '_ {
        let placed = self.file.read(self.places(case));
        placed.map(|placed| placed.map(|(_, record)| record))
    }

    /// Returns where the records of one case lie.
    pub(crate) fn places(&self, case: u16) -> &[Place] {
        self.places.get(&case).map_or(&[][..], Vec::as_slice)
    }

    pub(crate) fn file(&self) -> &LogFile {
        &self.file
    }
}
