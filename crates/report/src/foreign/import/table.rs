// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Histograms as text: a line for each bin, a column for each thread or CPU.

use super::number;
use super::sink::Sink;
use crate::foreign::ForeignError;

/// Of cells that are not 0, each 16 bytes: what is more is no histogram of a
/// measurement.
const MOST_CELLS: usize = 8_000_000;

/// Bins of several columns while they are read.
#[derive(Debug, Default)]
pub struct Table {
    pub columns: Vec<Vec<(i64, u64)>>,
    last: Option<i64>,
    cells: usize,
}

impl Table {
    /// Adds a bin that begins at this number of nanoseconds.
    pub fn add<'a>(
        &mut self,
        begin: i64,
        counts: impl Iterator<Item = &'a str>,
    ) -> Result<(), String> {
        if self.last.is_some_and(|last| last >= begin) {
            return Err("the bins do not ascend: are there two recordings in one file?".into());
        }
        let counts = counts.map(number::count).collect::<Result<Vec<_>, _>>()?;
        if self.last.is_none() {
            self.columns.resize(counts.len(), Vec::new());
        }
        if counts.len() != self.columns.len() {
            let known = self.columns.len();
            return Err(format!("has {} columns, the lines before it {known}", counts.len()));
        }
        for (column, count) in self.columns.iter_mut().zip(counts).filter(|(_, count)| *count > 0) {
            column.push((begin, count));
            self.cells += 1;
        }
        if self.cells > MOST_CELLS {
            return Err(format!("there are more than {MOST_CELLS} bins with samples"));
        }
        self.last = Some(begin);
        Ok(())
    }

    /// Returns the least bin that has samples.
    pub fn least(&self) -> Option<i64> {
        self.columns.iter().filter_map(|column| Some(column.first()?.0)).min()
    }

    /// Returns where the last bin ends, if it is one unit wide.
    pub fn end(&self, unit: i64) -> i64 {
        self.last.map_or(0, |last| last.saturating_add(unit))
    }

    pub fn is_empty(&self) -> bool {
        self.last.is_none()
    }

    /// Sums the samples of one column; none if there are more than can be counted.
    pub fn sum(&self, column: usize) -> Option<u64> {
        let counts = self.columns.get(column)?.iter();
        counts.map(|(_, count)| *count).try_fold(0u64, u64::checked_add)
    }

    /// Hands columns over as the series from `first` on.
    pub fn hand_over(&self, sink: &mut dyn Sink, first: usize) -> Result<(), ForeignError> {
        for (series, column) in self.columns.iter().enumerate() {
            column
                .iter()
                .try_for_each(|(begin, count)| sink.bin(first + series, *begin, *count))?;
        }
        Ok(())
    }

    /// Returns the greatest number that every bin's beginning is a multiple of: where empty bins
    /// are left out, no bin is wider.
    pub fn step(&self) -> i64 {
        let begins = self.columns.iter().flatten().map(|(begin, _)| *begin);
        begins.fold(0, greatest_divisor)
    }
}

fn greatest_divisor(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { greatest_divisor(b, a % b) }
}
