// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Tables of text, for a terminal: every column as wide as its widest cell is there.

use unicode_width::UnicodeWidthStr;

/// The kind of a column's cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Column {
    /// They begin below each other.
    Words,
    /// They end below each other.
    Numbers,
}

impl Column {
    /// The columns of a table of figures: the name, the case, and numbers.
    pub const FIGURES: &[Self] = &[Self::Words, Self::Words, Self::Numbers];
}

/// Formats rows, two spaces between their columns. The last of `columns` stands for all that
/// follow.
pub fn aligned<R: AsRef<[String]>>(rows: &[R], columns: &[Column]) -> String {
    let mut widths: Vec<usize> = Vec::new();
    for row in rows {
        let row = row.as_ref();
        widths.resize(widths.len().max(row.len()), 0);
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = cell.width().max(*width);
        }
    }
    let columns = columns.iter().chain(std::iter::repeat_n(
        columns.last().unwrap_or(&Column::Words),
        widths.len().saturating_sub(columns.len()),
    ));
    let columns: Vec<(&Column, usize)> = columns.zip(widths).collect();
    let line = |row: &R| {
        let cells = row.as_ref().iter().zip(&columns).map(|(cell, (column, width))| {
            let room = " ".repeat(width.saturating_sub(cell.width()));
            match column {
                Column::Words => format!("{cell}{room}"),
                Column::Numbers => format!("{room}{cell}"),
            }
        });
        format!("{}\n", cells.collect::<Vec<_>>().join("  ").trim_end())
    };
    rows.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_begin_and_numbers_end_below_each_other() {
        let rows = [["stage", "case", "p50", "max"], ["irq", "6.1/idle", "1.13", "12.00"]];
        let text = aligned(&rows.map(|row| row.map(str::to_owned)), Column::FIGURES);
        assert_eq!(text, "stage  case       p50    max\nirq    6.1/idle  1.13  12.00\n");
    }

    #[test]
    fn a_cell_is_as_wide_as_a_terminal_shows_it() {
        let rows = [["割り込み", "1"], ["µ", "2"], ["e\u{301}", "3"]];
        let text =
            aligned(&rows.map(|row| row.map(str::to_owned)), &[Column::Words, Column::Numbers]);
        assert_eq!(text, "割り込み  1\nµ         2\ne\u{301}         3\n");
    }

    #[test]
    fn rows_may_be_shorter_and_nothing_stands_behind_the_last_cell() {
        let rows = [vec!["a".to_owned(), "b".to_owned()], vec!["long".to_owned()]];
        assert_eq!(aligned(&rows, &[Column::Words]), "a     b\nlong\n");
        assert_eq!(aligned::<Vec<String>>(&[], &[]), "");
    }
}
