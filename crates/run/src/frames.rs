// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Frames read from places in the log, decoded on every CPU and handed out in order.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::mpsc::sync_channel;

use irqscope_wire::Frame;
use irqscope_wire::fast::decode;

use crate::log::{LogRecord, decode_record};
use crate::{Result, RunError, Source, open_own};

/// Offset and length of a record in the log's file.
pub(crate) type Place = (u64, u32);

/// Records that one thread decodes at a time; a quarter of a mebibyte each, at most.
const BATCH: usize = 64;

/// A log, without knowledge of its records.
#[derive(Debug)]
pub(crate) struct LogFile {
    path: PathBuf,
    file: File,
}

/// A record with its frame.
pub(crate) struct Received {
    pub place: Place,
    pub source: Source,
    pub host_ns: u64,
    /// None: what was received is no frame.
    pub frame: Option<Frame>,
}

impl Received {
    fn of(place: Place, record: &LogRecord) -> Self {
        let LogRecord { source, host_ns, .. } = *record;
        Self { place, source, host_ns, frame: decode(&record.frame).ok() }
    }
}

impl LogFile {
    pub fn open(path: &Path) -> Result<Self> {
        let file = open_own(path).map_err(|error| RunError::io("read", path, error))?;
        Ok(Self { path: path.to_owned(), file })
    }

    /// Reads the records at these places.
    pub fn read<'a>(
        &'a self,
        places: &'a [Place],
    ) -> impl Iterator<Item = Result<(Place, LogRecord)>> + 'a {
        let (mut buffer, mut body) = (Vec::new(), Vec::new());
        places.iter().filter_map(move |place| {
            let (offset, length) = *place;
            buffer.resize(length as usize, 0);
            match self.file.read_exact_at(&mut buffer, offset) {
                Ok(()) => {
                    let bytes = buffer.strip_suffix(&[0]).unwrap_or(&buffer);
                    decode_record(bytes, &mut body).map(|record| Ok((*place, record)))
                }
                Err(error) => Some(Err(RunError::io("read", &self.path, error))),
            }
        })
    }

    /// Hands out what `work` makes of the records at these places, in their order. `work`
    /// is done on every CPU: each thread has every n-th batch.
    pub fn each<T: Send, E: From<RunError>>(
        &self,
        places: &[Place],
        work: impl Fn(Received) -> T + Sync,
        mut take: impl FnMut(T) -> Result<(), E>,
    ) -> Result<(), E> {
        let of = |batch: &[Place]| -> Result<Vec<T>> {
            let made = self
                .read(batch)
                .map(|read| read.map(|(place, record)| work(Received::of(place, &record))));
            made.collect()
        };
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        if places.len() <= BATCH || threads == 1 {
            return of(places)?.into_iter().try_for_each(take);
        }
        std::thread::scope(|scope| {
            let made: Vec<_> = (0..threads)
                .map(|thread| {
                    let (send, made) = sync_channel(1);
                    let mine = places.chunks(BATCH).skip(thread).step_by(threads);
                    let of = &of;
                    // Ends early where nothing is received any more.
                    scope.spawn(move || mine.map(of).all(|batch| send.send(batch).is_ok()));
                    made
                })
                .collect();
            let mut next = 0;
            while let Ok(batch) = made[next % threads].recv() {
                batch?.into_iter().try_for_each(&mut take)?;
                next += 1;
            }
            Ok(())
        })
    }
}
