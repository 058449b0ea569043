// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Quoting a text that may be of any length.

use std::borrow::Cow;

/// The most characters of a text that an error quotes.
pub const EXCERPT: usize = 200;

/// Returns the text, or its beginning and how long it is.
#[must_use]
pub fn excerpt(text: &str) -> Cow<'_, str> {
    shortened(text, EXCERPT)
}

/// Returns the text, or its first characters and how long it is.
#[must_use]
pub fn shortened(text: &str, most: usize) -> Cow<'_, str> {
    match text.char_indices().nth(most) {
        None => Cow::Borrowed(text),
        Some((end, _)) => {
            let all = text.len();
            Cow::Owned(format!("{}… ({all} bytes)", &text[..end]))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_text_is_quoted_whole_and_a_long_one_is_not() {
        let (short, long) = ("é".repeat(EXCERPT), "é".repeat(EXCERPT + 1));
        assert_eq!(excerpt(&short), short);
        assert_eq!(excerpt(&long), format!("{short}… (402 bytes)"));
    }
}
