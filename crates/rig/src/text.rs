// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Words for programs, and quoting what they printed.

/// Splits a line into its words.
pub(crate) fn words(line: &str) -> Vec<String> {
    line.split_whitespace().map(str::to_owned).collect()
}

/// Returns the last `count` lines of a text, indented.
pub(crate) fn last_lines(text: &str, count: usize) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let from = lines.len().saturating_sub(count);
    lines[from..].iter().map(|line| format!("    {line}\n")).collect()
}

/// Adds what a program said, if it said anything.
pub(crate) fn with_output(what: String, said: &str) -> String {
    match said.trim() {
        "" => what,
        said => format!("{what}:\n{}", last_lines(said, 8)),
    }
}
