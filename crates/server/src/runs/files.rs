// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The files of a run that can be fetched: those that are there, and no others.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::Result;
use crate::error::RunsError;

/// Directories of figures and consoles; nothing lies deeper.
const DEPTH: usize = 2;
/// Directory listings end somewhere.
const MOST: usize = 10_000;

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FileEntry {
    /// Below the run directory, with `/`.
    pub name: String,
    pub bytes: u64,
    pub media_type: &'static str,
    pub url: String,
}

/// Lists all regular files of a run; links are left out, wherever they lead.
pub fn files(id: &str, run: &Path) -> Vec<FileEntry> {
    let mut found = Vec::new();
    collect(run, "", DEPTH, &mut found);
    found.sort();
    let entry = |(name, bytes): (String, u64)| FileEntry {
        url: format!("/api/runs/{}/files/{}", escaped(id), escaped(&name)),
        media_type: media_type(&name),
        bytes,
        name,
    };
    found.into_iter().map(entry).collect()
}

fn collect(dir: &Path, prefix: &str, depth: usize, found: &mut Vec<(String, u64)>) {
    let Ok(entries) = fs::read_dir(dir) else { return };
    for entry in entries.flatten().take(MOST) {
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        // Of the entry itself: a link is neither.
        match entry.metadata() {
            Ok(data) if data.is_file() => found.push((name, data.len())),
            Ok(data) if data.is_dir() && depth > 1 => {
                collect(&entry.path(), &format!("{name}/"), depth - 1, found);
            }
            _ => {}
        }
    }
}

/// Returns the path of a file that the listing has.
pub fn find(id: &str, run: &Path, name: &str) -> Result<(PathBuf, FileEntry)> {
    let entry = files(id, run).into_iter().find(|entry| entry.name == name);
    let found = entry.map(|entry| (run.join(&entry.name), entry));
    found.ok_or_else(|| RunsError::NoFile(super::shown(name)))
}

fn media_type(name: &str) -> &'static str {
    match name.rsplit_once('.').map(|(_, ending)| ending) {
        Some("parquet") => "application/vnd.apache.parquet",
        Some("json") => "application/json",
        Some("html") => "text/html; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("log") if name != super::LOG => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

/// Escapes text as a part of a URL's path; slashes stay.
fn escaped(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    let escape = |byte: u8| match plain(byte) {
        true => char::from(byte).to_string(),
        false => format!("%{byte:02X}"),
    };
    text.bytes().map(escape).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_listed_is_found() {
        let run = tempfile::tempdir().unwrap();
        fs::create_dir_all(run.path().join("figures/deep")).unwrap();
        for name in ["summary.json", "figures/a b.svg", "figures/deep/x"] {
            fs::write(run.path().join(name), "12").unwrap();
        }
        std::os::unix::fs::symlink("/etc/passwd", run.path().join("passwd")).unwrap();
        let names: Vec<_> = files("r", run.path()).into_iter().map(|one| one.name).collect();
        assert_eq!(names, ["figures/a b.svg", "summary.json"]);
        assert_eq!(files("r", run.path())[0].url, "/api/runs/r/files/figures/a%20b.svg");
        for bad in ["passwd", "../summary.json", "figures/../summary.json", "/etc/passwd", ""] {
            assert!(find("r", run.path(), bad).is_err(), "{bad}");
        }
        assert_eq!(find("r", run.path(), "summary.json").unwrap().1.bytes, 2);
    }
}
