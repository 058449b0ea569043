// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Measurements by other programs, as a run directory.
//!
//! A file is read twice: first to learn what is in it, then to write it into the
//! run's log, a batch at a time. So memory does not grow with what it holds, and
//! nothing is left behind where a file turns out to be damaged.

mod benchmark;
mod csv;
mod cyclictest;
mod detect;
mod jitterdebugger;
mod json;
mod latmus;
mod lines;
mod log;
mod number;
mod oslat;
mod rtla;
mod sink;
mod table;

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use irqscope_run::{RunDir, open_regular};

use super::ForeignError;
use super::error::Place;
use detect::detect;
use lines::Lines;
use sink::{Head, Sink, Survey};

/// The unit of cyclictest without -N.
const MICROSECOND: i64 = 1_000;

/// The least value from which on it could be a number of nanoseconds.
const LEAST_OF_NANOSECONDS: i64 = 300;

/// The format of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImportFormat {
    /// Text of `cyclictest -h`, `-H` or `-v`.
    Cyclictest,
    /// JSON of cyclictest and oslat.
    RtTests,
    /// oslat's text.
    Oslat,
    /// jitterdebugger's results.json.
    Jitterdebugger,
    /// jitterdebugger's samples.raw.
    JitterdebuggerSamples,
    /// Text of `rtla timerlat hist` and `rtla osnoise hist`.
    Rtla,
    /// The text that `latmus -g` writes.
    Latmus,
    /// The benchmarks that `irqscope export --format csv` writes.
    Csv,
}

/// The files to import, and where to.
pub struct Import<'a> {
    /// The files, each a case.
    pub files: &'a [PathBuf],
    /// The run directory; it must not exist.
    pub out: &'a Path,
    /// None: as the content shows.
    pub format: Option<ImportFormat>,
    /// The length of the unit that values have where the file does not say; none where that is
    /// not known: then values that could be nanoseconds are refused.
    pub unit_ns: Option<u32>,
    /// The command line, for the manifest.
    pub args: Vec<String>,
    /// The version of this program, for the manifest.
    pub tool_version: &'a str,
}

/// One file, looked over.
struct Source<'a> {
    path: &'a Path,
    format: ImportFormat,
    unit_ns: Option<u32>,
}

/// Makes a run directory of files, one or more cases for each.
///
/// # Errors
/// The first thing that is wrong with a file, with its place; or the disk's.
pub fn import(what: &Import<'_>) -> Result<RunDir, ForeignError> {
    let mut surveyed = Vec::new();
    let mut names = Vec::new();
    for path in what.files {
        let format = what.format.map_or_else(|| detect(path), Ok)?;
        let source = Source { path, format, unit_ns: what.unit_ns };
        let mut survey = Survey::new(fresh(path, &mut names));
        let head = source.read(&mut survey)?;
        survey.check(path)?;
        surveyed.push((source, head, survey));
    }
    log::write(what, surveyed)
}

/// Returns a name for the file's case: its stem, once more with a number where it is taken.
fn fresh(path: &Path, names: &mut Vec<String>) -> String {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let stem = stem.replace(|c: char| c == '/' || c.is_control(), "-");
    let numbered = (2..).map(|number| format!("{stem}-{number}"));
    let mut all = std::iter::once(stem.clone()).chain(numbered);
    let name = all.find(|name| !names.contains(name)).unwrap_or(stem);
    names.push(name.clone());
    name
}

impl Source<'_> {
    fn read(&self, sink: &mut dyn Sink) -> Result<Head, ForeignError> {
        match self.format {
            ImportFormat::Cyclictest => cyclictest::read(self, sink),
            ImportFormat::RtTests => json::rt_tests(self, sink),
            ImportFormat::Oslat => oslat::read(self, sink),
            ImportFormat::Jitterdebugger => json::jitterdebugger(self, sink),
            ImportFormat::JitterdebuggerSamples => jitterdebugger::read(self, sink),
            ImportFormat::Rtla => rtla::read(self, sink),
            ImportFormat::Latmus => latmus::read(self, sink),
            ImportFormat::Csv => csv::read(self, sink),
        }
    }

    fn open(&self) -> Result<BufReader<File>, ForeignError> {
        let file = open_regular(self.path).map_err(|error| self.unreadable(error))?;
        Ok(BufReader::with_capacity(1 << 16, file))
    }

    fn lines(&self) -> Result<Lines, ForeignError> {
        Ok(Lines::new(self.open()?, self.path))
    }

    fn unreadable(&self, source: std::io::Error) -> ForeignError {
        ForeignError::Read { path: self.path.to_owned(), source }
    }

    /// Returns the nanoseconds of the unit that values have where the file does not say.
    fn unit(&self) -> i64 {
        self.unit_ns.map_or(MICROSECOND, i64::from)
    }

    /// Checks that values without a unit cannot be nanoseconds: no thread wakes within a few hundred
    /// of these, and on a machine that is fit for cyclictest many do within as many microseconds.
    fn check_unit(&self, least: i64) -> Result<(), ForeignError> {
        if self.unit_ns.is_some() || least < LEAST_OF_NANOSECONDS * MICROSECOND {
            return Ok(());
        }
        let least = least / MICROSECOND;
        let why = format!(
            "its least value is {least}, and it does not say of what: give --nanoseconds (cyclictest ran with -N) or --microseconds"
        );
        Err(ForeignError::wrong(self.path, Place::End, why))
    }
}
