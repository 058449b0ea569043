// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Kernel parameters that had no effect. A kernel hands those that it does not know, or whose value it
//! does not take, to its first process: `name=value` in the environment, words as arguments.

use crate::error::{Error, Result};

/// Names that every kernel gives its first process.
const ENVIRONMENT: [&str; 2] = ["HOME", "TERM"];
/// Known to the code that unpacks the kernel, and not to the kernel itself.
const UNPACKERS: [&str; 2] = ["nokaslr", "kaslr"];

/// Checks that the kernel took all its parameters; for the first process.
///
/// # Errors
/// It handed some of them on.
pub fn check() -> Result<()> {
    let text = |text: std::ffi::OsString| text.to_string_lossy().into_owned();
    let words = std::env::args_os().skip(1).map(text);
    let pairs = std::env::vars_os().map(|(name, value)| (text(name), text(value)));
    let left = handed_on(words, pairs);
    if left.is_empty() { Ok(()) } else { Err(Error::Parameters(left.join(" "))) }
}

fn handed_on(
    words: impl Iterator<Item = String>,
    pairs: impl Iterator<Item = (String, String)>,
) -> Vec<String> {
    let words = words.filter(|word| !UNPACKERS.contains(&word.as_str()));
    let pairs = pairs.filter(|(name, _)| !ENVIRONMENT.contains(&name.as_str()));
    words.chain(pairs.map(|(name, value)| format!("{name}={value}"))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_kernel_hands_on_by_itself_had_no_effect() {
        let words = |all: &[&str]| all.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        let pairs = |all: &[(&str, &str)]| {
            all.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect::<Vec<_>>()
        };
        let usual = pairs(&[("HOME", "/"), ("TERM", "linux")]);
        let left = handed_on(words(&["nokaslr"]).into_iter(), usual.into_iter());
        assert!(left.is_empty(), "{left:?}");
        let pairs = pairs(&[("HOME", "/"), ("preempt", "lazy"), ("TERM", "linux")]);
        let left = handed_on(words(&["threadirq", "nokaslr"]).into_iter(), pairs.into_iter());
        assert_eq!(left, ["threadirq", "preempt=lazy"]);
    }
}
