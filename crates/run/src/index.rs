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

/// Offset and length of a record in the log's file.
pub(crate) type Place = (u64, u32);

/// Where the records of each case lie in a log.
#[derive(Debug)]
pub struct LogIndex {
    path: PathBuf,
    file: File,
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
        let file = File::open(path).map_err(|error| RunError::io("read", path, error))?;
        Ok(Self { path: path.to_owned(), file, places, health: reader.health() })
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
        let placed = self.placed_records(case);
        placed.map(|placed| placed.map(|(_, record)| record))
    }

    /// Reads them likewise, with where each one lies.
    pub(crate) fn placed_records(
        &self,
        case: u16,
    ) -> impl Iterator<Item = Result<(Place, LogRecord)>> + '_ {
        self.read(self.places.get(&case).map_or(&[][..], Vec::as_slice))
    }

    /// Reads the records at these places.
    pub(crate) fn read<'a>(
        &'a self,
        places: &'a [Place],
    ) -> impl Iterator<Item = Result<(Place, LogRecord)>> + 'a {
        let mut buffer = Vec::new();
        places.iter().filter_map(move |place| {
            let (offset, length) = *place;
            buffer.resize(length as usize, 0);
            match self.file.read_exact_at(&mut buffer, offset) {
                Ok(()) => {
                    decode_record(undelimited(&mut buffer)).map(|record| Ok((*place, record)))
                }
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
