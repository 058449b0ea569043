// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The format of a file, by its beginning.

use std::io::Read;
use std::path::Path;

use irqscope_run::open_regular;

use super::ImportFormat;
use crate::foreign::ForeignError;

/// Enough for every tool's head, and for the keys of its JSON.
const LOOKED_AT: u64 = 1 << 14;

pub fn detect(path: &Path) -> Result<ImportFormat, ForeignError> {
    let read = |source| ForeignError::Read { path: path.to_owned(), source };
    let mut head = Vec::new();
    open_regular(path).map_err(read)?.take(LOOKED_AT).read_to_end(&mut head).map_err(read)?;
    let unknown = |why: &str| ForeignError::Unrecognised { path: path.to_owned(), why: why.into() };
    if head.is_empty() {
        return Err(unknown("it is empty"));
    }
    if head.contains(&0) {
        return Ok(ImportFormat::JitterdebuggerSamples);
    }
    let text = String::from_utf8_lossy(&head);
    of_text(&text).ok_or_else(|| unknown("it begins like none of them"))
}

fn of_text(text: &str) -> Option<ImportFormat> {
    let has = |part: &str| text.contains(part);
    if text.trim_start().starts_with('{') {
        return match (has("\"rt_test_version:\""), has("\"cpus_online\"") || has("\"cpu\"")) {
            (true, _) => Some(ImportFormat::RtTests),
            (false, true) => Some(ImportFormat::Jitterdebugger),
            (false, false) => None,
        };
    }
    let begins = |part: &str| text.lines().any(|line| line.starts_with(part));
    if text.starts_with("case,") {
        Some(ImportFormat::Csv)
    } else if begins("# RTLA ") {
        Some(ImportFormat::Rtla)
    } else if begins("oslat V") || (has("Core:") && has("(us):")) {
        Some(ImportFormat::Oslat)
    } else if begins("# test started on:") || begins("# sampling period:") || begins("RTT|") {
        Some(ImportFormat::Latmus)
    } else if begins("# Histogram") || begins("T:") || text.lines().any(is_verbose) {
        Some(ImportFormat::Cyclictest)
    } else {
        None
    }
}

/// Recognises `       0:       0:      32`, of cyclictest.
pub fn is_verbose(line: &str) -> bool {
    let parts: Vec<&str> = line.split(':').map(str::trim).collect();
    parts.len() == 3 && parts.iter().all(|part| part.parse::<i64>().is_ok())
}
