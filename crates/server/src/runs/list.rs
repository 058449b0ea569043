// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The list of the runs directory.

use std::fs;
use std::path::Path;

use irqscope_run::RunDir;
use serde::Serialize;

use super::{LOG, directory, is_derived};
use crate::error::Trouble;

/// The greatest number of runs that are listed, the newest.
const MOST: usize = 1000;

#[derive(Clone, Debug, Serialize)]
pub struct RunEntry {
    pub id: String,
    pub scenario: Option<String>,
    pub rig: Option<String>,
    pub tool_version: Option<String>,
    pub started_utc: Option<String>,
    pub finished_utc: Option<String>,
    pub complete: Option<bool>,
    pub under_way: bool,
    pub derived: bool,
    pub log_bytes: u64,
    pub cases: Vec<String>,
    /// Why it cannot be read.
    pub error: Option<Trouble>,
}

/// Lists runs, the newest first.
pub fn list(runs: &Path, under_way: Option<&str>) -> Vec<RunEntry> {
    let entries = fs::read_dir(runs).into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let mut all: Vec<RunEntry> = names.filter_map(|id| one(runs, id, under_way)).collect();
    // Names of equal instants decide.
    all.sort_by(|a, b| (&b.started_utc, &b.id).cmp(&(&a.started_utc, &a.id)));
    all.truncate(MOST);
    all
}

fn one(runs: &Path, id: String, under_way: Option<&str>) -> Option<RunEntry> {
    let path = directory(runs, &id).ok()?;
    let log_bytes = fs::symlink_metadata(path.join(LOG)).map_or(0, |found| found.len());
    let opened = RunDir::open(&path);
    let manifest = opened.as_ref().ok().map(RunDir::manifest);
    Some(RunEntry {
        under_way: under_way == Some(id.as_str()),
        derived: is_derived(&path),
        scenario: manifest.map(|it| it.scenario.clone()),
        rig: manifest.map(|it| it.rig.clone()),
        tool_version: manifest.map(|it| it.tool_version.clone()),
        started_utc: manifest.map(|it| it.started_utc.clone()),
        finished_utc: manifest.and_then(|it| it.finished_utc.clone()),
        complete: manifest.map(|it| it.complete),
        cases: manifest
            .map_or_else(Vec::new, |it| it.cases.iter().map(|case| case.case.clone()).collect()),
        log_bytes,
        error: opened.as_ref().err().map(Trouble::of),
        id,
    })
}
