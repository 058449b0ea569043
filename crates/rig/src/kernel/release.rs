// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A kernel's release, `6.1.0-56-rt-amd64`: a word that becomes part of paths, wherever
//! it comes from.

use std::fmt;
use std::ops::Deref;

use crate::error::{Result, RigError};

/// The kernel's own limit of `uname -r`, with its terminating zero.
const LONGEST: usize = 64;

/// A kernel's release that is a plain word, and hence may stand in a path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Release(String);

impl Release {
    /// Checks a release that `source` says.
    ///
    /// # Errors
    /// It has other characters than a release, leads out of a directory, or is too long.
    pub fn new(text: &str, source: &str) -> Result<Self> {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._+-~".contains(&byte);
        let is_release = (1..=LONGEST).contains(&text.len())
            && text.bytes().all(is_plain)
            && !text.starts_with(['.', '-'])
            && !text.contains("..");
        if is_release {
            return Ok(Self(text.to_owned()));
        }
        let begun: String = text.chars().take(LONGEST).collect();
        Err(RigError::unready(
            format!("{source} says {begun:?}, which is no release of a kernel"),
            format!(
                "boot a kernel whose `uname -r` has at most {LONGEST} letters, digits and . _ + \
                 - ~, or distrust the machine"
            ),
        ))
    }
}

/// Returns the version of a release, `(6, 1)` of `6.1.0-56-rt-amd64`; 0 where there is no number.
pub fn kernel_version(release: &str) -> (u32, u32) {
    let mut numbers = release.split(['.', '-', '+']).map(|part| part.parse().unwrap_or(0));
    (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0))
}

impl Deref for Release {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_of_kernels_are_plain_words() {
        let longest = "6".repeat(LONGEST);
        for good in ["6.1.0-56-rt-amd64", "6.12.0-rc3+", "5.15.0-1~exp1_x", longest.as_str()] {
            assert_eq!(&*Release::new(good, "board").unwrap(), good);
        }
    }

    #[test]
    fn nothing_that_leaves_a_directory_or_speaks_to_a_terminal_is_a_release() {
        let long = "6".repeat(3_000_000);
        for bad in
            ["", "../../pwned/x", "6..1", "/etc", ".6", "-6", "6 1", "6\u{1b}]0;x\u{7}", &long]
        {
            let error = Release::new(bad, "board").unwrap_err().to_string();
            assert!(error.starts_with("board says") && error.len() < 400, "{error}");
            assert!(!error.contains('\u{1b}'), "{error}");
        }
    }
}
