// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Names of runs that were given none.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Formats an instant as RFC 3339 in UTC, to the second.
pub fn utc(instant: SystemTime) -> String {
    humantime::format_rfc3339_seconds(instant).to_string()
}

/// Returns a path below `parent` that does not exist yet: `20260131T125959Z-demo`, and `…-demo-2`,
/// `…-demo-3` when that is taken.
///
/// Two processes may be handed the same path in the same second;
/// [`RunDir::create`](crate::RunDir::create) lets only one of them have it.
pub fn fresh_name(parent: &Path, scenario: &str, now: SystemTime) -> PathBuf {
    let stamp: String = utc(now).chars().filter(|c| !matches!(c, '-' | ':')).collect();
    let stem = format!("{stamp}-{}", file_name(scenario));
    let mut path = parent.join(&stem);
    let mut number = 2u32;
    while path.symlink_metadata().is_ok() {
        path = parent.join(format!("{stem}-{number}"));
        number += 1;
    }
    path
}

/// Returns the file's stem: a scenario may be given as a path; without anything that a file name
/// should not hold.
fn file_name(scenario: &str) -> String {
    let stem = Path::new(scenario).file_stem().unwrap_or_default().to_string_lossy();
    stem.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, UNIX_EPOCH};

    #[test]
    fn a_taken_name_gets_the_next_number() {
        let parent = tempfile::tempdir().unwrap();
        let now = UNIX_EPOCH + Duration::from_secs(1_769_864_399);
        let mut names = Vec::new();
        for _ in 0..3 {
            let path = fresh_name(parent.path(), "scenarios/demo.toml", now);
            std::fs::create_dir(&path).unwrap();
            names.push(path.file_name().unwrap().to_string_lossy().into_owned());
        }
        let stem = "20260131T125959Z-demo";
        assert_eq!(names, [stem.to_owned(), format!("{stem}-2"), format!("{stem}-3")]);
    }
}
