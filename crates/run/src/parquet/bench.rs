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
use parquet::data_type::{ByteArray, ByteArrayType, Int32Type, Int64Type};
use parquet::errors::ParquetError;

use super::table::{GROUP_ROWS, Group, Table, column, values};
use crate::{BenchRow, BenchSeries, BenchmarkData, Result};

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

/// Writes to a temporary file that takes its name when it is complete.
pub struct BenchWriter {
    table: Table,
    head: Head,
    /// Of this series, and not yet a group: where groups end depends on the rows
    /// only, and not on the pieces they come in.
    pending: Vec<Line>,
}

impl BenchWriter {
    pub(crate) fn create(path: &Path, tool_version: &str) -> Result<Self> {
        let table = Table::create(path, SCHEMA, tool_version)?;
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
        self.table.group(|group| fill(group, &self.head, &self.pending))?;
        self.pending.clear();
        Ok(())
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

fn fill(group: &mut Group<'_>, head: &Head, rows: &[Line]) -> Result<(), ParquetError> {
    for text in &head.texts {
        column::<ByteArrayType>(group, &vec![text.clone(); rows.len()], None)?;
    }
    let cpu = head.cpu.map_or_else(Vec::new, |cpu| vec![i32::from(cpu); rows.len()]);
    let known = vec![i16::from(head.cpu.is_some()); rows.len()];
    column::<Int32Type>(group, &cpu, Some(&known))?;
    nullable(group, rows, |row| row.seq.map(u64::cast_signed))?;
    nullable(group, rows, |row| row.at.map(|at| at.0))?;
    column::<Int64Type>(group, &values(rows, |row| row.value.0), None)?;
    column::<Int64Type>(group, &values(rows, |row| row.count.cast_signed()), None)
}

fn nullable(
    group: &mut Group<'_>,
    rows: &[Line],
    value: impl Fn(&Line) -> Option<i64>,
) -> Result<(), ParquetError> {
    let known = values(rows, |row| i16::from(value(row).is_some()));
    let all: Vec<i64> = rows.iter().filter_map(value).collect();
    column::<Int64Type>(group, &all, Some(&known))
}
