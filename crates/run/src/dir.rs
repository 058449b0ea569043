// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The directory as a whole.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::derived::{folders, replace};
use crate::frames::LogFile;
use crate::{
    BenchWriter, CaseData, CaseManifest, CaseStream, InterferenceReader, InterferenceWriter,
    LogIndex, LogReader, LogWriter, Manifest, ManifestDraft, Result, RunError, SamplesReader,
    SamplesWriter, Stretch, utc,
};
use crate::{manifest, path};

const LOG: &str = "run.log";
const SAMPLES: &str = "samples.parquet";
const INTERFERENCE: &str = "interference.parquet";
const BENCH: &str = "bench.parquet";

/// A run directory.
#[derive(Clone, Debug)]
pub struct RunDir {
    path: PathBuf,
    manifest: Manifest,
    log: LogWriter,
}

impl RunDir {
    /// Begins a run. The directory must not exist; its parents are made.
    ///
    /// # Errors
    /// The disk's.
    pub fn create(path: impl AsRef<Path>, draft: &ManifestDraft) -> Result<Self> {
        let path = path.as_ref();
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).map_err(|error| RunError::io("create", parent, error))?;
        }
        fs::create_dir(path).map_err(|error| match error.kind() {
            ErrorKind::AlreadyExists => RunError::Exists { path: path.to_owned() },
            _ => RunError::io("create", path, error),
        })?;
        let manifest = Manifest::begin(draft, utc(SystemTime::now()));
        manifest.write(path)?;
        let log = LogWriter::create(&path.join(LOG))?;
        Ok(Self { path: path.to_owned(), manifest, log })
    }

    /// Opens an earlier run for reading.
    ///
    /// # Errors
    /// The file cannot be read, or is not what its name says.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let manifest = Manifest::read(path)?;
        let log = LogWriter::read_only(&path.join(LOG));
        Ok(Self { path: path.to_owned(), manifest, log })
    }

    /// Returns its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns its manifest.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Returns a handle for appending, to be cloned for each thread.
    pub fn log(&self) -> LogWriter {
        self.log.clone()
    }

    /// Ends the run: the log is put on the disk and the manifest gets its final form. Facts that
    /// `cases` leave open are taken from the log. The run is marked complete if every case has a
    /// result.
    ///
    /// # Errors
    /// The disk's, or the log cannot be read.
    pub fn finish(&mut self, cases: Vec<CaseManifest>) -> Result<()> {
        self.log.sync()?;
        let mut manifest = self.manifest.clone();
        manifest.cases = cases;
        let index = self.index()?;
        for (number, case) in manifest.cases.iter_mut().enumerate() {
            let stream = CaseStream::open(&index, number as u16, case)?;
            case.complete_from(stream.data());
        }
        manifest.complete = manifest.cases.iter().all(CaseManifest::has_result);
        manifest.finished_utc = Some(utc(SystemTime::now()));
        manifest.records = Some(index.health().records);
        manifest.write(&self.path)?;
        self.manifest = manifest;
        Ok(())
    }

    /// Removes a run that has ended without a record, and has no file beside its manifest and its log, so that
    /// its name is free again. Returns whether it did.
    ///
    /// # Errors
    /// The disk's.
    pub fn remove_if_empty(self) -> Result<bool> {
        let at = |error| RunError::io("remove", &self.path, error);
        let own = [manifest::FILE, LOG];
        let mut files = fs::read_dir(&self.path).map_err(at)?;
        let is_own = |name: std::ffi::OsString| own.iter().any(|own| name == *own);
        let only_own = files.all(|file| file.is_ok_and(|file| is_own(file.file_name())));
        if self.manifest.records != Some(0) || !only_own {
            return Ok(false);
        }
        own.iter().try_for_each(|own| fs::remove_file(self.path.join(own))).map_err(at)?;
        fs::remove_dir(&self.path).map_err(at)?;
        Ok(true)
    }

    /// Reads every record of the log, in order of arrival.
    ///
    /// # Errors
    /// The file cannot be read, or is not what its name says.
    pub fn records(&self) -> Result<LogReader> {
        LogReader::open(&self.path.join(LOG))
    }

    pub(crate) fn log_file(&self) -> Result<LogFile> {
        LogFile::open(&self.path.join(LOG))
    }

    /// Reads the log once, to find each case's records.
    ///
    /// # Errors
    /// The file cannot be read, or is not what its name says.
    pub fn index(&self) -> Result<LogIndex> {
        Ok(LogIndex::build(&self.path.join(LOG))?.expecting(self.manifest.records))
    }

    /// Reads one case, by its position in the manifest.
    ///
    /// # Errors
    /// The file cannot be read, or is not what its name says.
    pub fn case(&self, index: &LogIndex, number: u16) -> Result<CaseData> {
        CaseData::read(index, number, self.manifest_of(number)?)
    }

    fn manifest_of(&self, number: u16) -> Result<&CaseManifest> {
        let cases = &self.manifest.cases;
        let count = cases.len();
        cases.get(usize::from(number)).ok_or(RunError::NoCase { index: number, count })
    }

    /// Opens one case likewise, of which samples are read in pieces.
    ///
    /// # Errors
    /// The file cannot be read, or is not what its name says.
    pub fn stream<'a>(&self, index: &'a LogIndex, number: u16) -> Result<CaseStream<'a>> {
        CaseStream::open(index, number, self.manifest_of(number)?)
    }

    /// Reads the path of one case's first triggers, where it was traced.
    pub fn stretches<'a>(
        &self,
        index: &'a LogIndex,
        number: u16,
    ) -> impl Iterator<Item = Result<Stretch>> + use<'a> {
        path::stretches(index, number)
    }

    /// Reads all cases, one at a time, in the manifest's order.
    ///
    /// # Errors
    /// The file cannot be read, or is not what its name says.
    pub fn cases(&self) -> Result<impl Iterator<Item = Result<CaseData>> + '_> {
        let index = self.index()?;
        let numbers = 0..self.manifest.cases.len() as u16;
        Ok(numbers.map(move |number| self.case(&index, number)))
    }

    /// Returns positions of the cases in bytewise order of their names: the order of
    /// samples.parquet and of the digest.
    pub fn cases_by_name(&self) -> Vec<u16> {
        let cases = &self.manifest.cases;
        let mut numbers: Vec<u16> = (0..cases.len() as u16).collect();
        numbers.sort_by_key(|number| &cases[usize::from(*number)].case);
        numbers
    }

    /// Begins samples.parquet, which may be derived again at any time.
    ///
    /// # Errors
    /// The disk's.
    pub fn samples_writer(&self) -> Result<SamplesWriter> {
        SamplesWriter::create(&self.path.join(SAMPLES), &self.manifest.tool_version)
    }

    /// Opens samples.parquet to read some triggers of it.
    ///
    /// # Errors
    /// It is not there, or not what its name says.
    pub fn samples(&self) -> Result<SamplesReader> {
        SamplesReader::open(&self.path.join(SAMPLES))
    }

    /// Opens interference.parquet likewise; `None` if no case has events.
    ///
    /// # Errors
    /// It is not what its name says.
    pub fn interference(&self) -> Result<Option<InterferenceReader>> {
        let path = self.path.join(INTERFERENCE);
        let is_file = fs::symlink_metadata(&path).is_ok_and(|found| found.is_file());
        is_file.then(|| InterferenceReader::open(&path)).transpose()
    }

    /// Begins interference.parquet, likewise.
    ///
    /// # Errors
    /// The disk's.
    pub fn interference_writer(&self) -> Result<InterferenceWriter> {
        let path = self.path.join(INTERFERENCE);
        InterferenceWriter::create(&path, &self.manifest.tool_version)
    }

    /// Begins bench.parquet, likewise.
    ///
    /// # Errors
    /// The disk's.
    pub fn bench_writer(&self) -> Result<BenchWriter> {
        BenchWriter::create(&self.path.join(BENCH), &self.manifest.tool_version)
    }

    /// Writes a derived file, atomically, and gives its path.
    ///
    /// # Errors
    /// The disk's; a folder of the name is a link to elsewhere.
    pub fn write(&self, name: &str, content: &[u8]) -> Result<PathBuf> {
        let path = self.path.join(name);
        folders(&self.path, Path::new(name))?;
        replace(&path, content)?;
        Ok(path)
    }
}
