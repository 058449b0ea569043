// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A kernel's command line, as rules ask about it.

/// Returns whether a parameter is there, with a value or without; never where no parameter is named.
pub(crate) fn has_parameter(cmdline: &str, parameter: &str) -> bool {
    let name = |word: &str| word.split('=').next() == Some(parameter);
    !parameter.is_empty() && cmdline.split_whitespace().any(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parameter_is_there_with_a_value_or_without() {
        let has = |parameter| has_parameter("quiet  nohz_full=1 mce=ignore_ce=2", parameter);
        assert!(has("quiet") && has("nohz_full") && has("mce"));
        assert!(!has("nohz") && !has("full") && !has("") && !has("ignore_ce"));
        assert!(!has_parameter("", "quiet") && !has_parameter("", ""));
    }
}
