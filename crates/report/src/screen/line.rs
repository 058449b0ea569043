// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Lines of a screen, which are no longer than it is wide.

/// One line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The words.
    pub text: String,
    /// It says that something was lost or must not be used, and may be shown with weight.
    pub alarming: bool,
}

impl Line {
    pub(super) fn plain(text: impl Into<String>) -> Self {
        Self { text: text.into(), alarming: false }
    }

    /// Breaks a text between words; all lines but the first are indented. A word that is longer than
    /// a line has one of its own.
    pub(super) fn wrapped(text: &str, width: usize, indent: usize, alarming: bool) -> Vec<Self> {
        let room = " ".repeat(indent);
        let mut lines = Vec::new();
        let mut line = String::new();
        for word in text.split(' ') {
            let is_begun = !line.trim().is_empty();
            if is_begun && length(&line) + 1 + length(word) > width {
                let next = std::mem::replace(&mut line, format!("{room}{word}"));
                lines.push(next.trim_end().to_owned());
            } else {
                if is_begun {
                    line.push(' ');
                }
                line.push_str(word);
            }
        }
        lines.push(line);
        lines.into_iter().map(|text| Self { text, alarming }).collect()
    }

    /// Cuts a text that is too long for one line, and shows that it goes on.
    pub(super) fn cut(text: &str, width: usize) -> String {
        if length(text) <= width {
            return text.to_owned();
        }
        let kept: String = text.chars().take(width.saturating_sub(1)).collect();
        format!("{}…", kept.trim_end())
    }
}

fn length(text: &str) -> usize {
    text.chars().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_broken_between_words_and_a_long_word_stays_whole() {
        let lines = Line::wrapped("warning: one two /a/very/long/path end", 14, 2, true);
        let texts: Vec<&str> = lines.iter().map(|line| line.text.as_str()).collect();
        assert_eq!(texts, ["warning: one", "  two", "  /a/very/long/path", "  end"]);
        assert!(lines.iter().all(|line| line.alarming));
    }

    #[test]
    fn what_is_cut_shows_that_it_goes_on() {
        assert_eq!(Line::cut("interrupts disabled", 12), "interrupts…");
        assert_eq!(Line::cut("µs", 2), "µs");
    }
}
