// SPDX-License-Identifier: Apache-2.0 OR MIT
//! bench.parquet: one row per sample of a benchmark, in order of case
//! (bytewise), of the benchmarks in their plan, of their series and of seq.
//!
//! | column     | type             |                                           |
//! | ---------- | ---------------- | ----------------------------------------- |
//! | case       | string           | `kernel/state`                            |
//! | benchmark  | string           | `sched`, `gtod`, ...                      |
//! | variant    | string           | a clock, a way to wake, a policy          |
//! | series     | string           | a thread or CPU (`cpu1`), or an instant   |
//! | cpu        | u16, nullable    | where its thread was pinned               |
//! | seq        | u64, nullable    | number of the sample in its series, from 0; null in an imported histogram |
//! | at_ns      | i64, nullable    | when it was due or began, CLOCK_MONOTONIC; null where an imported file has no instants |
//! | value_ns   | i64              | what was measured; where a bin of an imported histogram begins |
//! | count      | u64              | 1; how many samples such a bin has        |
//!
//! The bytes depend on the rows and the tool's version only.

use std::path::{Path, PathBuf};

use irqscope_wire::{Nanoseconds, ValueCount};
use parquet::data_type::{ByteArray, Int32Type, Int64Type};
use parquet::errors::ParquetError;

use super::columns::Group;
use super::table::{GROUP_ROWS, Rows, Table};
use crate::{BenchRow, BenchSeries, BenchmarkData, Result};

/// Writes to a temporary file that takes its name when it is complete.
pub struct BenchWriter {
    table: Table<Lines>,
    head: Head,
    /// Of this series, and not yet a group: where groups end depends on the rows
    /// only, and not on the pieces they come in.
    pending: Vec<Line>,
}

impl BenchWriter {
    pub(crate) fn create(path: &Path, tool_version: &str) -> Result<Self> {
        let table = Table::create(path, tool_version)?;
        Ok(Self { table, head: Head::default(), pending: Vec::new() })
    }

    /// Adds rows of one series, in order; may be called again for the same one.
    ///
    /// # Errors
    /// The disk's.
    pub fn write(
        &mut self,
        case: &str,
        benchmark: &BenchmarkData,
        series: &BenchSeries,
        rows: &[BenchRow],
    ) -> Result<()> {
        self.add(Head::new(case, benchmark, series), rows.iter().map(Line::from))
    }

    /// Adds the bins of one imported series.
    ///
    /// # Errors
    /// The disk's.
    pub fn write_counted(
        &mut self,
        case: &str,
        benchmark: &BenchmarkData,
        series: &BenchSeries,
    ) -> Result<()> {
        self.add(Head::new(case, benchmark, series), series.counted.iter().map(Line::from))
    }

    fn add(&mut self, head: Head, lines: impl Iterator<Item = Line>) -> Result<()> {
        if self.head != head {
            self.flush()?;
            self.head = head;
        }
        for line in lines {
            self.pending.push(line);
            if self.pending.len() == GROUP_ROWS {
                self.flush()?;
            }
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<()> {
        if self.pending.is_empty() {
            return Ok(());
        }
        let lines = std::mem::take(&mut self.pending);
        self.table.group(Lines { head: self.head.clone(), lines })
    }

    /// Ends the file; returns its path.
    ///
    /// # Errors
    /// The disk's.
    pub fn finish(mut self) -> Result<PathBuf> {
        self.flush()?;
        self.table.finish()
    }
}

/// Columns that all rows of a series share.
#[derive(Clone, Debug, Default, PartialEq)]
struct Head {
    texts: [ByteArray; 4],
    cpu: Option<u16>,
}

impl Head {
    fn new(case: &str, benchmark: &BenchmarkData, series: &BenchSeries) -> Self {
        let texts = [case, benchmark.kind.name(), &benchmark.variant, &series.name];
        Self { texts: texts.map(ByteArray::from), cpu: series.cpu }
    }
}

/// One row of the file.
struct Line {
    seq: Option<u64>,
    at: Option<Nanoseconds>,
    value: Nanoseconds,
    count: u64,
}

impl From<&BenchRow> for Line {
    fn from(row: &BenchRow) -> Self {
        Self { seq: Some(row.seq), at: row.at, value: row.value, count: 1 }
    }
}

impl From<&ValueCount> for Line {
    fn from(bin: &ValueCount) -> Self {
        Self { seq: None, at: None, value: bin.value, count: bin.count }
    }
}

/// Of one series.
struct Lines {
    head: Head,
    lines: Vec<Line>,
}

impl Rows for Lines {
    const SCHEMA: &str = "message bench {
    required binary case (string);
    required binary benchmark (string);
    required binary variant (string);
    required binary series (string);
    optional int32 cpu (integer(16, false));
    optional int64 seq (integer(64, false));
    optional int64 at_ns;
    required int64 value_ns;
    required int64 count (integer(64, false));
}";
    const ASCENDING: &[&str] = &["seq", "at_ns"];

    fn count(&self) -> usize {
        self.lines.len()
    }

    fn fill(&self, group: &mut Group<'_>) -> Result<(), ParquetError> {
        let Self { head, lines } = self;
        head.texts.iter().try_for_each(|text| group.text(text))?;
        let cpu = head.cpu.map(i32::from);
        group.optional::<Int32Type>(lines.iter().map(|_| cpu))?;
        group.optional::<Int64Type>(lines.iter().map(|line| line.seq.map(u64::cast_signed)))?;
        group.optional::<Int64Type>(lines.iter().map(|line| line.at.map(|at| at.0)))?;
        group.values::<Int64Type>(lines.iter().map(|line| line.value.0))?;
        group.values::<Int64Type>(lines.iter().map(|line| line.count.cast_signed()))
    }
}
