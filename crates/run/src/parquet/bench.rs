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
//! | seq        | u64              | number of the sample in its series, from 0 |
//! | at_ns      | i64              | when it was due or began, CLOCK_MONOTONIC |
//! | value_ns   | i64              | what was measured                         |
//!
//! The bytes depend on the rows and the tool's version only.

use std::path::{Path, PathBuf};

use parquet::data_type::{ByteArray, ByteArrayType, Int32Type, Int64Type};
use parquet::errors::ParquetError;

use super::table::{GROUP_ROWS, Group, Table, column, values};
use crate::{BenchRow, BenchmarkData, Result};

const SCHEMA: &str = "message bench {
    required binary case (string);
    required binary benchmark (string);
    required binary variant (string);
    required binary series (string);
    optional int32 cpu (integer(16, false));
    required int64 seq (integer(64, false));
    required int64 at_ns;
    required int64 value_ns;
}";

/// Writes to a temporary file that takes its name when it is complete.
pub struct BenchWriter(Table);

impl BenchWriter {
    pub(crate) fn create(path: &Path, tool_version: &str) -> Result<Self> {
        Table::create(path, SCHEMA, tool_version).map(Self)
    }

    /// Adds all series of one benchmark.
    pub fn write(&mut self, case: &str, benchmark: &BenchmarkData) -> Result<()> {
        for series in &benchmark.series {
            let head = Head {
                texts: [case, benchmark.kind.name(), &benchmark.variant, &series.name]
                    .map(ByteArray::from),
                cpu: series.cpu,
            };
            for rows in series.rows.chunks(GROUP_ROWS) {
                self.0.group(|group| fill(group, &head, rows))?;
            }
        }
        Ok(())
    }

    pub fn finish(self) -> Result<PathBuf> {
        self.0.finish()
    }
}

/// What all rows of a series share.
struct Head {
    texts: [ByteArray; 4],
    cpu: Option<u16>,
}

fn fill(group: &mut Group<'_>, head: &Head, rows: &[BenchRow]) -> Result<(), ParquetError> {
    for text in &head.texts {
        column::<ByteArrayType>(group, &vec![text.clone(); rows.len()], None)?;
    }
    let cpu = head.cpu.map_or_else(Vec::new, |cpu| vec![i32::from(cpu); rows.len()]);
    let known = vec![i16::from(head.cpu.is_some()); rows.len()];
    column::<Int32Type>(group, &cpu, Some(&known))?;
    column::<Int64Type>(group, &values(rows, |row| row.seq as i64), None)?;
    column::<Int64Type>(group, &values(rows, |row| row.at.0), None)?;
    column::<Int64Type>(group, &values(rows, |row| row.value.0), None)
}
