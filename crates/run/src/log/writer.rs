// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Appending to the log.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use irqscope_wire::MAX_FRAME_BYTES;

use super::{LOG_HEADER, Source, record};
use crate::{Result, RunError};

/// A handle to the log that may be cloned and used from several threads.
///
/// Each record reaches the kernel by one `write(2)` before `append` returns:
/// what was appended survives the death of this process. `sync` makes it
/// survive the machine's.
#[derive(Clone, Debug)]
pub struct LogWriter {
    inner: Arc<Mutex<Inner>>,
}

#[derive(Debug)]
struct Inner {
    path: PathBuf,
    /// None in a run that was opened for reading.
    file: Option<File>,
    begun: Instant,
    number: u64,
    /// A write failed half-way: the next record needs a delimiter before it.
    torn: bool,
    body: Vec<u8>,
    encoded: Vec<u8>,
}

impl LogWriter {
    pub(crate) fn create(path: &Path) -> Result<Self> {
        let io = |error| RunError::io("create", path, error);
        let mut file = OpenOptions::new().append(true).create_new(true).open(path).map_err(io)?;
        file.write_all(&LOG_HEADER).map_err(io)?;
        Ok(Self::with_file(path, Some(file)))
    }

    pub(crate) fn read_only(path: &Path) -> Self {
        Self::with_file(path, None)
    }

    fn with_file(path: &Path, file: Option<File>) -> Self {
        let inner = Inner {
            path: path.to_owned(),
            file,
            begun: Instant::now(),
            number: 0,
            torn: false,
            body: Vec::new(),
            encoded: Vec::new(),
        };
        Self { inner: Arc::new(Mutex::new(inner)) }
    }

    /// Appends one encoded frame as received; a delimiter at its end, where
    /// there is one, is left out.
    ///
    /// # Errors
    /// The disk's.
    pub fn append(&self, case: u16, source: Source, encoded_frame: &[u8]) -> Result<()> {
        let frame = encoded_frame.strip_suffix(&[0]).unwrap_or(encoded_frame);
        if frame.len() > MAX_FRAME_BYTES {
            return Err(RunError::Oversized { bytes: frame.len() });
        }
        self.lock().append(case, source, frame)
    }

    /// Puts everything on the disk.
    ///
    /// # Errors
    /// The disk's.
    pub fn sync(&self) -> Result<()> {
        let inner = self.lock();
        let Some(file) = &inner.file else { return Ok(()) };
        file.sync_all().map_err(|error| RunError::io("write", &inner.path, error))
    }

    // Useful invariant: `Inner` is consistent between any two statements that
    // can panic, so another thread's panic need not end the log.
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn append(&mut self, case: u16, source: Source, frame: &[u8]) -> Result<()> {
        let Some(file) = &mut self.file else {
            return Err(RunError::ReadOnly { path: self.path.clone() });
        };
        let host_ns = u64::try_from(self.begun.elapsed().as_nanos()).unwrap_or(u64::MAX);
        record::body(self.number, host_ns, case, source, frame, &mut self.body);
        encode(&self.body, self.torn, &mut self.encoded);
        self.torn = true;
        file.write_all(&self.encoded)
            .map_err(|error| RunError::io("append to", &self.path, error))?;
        self.torn = false;
        self.number += 1;
        Ok(())
    }
}

fn encode(body: &[u8], torn: bool, out: &mut Vec<u8>) {
    let before = usize::from(torn);
    out.clear();
    out.resize(before + cobs::max_encoding_length(body.len()) + 1, 0);
    let length = cobs::encode(body, &mut out[before..]);
    out.truncate(before + length);
    out.push(0);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LogReader;

    /// Opens a device on which every write fails for lack of space.
    fn full() -> File {
        OpenOptions::new().append(true).open("/dev/full").unwrap()
    }

    #[test]
    fn a_full_disk_is_told_and_the_log_goes_on_when_there_is_room() {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join("run.log");
        let log = LogWriter::create(&path).unwrap();
        log.append(0, Source::Target, &[1]).unwrap();
        let disk = log.lock().file.replace(full()).unwrap();
        let error = log.append(0, Source::Target, &[2]).unwrap_err();
        assert!(matches!(error, RunError::DiskFull { .. }), "{error}");
        assert!(error.to_string().contains("run.log") && error.to_string().contains("--out"));
        // The part that a write leaves behind that failed half-way.
        let mut torn = &disk;
        torn.write_all(&[9, 9, 9]).unwrap();
        log.lock().file = Some(disk);
        log.append(0, Source::Target, &[3]).unwrap();
        let mut reader = LogReader::open(&path).unwrap();
        let frames: Vec<_> = reader.by_ref().map(|record| record.unwrap().frame).collect();
        assert_eq!(frames, [[1], [3]]);
        assert_eq!((reader.health().damaged, reader.health().truncated), (1, false));
    }

    #[test]
    fn what_no_protocol_sends_is_refused() {
        let parent = tempfile::tempdir().unwrap();
        let log = LogWriter::create(&parent.path().join("run.log")).unwrap();
        let error = log.append(0, Source::Target, &vec![1; MAX_FRAME_BYTES + 1]).unwrap_err();
        assert!(matches!(error, RunError::Oversized { .. }));
    }
}
