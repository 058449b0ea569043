// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The run directory: what one execution of a scenario leaves behind.
//!
//! ```text
//! manifest.json    what was measured where, how and by what; `complete` or not
//! run.log          every frame as received, checksummed, append-only
//! samples.parquet  one row per sample and stage, derived from the log
//! interference.parquet  with events: one row per segment of a latency
//! bench.parquet    one row per sample of a benchmark, likewise
//! ```
//!
//! The log is the truth: frames are appended to it before anything else is
//! done with them, and all other figures can be derived from it again.
#![forbid(unsafe_code)]
#![warn(missing_docs, clippy::missing_errors_doc)]

mod bench;
mod board;
mod calibration;
mod case;
mod derived;
mod digest;
mod dir;
mod error;
mod execute;
mod found;
mod frames;
mod host;
mod index;
mod isolated;
mod join;
mod log;
mod manifest;
mod name;
mod outside;
mod parquet;
mod path;
mod probe;
mod resolve;
mod row;
mod span;
mod starved;
mod stream;

pub use bench::{BenchRow, BenchSeries, BenchmarkData};
pub use board::{BoardRequest, measure};
pub use calibration::{ClockError, GeneratorFacts, LineOffset, line_offsets};
pub use case::{CaseData, Gap};
pub use digest::Digest;
pub use dir::RunDir;
pub use error::RunError;
pub use execute::{ExecuteError, Request, Watch, execute};
pub use found::{open_own, open_regular, read_own};
pub use host::{AGENT, Host};
pub use index::LogIndex;
pub use isolated::{Isolated, IsolatedCpu};
pub use join::{Fit, Join};
pub use log::{LOG_HEADER, LogHealth, LogReader, LogRecord, LogWriter, Source};
pub use manifest::{CaseManifest, Manifest, ManifestDraft, VERSION};
pub use name::{fresh_name, utc};
pub use outside::OutsideData;
pub use parquet::{
    BenchWriter, InterferenceReader, InterferenceRow, InterferenceWriter, SamplesReader,
    SamplesWriter, SegmentRow,
};
pub use path::{CodeRun, Stretch};
pub use probe::Probe;
pub use resolve::{ResolveError, resolve};
pub use row::{
    FLAG_COALESCED, FLAG_EXTRA, FLAG_HIT, FLAG_LATE, FLAG_MISSING, FLAG_UNSURE, FLAG_WINDOW,
    SampleRow,
};
pub use span::Span;
pub use stream::{CaseStream, SeriesRows};

/// A result with this crate's error.
pub type Result<T, E = RunError> = std::result::Result<T, E>;
