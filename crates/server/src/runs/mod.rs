// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Finished runs. A run is named by its directory's name, and nothing outside the
//! runs directory can be named.

mod files;
mod list;

use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use irqscope_analysis::{Summary, derive_figures};
use irqscope_report::Extras;
use irqscope_run::RunDir;

pub use files::{FileEntry, files, find};
pub use list::{RunEntry, list};

use crate::error::{DeriveError, RunsError};

type Result<T, E = RunsError> = std::result::Result<T, E>;

/// Without these two a directory is no run, and nothing is derived.
const MANIFEST: &str = "manifest.json";
const LOG: &str = "run.log";
const SUMMARY: &str = "summary.json";
const REPORT: &str = "report.html";

/// One at a time: it takes the disk and a CPU for a while.
static DERIVING: Mutex<()> = Mutex::new(());

/// Derives everything that follows from a run's log, as `irqscope run` makes it.
pub fn derive(run: &RunDir) -> Result<Summary, DeriveError> {
    let _one = DERIVING.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let (summary, figures) = derive_figures(run)?;
    irqscope_report::write_figures(run, &summary, figures, Extras::default())?;
    Ok(summary)
}

/// Returns the directory of a run by its name: a real directory directly below, whatever the name
/// says.
pub fn directory(runs: &Path, id: &str) -> Result<PathBuf> {
    let unknown = || RunsError::NoRun(shown(id));
    if !is_name(id) {
        return Err(unknown());
    }
    let path = runs.join(id);
    let is_directory = |found: Metadata| found.is_dir();
    match fs::symlink_metadata(&path).is_ok_and(is_directory) && is_file(&path.join(MANIFEST)) {
        true => Ok(path),
        false => Err(unknown()),
    }
}

/// Opens a run of which the files that are read are files.
pub fn open(runs: &Path, id: &str) -> Result<RunDir> {
    let path = directory(runs, id)?;
    if !is_file(&path.join(LOG)) {
        return Err(RunsError::NoLog);
    }
    Ok(RunDir::open(path)?)
}

/// Opens a run likewise, with everything derived that was not there yet.
pub fn complete(runs: &Path, id: &str) -> Result<RunDir> {
    let run = open(runs, id)?;
    if !is_derived(run.path()) {
        derive(&run)?;
    }
    Ok(run)
}

pub fn is_derived(run: &Path) -> bool {
    is_file(&run.join(SUMMARY)) && is_file(&run.join(REPORT))
}

/// Returns the text of manifest.json and of summary.json.
pub fn texts(run: &RunDir) -> Result<(String, String)> {
    let read = |name| {
        irqscope_run::read_own(&run.path().join(name))
            .map_err(|source| RunsError::Unread { name, source })
    };
    Ok((read(MANIFEST)?, read(SUMMARY)?))
}

/// Returns whether it is one step down, and not hidden.
fn is_name(id: &str) -> bool {
    !id.is_empty()
        && id.len() <= 255
        && !id.starts_with('.')
        && !id.contains(|c: char| matches!(c, '/' | '\\') || c.is_control())
}

/// Returns whether it is a file: no link, no device.
fn is_file(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|found| found.is_file())
}

/// Names come from outside: as much of them as is good to look at.
fn shown(id: &str) -> String {
    id.chars().filter(|c| !c.is_control()).take(80).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_step_down() {
        assert!(is_name("20260101T120000Z-demo") && is_name("a..b"));
        let long = "x".repeat(256);
        for bad in ["", ".", "..", ".git", "a/b", "../a", "a\\b", "a\0b", "a\nb", &long] {
            assert!(!is_name(bad), "{bad:?}");
        }
    }

    #[test]
    fn a_link_is_no_run() {
        let outside = tempfile::tempdir().unwrap();
        fs::write(outside.path().join(MANIFEST), "{}").unwrap();
        let runs = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink(outside.path(), runs.path().join("linked")).unwrap();
        assert!(directory(runs.path(), "linked").is_err());
        fs::create_dir(runs.path().join("real")).unwrap();
        assert!(directory(runs.path(), "real").is_err());
        fs::write(runs.path().join("real/manifest.json"), "{}").unwrap();
        assert!(directory(runs.path(), "real").is_ok());
    }
}
