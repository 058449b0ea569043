// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Errors of a run directory: what was tried, and how to mend it.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// Errors of a run directory.
#[allow(missing_docs, reason = "each message names its fields")]
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    #[error("{} exists already and nothing is overwritten; name another directory with --out", .path.display())]
    Exists { path: PathBuf },

    #[error(
        "cannot {action} {}: the disk is full; free some space or choose another disk with --out (what was logged before stays readable: irqscope report)",
        .path.display()
    )]
    DiskFull { action: &'static str, path: PathBuf, source: io::Error },

    #[error("cannot {action} {}: {source}{}", .path.display(), remedy(.source))]
    Io { action: &'static str, path: PathBuf, source: io::Error },

    #[error(
        "{} is a link or a file where a run has a folder: remove it. Nothing was written through it",
        .path.display()
    )]
    NotAFolder { path: PathBuf },

    #[error("{} is not a run directory: it has no manifest.json; give the directory that `irqscope run` named", .path.display())]
    NotARun { path: PathBuf },

    #[error("{} cannot be read as a manifest: {source}; restore the file or repeat the run", .path.display())]
    Manifest { path: PathBuf, source: serde_json::Error },

    #[error(
        "{} has version {found} and this irqscope reads up to {known}; use the irqscope that wrote it, or a newer one",
        .path.display()
    )]
    Version { path: PathBuf, found: u32, known: u32 },

    #[error("{} is not a run log (its first bytes are not irqscope's); give an undamaged run directory", .path.display())]
    NotALog { path: PathBuf },

    #[error("{} was opened for reading; only the process that created a run appends to its log", .path.display())]
    ReadOnly { path: PathBuf },

    #[error(
        "a frame of {bytes} bytes is longer than the log takes; the sender does not speak this protocol"
    )]
    Oversized { bytes: usize },

    #[error(
        "the run has no case number {index}, only {count}; name every case in the manifest's draft"
    )]
    NoCase { index: u16, count: usize },

    #[error("cannot write {}: {source}; check its disk, then derive it again: irqscope report", .path.display())]
    Parquet { path: PathBuf, source: ::parquet::errors::ParquetError },
}

impl RunError {
    /// Sorts an I/O error by what can be done about it.
    pub fn io(action: &'static str, path: &Path, source: io::Error) -> Self {
        let path = path.to_owned();
        match source.kind() {
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
                Self::DiskFull { action, path, source }
            }
            _ => Self::Io { action, path, source },
        }
    }
}

fn remedy(error: &io::Error) -> &'static str {
    match error.kind() {
        ErrorKind::PermissionDenied => "; choose a directory that you may write to with --out",
        ErrorKind::NotFound => "; check the path",
        ErrorKind::ReadOnlyFilesystem => "; choose a writable disk with --out",
        _ => "",
    }
}
