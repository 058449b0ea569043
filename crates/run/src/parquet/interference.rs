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

use super::columns::{Group, texts};
use super::read::{Columns, Reading, named, text};
use super::table::{GROUP_ROWS, Rows, Table};
use crate::Result;

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
pub struct InterferenceWriter(Table<Segments>);

impl InterferenceWriter {
    pub(crate) fn create(path: &Path, tool_version: &str) -> Result<Self> {
        Table::create(path, tool_version).map(Self)
    }

    /// Adds all rows of one case, in order.
    ///
    /// # Errors
    /// The disk's.
    pub fn write(&mut self, case: &str, view: View, rows: &[InterferenceRow<'_>]) -> Result<()> {
        let head = [case, view.name()].map(ByteArray::from);
        let group = |rows: &[InterferenceRow<'_>]| {
            let rows = rows.iter().map(Segment::from).collect();
            self.0.group(Segments { head: head.clone(), rows })
        };
        rows.chunks(GROUP_ROWS).try_for_each(group)
    }

    /// Ends the file; returns its path.
    ///
    /// # Errors
    /// The disk's.
    pub fn finish(self) -> Result<PathBuf> {
        self.0.finish()
    }
}

/// Rows of one case.
struct Segments {
    head: [ByteArray; 2],
    rows: Vec<Segment>,
}

/// A row that needs nothing else to live.
struct Segment {
    seq: i64,
    stage: usize,
    part: i32,
    start: i64,
    length: i64,
    /// Cause, name and detail.
    texts: [ByteArray; 3],
}

impl From<&InterferenceRow<'_>> for Segment {
    fn from(row: &InterferenceRow<'_>) -> Self {
        Self {
            seq: row.seq.cast_signed(),
            stage: row.stage.index(),
            part: row.part.cast_signed(),
            start: row.start.0,
            length: row.length.0,
            texts: [row.cause, row.name, row.detail].map(ByteArray::from),
        }
    }
}

impl Rows for Segments {
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
    const ASCENDING: &[&str] = &["seq"];

    fn count(&self) -> usize {
        self.rows.len()
    }

    fn fill(&self, group: &mut Group<'_>) -> Result<(), ParquetError> {
        let Self { head: [case, view], rows } = self;
        group.text(case)?;
        group.values::<Int64Type>(rows.iter().map(|row| row.seq))?;
        group.names(&texts(Stage::NAMES), rows.iter().map(|row| row.stage))?;
        group.text(view)?;
        group.values::<Int32Type>(rows.iter().map(|row| row.part))?;
        group.values::<Int64Type>(rows.iter().map(|row| row.start))?;
        group.values::<Int64Type>(rows.iter().map(|row| row.length))?;
        let text = |place: usize| rows.iter().map(move |row| row.texts[place].clone());
        (0..3).try_for_each(|place| group.values::<ByteArrayType>(text(place)))
    }
}

/// A row that was read back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SegmentRow {
    /// The trigger's number.
    pub seq: u64,
    /// The stage.
    pub stage: Stage,
    /// Whose latency it is a part of.
    pub view: View,
    /// From the trigger to its beginning.
    pub start: Nanoseconds,
    /// Its length.
    pub length: Nanoseconds,
    /// The kind of cause.
    pub cause: String,
    /// The code or thread behind it.
    pub name: String,
    /// More about it.
    pub detail: String,
}

/// Reads rows of an interference.parquet that is complete.
pub struct InterferenceReader(Reading);

impl InterferenceReader {
    /// Opens the file.
    ///
    /// # Errors
    /// It cannot be read, or is not what its name says.
    pub fn open(path: &Path) -> Result<Self> {
        Reading::open(path).map(Self)
    }

    /// Returns whether a case has any.
    pub fn has(&self, case: &str) -> bool {
        self.0.groups_of(case, 0..u64::MAX).next().is_some()
    }

    /// Reads the segments of one trigger, in order of stage and time.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn trigger(&self, case: &str, seq: u64) -> Result<Vec<SegmentRow>> {
        let wanted = seq..seq.saturating_add(1);
        let groups = self.0.groups_of(case, wanted.clone());
        let read = groups.map(|group| self.0.group(group, wanted.clone(), segments));
        read.collect::<Result<Vec<_>>>().map(|all| all.concat())
    }
}

fn segments(columns: &Columns<'_>) -> Result<Vec<SegmentRow>, ParquetError> {
    let seq = columns.numbers(1)?;
    let (stages, views) = (columns.texts(2)?, columns.texts(3)?);
    let (start, length) = (columns.numbers(5)?, columns.numbers(6)?);
    let [causes, names, details] = [columns.texts(7)?, columns.texts(8)?, columns.texts(9)?];
    let row = |at: usize| {
        Ok(SegmentRow {
            seq: seq[at].cast_unsigned(),
            stage: named(&stages[at])?,
            view: named(&views[at])?,
            start: Nanoseconds(start[at]),
            length: Nanoseconds(length[at]),
            cause: text(&causes[at]),
            name: text(&names[at]),
            detail: text(&details[at]),
        })
    };
    (0..columns.len()).map(row).collect()
}
