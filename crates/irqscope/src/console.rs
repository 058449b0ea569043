// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The way of all words to standard output and standard error.
//!
//! Much of what is printed was said by a target, a peer or a file: the names of kernels, threads
//! and cases, the tails of logs. Control characters in it would speak to the terminal. The macros
//! here stand in for those of the standard library, so that no message goes another way.

use std::borrow::Cow;
use std::fmt::{Arguments, Write};
use std::io::IsTerminal;

use irqscope_report::SCREEN_WIDTH;

/// Returns whether a character does something else than to be shown: it controls a terminal, or
/// changes the order in which others are read.
fn is_command(c: char) -> bool {
    let turns =
        matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    (c.is_control() && !matches!(c, '\n' | '\t')) || turns
}

/// Escapes what would speak to a terminal, as JSON and TOML do, so that those stay what they are.
/// A carriage return at the end of a line is left out.
pub fn shown(text: &str) -> Cow<'_, str> {
    if !text.contains(is_command) {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len() + 16);
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        if c == '\r' && characters.peek() == Some(&'\n') {
            continue;
        }
        if is_command(c) {
            // Writing to a string does not fail.
            let _ = write!(plain, "\\u{:04x}", u32::from(c));
        } else {
            plain.push(c);
        }
    }
    Cow::Owned(plain)
}

pub fn to_stdout(words: Arguments<'_>) {
    std::print!("{}", shown(&words.to_string()));
}

pub fn to_stderr(words: Arguments<'_>) {
    std::eprint!("{}", shown(&words.to_string()));
}

/// Prints a line to standard output; one that says what was lost, or must not be used, with weight
/// where a terminal can show it.
pub fn line(text: &str, alarming: bool) {
    let is_shown = alarming && has_colours(std::io::stdout().is_terminal(), variable);
    std::println!("{}", weighted(text, is_shown));
}

fn weighted(text: &str, alarming: bool) -> Cow<'_, str> {
    match alarming {
        true => Cow::Owned(format!("\u{1b}[1;31m{}\u{1b}[0m", shown(text))),
        false => shown(text),
    }
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// Returns whether colours are wanted: by a terminal, where NO_COLOR is not set (no-color.org).
fn has_colours(is_terminal: bool, variable: impl Fn(&str) -> Option<String>) -> bool {
    let is_refused = variable("NO_COLOR").is_some_and(|value| !value.is_empty());
    is_terminal && !is_refused && variable("TERM").is_none_or(|term| term != "dumb")
}

/// Returns how many characters fit in a line of standard output: as many as its terminal has, or
/// those of the smallest one.
pub fn width() -> usize {
    let size = || ratatui::crossterm::terminal::size().ok();
    let columns = std::io::stdout().is_terminal().then(size).flatten();
    columns.map_or(SCREEN_WIDTH, |(columns, _)| usize::from(columns).max(40))
}

macro_rules! print {
    ($($words:tt)*) => { $crate::console::to_stdout(format_args!($($words)*)) };
}

macro_rules! println {
    () => { $crate::console::to_stdout(format_args!("\n")) };
    ($($words:tt)*) => { $crate::console::to_stdout(format_args!("{}\n", format_args!($($words)*))) };
}

macro_rules! eprintln {
    ($($words:tt)*) => { $crate::console::to_stderr(format_args!("{}\n", format_args!($($words)*))) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_is_printed_speaks_to_the_terminal() {
        assert_eq!(shown("\u{1b}]0;title\u{7}x"), "\\u001b]0;title\\u0007x");
        assert_eq!(shown("\u{9b}31m\u{7f}\u{8}"), "\\u009b31m\\u007f\\u0008");
        assert_eq!(shown("a\r\nb\rc\u{202e}"), "a\nb\\u000dc\\u202e");
    }

    #[test]
    fn plain_words_of_any_language_stay_as_they_are() {
        for text in ["a\tb\nc", "Größe ≥ 3 µs ✓", ""] {
            assert!(matches!(shown(text), Cow::Borrowed(_)));
        }
    }

    #[test]
    fn weight_is_for_terminals_that_want_it_and_says_nothing_else() {
        let none = |_: &str| None;
        let refused = |name: &str| (name == "NO_COLOR").then(|| "1".to_owned());
        let empty = |name: &str| (name == "NO_COLOR").then(String::new);
        let dumb = |name: &str| (name == "TERM").then(|| "dumb".to_owned());
        assert!(has_colours(true, none) && has_colours(true, empty));
        assert!(!has_colours(true, refused) && !has_colours(true, dumb));
        assert!(!has_colours(false, none));
        assert_eq!(weighted("a\u{1b}[0m", true), "\u{1b}[1;31ma\\u001b[0m\u{1b}[0m");
        assert_eq!(weighted("a", false), "a");
    }

    #[test]
    fn json_stays_the_same_json() {
        let value = serde_json::json!({ "name": "\u{1b}[31m\u{9b}\u{7f}\u{202e}" });
        let again: serde_json::Value = serde_json::from_str(&shown(&value.to_string())).unwrap();
        assert_eq!(again, value);
    }
}
