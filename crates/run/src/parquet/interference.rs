// SPDX-License-Identifier: Apache-2.0 OR MIT
//! interference.parquet: what the latencies of a run with events consist of, one
//! row per segment, in order of case (bytewise), sequence number, stage and part.
//!
//! | column    | type   |                                                   |
//! | --------- | ------ | ------------------------------------------------- |
//! | case      | string | `kernel/state`                                    |
//! | seq       | u64    | number of the trigger, from 0                     |
//! | stage     | string |                                                   |
//! | view      | string | whose latency it is a part of                     |
//! | part      | u32    | number of the segment in its latency, from 0      |
//! | start_ns  | i64    | since the trigger                                 |
//! | length_ns | i64    | those of a latency sum up to it                   |
//! | cause     | string | `own path`, `interrupts disabled`, ...            |
//! | name      | string | a function, an interrupt, a thread; may be empty  |
//! | detail    | string | callers, a priority; may be empty                 |
//!
//! The bytes depend on the rows and the tool's version only.

use std::path::{Path, PathBuf};

use irqscope_wire::{Nanoseconds, Stage, View};
use parquet::data_type::{ByteArray, ByteArrayType, Int32Type, Int64Type};
use parquet::errors::ParquetError;

use super::table::{GROUP_ROWS, Group, Table, column, texts, values};
use crate::Result;

const SCHEMA: &str = "message interference {
    required binary case (string);
    required int64 seq (integer(64, false));
    required binary stage (string);
    required binary view (string);
    required int32 part (integer(32, false));
    required int64 start_ns;
    required int64 length_ns;
    required binary cause (string);
    required binary name (string);
    required binary detail (string);
}";

/// Part of a latency with one cause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InterferenceRow<'a> {
    /// The trigger's number.
    pub seq: u64,
    /// The stage.
    pub stage: Stage,
    /// Its place among the latency's segments.
    pub part: u32,
    /// From the trigger to its beginning.
    pub start: Nanoseconds,
    /// Its length.
    pub length: Nanoseconds,
    /// The kind of cause.
    pub cause: &'a str,
    /// The code or thread behind it.
    pub name: &'a str,
    /// More about it.
    pub detail: &'a str,
}

/// Writes to a temporary file that takes its name when it is complete.
pub struct InterferenceWriter(Table);

impl InterferenceWriter {
    pub(crate) fn create(path: &Path, tool_version: &str) -> Result<Self> {
        Table::create(path, SCHEMA, tool_version).map(Self)
    }

    /// Adds all rows of one case, in order.
    ///
    /// # Errors
    /// The disk's.
    pub fn write(&mut self, case: &str, view: View, rows: &[InterferenceRow<'_>]) -> Result<()> {
        let head = [case, view.name()].map(ByteArray::from);
        rows.chunks(GROUP_ROWS).try_for_each(|rows| self.0.group(|group| fill(group, &head, rows)))
    }

    /// Ends the file; returns its path.
    ///
    /// # Errors
    /// The disk's.
    pub fn finish(self) -> Result<PathBuf> {
        self.0.finish()
    }
}

fn fill(
    group: &mut Group<'_>,
    [case, view]: &[ByteArray; 2],
    rows: &[InterferenceRow<'_>],
) -> Result<(), ParquetError> {
    let stages = texts(Stage::NAMES);
    column::<ByteArrayType>(group, &vec![case.clone(); rows.len()], None)?;
    column::<Int64Type>(group, &values(rows, |row| row.seq as i64), None)?;
    let stage = values(rows, |row| stages[row.stage.index()].clone());
    column::<ByteArrayType>(group, &stage, None)?;
    column::<ByteArrayType>(group, &vec![view.clone(); rows.len()], None)?;
    column::<Int32Type>(group, &values(rows, |row| row.part as i32), None)?;
    column::<Int64Type>(group, &values(rows, |row| row.start.0), None)?;
    column::<Int64Type>(group, &values(rows, |row| row.length.0), None)?;
    column::<ByteArrayType>(group, &values(rows, |row| ByteArray::from(row.cause)), None)?;
    column::<ByteArrayType>(group, &values(rows, |row| ByteArray::from(row.name)), None)?;
    column::<ByteArrayType>(group, &values(rows, |row| ByteArray::from(row.detail)), None)
}
