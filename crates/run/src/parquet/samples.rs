// SPDX-License-Identifier: Apache-2.0 OR MIT
//! samples.parquet: one row per sample, stage and view, in order of case
//! (bytewise), sequence number, stage (by index) and view.
//!
//! | column     | type             |                                           |
//! | ---------- | ---------------- | ----------------------------------------- |
//! | case       | string           | `kernel/state`                            |
//! | seq        | u64              | number of the trigger, from 0             |
//! | stage      | string           |                                           |
//! | view       | string           | `outside` or `inside`                     |
//! | trigger_ns | i64              | instant of the trigger, on the view's own clock |
//! | latency_ns | i64, nullable    | null when the stage did not answer        |
//! | cpu        | u16, nullable    | null when the stage did not answer, or only the generator saw it |
//! | flags      | u32              | 1 hit by another interrupt, 2 missing, 4 coalesced, 8 late, 16 unsure, 32 extra edge, 64 looked for in every cycle |
//! | interrupts | u16              | other interrupts on this CPU since stage `irq` |
//! | execution_ns | i64, nullable  | from the response to the end of what the stage executed; null without execution times |
//!
//! The bytes depend on the rows and the tool's version only.

use std::ops::Range;
use std::path::{Path, PathBuf};

use irqscope_wire::{Nanoseconds, Stage, View};
use parquet::data_type::{ByteArray, Int32Type, Int64Type};
use parquet::errors::ParquetError;

use super::columns::{Group, texts};
use super::read::{Columns, Reading, named};
use super::table::{GROUP_ROWS, Rows, Table};
use crate::{Result, SampleRow};

/// Writes to a temporary file that takes its name when it is complete.
pub struct SamplesWriter {
    table: Table<Samples>,
    case: String,
    /// Of this case, and not yet a group: where groups end depends on the rows
    /// only, and not on the pieces they come in.
    pending: Vec<SampleRow>,
}

impl SamplesWriter {
    pub(crate) fn create(path: &Path, tool_version: &str) -> Result<Self> {
        let table = Table::create(path, tool_version)?;
        Ok(Self { table, case: String::new(), pending: Vec::new() })
    }

    /// Adds rows of one case, in order; may be called again for the same case.
    ///
    /// # Errors
    /// The disk's.
    pub fn write(&mut self, case: &str, rows: &[SampleRow]) -> Result<()> {
        if self.case != case {
            self.flush()?;
            self.case = case.to_owned();
        }
        for rows in rows.chunks(GROUP_ROWS) {
            let (now, later) = rows.split_at(rows.len().min(GROUP_ROWS - self.pending.len()));
            self.pending.extend_from_slice(now);
            if self.pending.len() == GROUP_ROWS {
                self.flush()?;
            }
            self.pending.extend_from_slice(later);
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<()> {
        if self.pending.is_empty() {
            return Ok(());
        }
        let case = ByteArray::from(self.case.as_str());
        self.table.group(Samples { case, rows: std::mem::take(&mut self.pending) })
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

/// Of one case.
struct Samples {
    case: ByteArray,
    rows: Vec<SampleRow>,
}

impl Rows for Samples {
    const SCHEMA: &str = "message samples {
    required binary case (string);
    required int64 seq (integer(64, false));
    required binary stage (string);
    required binary view (string);
    required int64 trigger_ns;
    optional int64 latency_ns;
    optional int32 cpu (integer(16, false));
    required int32 flags (integer(32, false));
    required int32 interrupts (integer(16, false));
    optional int64 execution_ns;
}";
    const ASCENDING: &[&str] = &["seq", "trigger_ns"];

    fn count(&self) -> usize {
        self.rows.len()
    }

    fn fill(&self, group: &mut Group<'_>) -> Result<(), ParquetError> {
        let [stages, views] = [Stage::NAMES, View::NAMES].map(texts);
        let rows = || self.rows.iter();
        group.text(&self.case)?;
        group.values::<Int64Type>(rows().map(|row| row.seq.cast_signed()))?;
        group.names(&stages, rows().map(|row| row.stage.index()))?;
        group.names(&views, rows().map(|row| row.view as usize))?;
        group.values::<Int64Type>(rows().map(|row| row.trigger.0))?;
        group.optional::<Int64Type>(rows().map(|row| Some(row.latency?.0)))?;
        group.optional::<Int32Type>(rows().map(|row| row.cpu.map(i32::from)))?;
        group.values::<Int32Type>(rows().map(|row| row.flags.cast_signed()))?;
        group.values::<Int32Type>(rows().map(|row| i32::from(row.interrupts)))?;
        group.optional::<Int64Type>(rows().map(|row| Some(row.execution?.0)))
    }
}

/// Reads rows of a samples.parquet that is complete.
pub struct SamplesReader(Reading);

impl SamplesReader {
    /// Opens the file.
    ///
    /// # Errors
    /// It cannot be read, or is not what its name says.
    pub fn open(path: &Path) -> Result<Self> {
        Reading::open(path).map(Self)
    }

    /// Hands out the rows of these triggers of a case, in order and in pieces; the pieces from last
    /// to first where `backwards`. Ends where `take` has had enough, which its `false` says.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn rows(
        &self,
        case: &str,
        triggers: Range<u64>,
        backwards: bool,
        mut take: impl FnMut(&[SampleRow]) -> bool,
    ) -> Result<()> {
        let mut groups: Vec<_> = self.0.groups_of(case, triggers.clone()).collect();
        if backwards {
            groups.reverse();
        }
        for group in groups {
            let rows = self.0.group(group, triggers.clone(), rows)?;
            if !take(&rows) {
                break;
            }
        }
        Ok(())
    }

    /// Returns the first and the last trigger of a case; `None` if it has no rows.
    pub fn span(&self, case: &str) -> Option<(u64, u64)> {
        let mut groups = self.0.groups_of(case, 0..u64::MAX);
        let first = groups.next()?;
        Some((first.first, groups.next_back().unwrap_or(first).last))
    }
}

fn rows(columns: &Columns<'_>) -> Result<Vec<SampleRow>, ParquetError> {
    let (seq, trigger) = (columns.numbers(1)?, columns.numbers(4)?);
    let (stages, views) = (columns.texts(2)?, columns.texts(3)?);
    let latency = columns.optional::<Int64Type>(5)?;
    let cpu = columns.optional::<Int32Type>(6)?;
    let (flags, interrupts) = (columns.narrow(7)?, columns.narrow(8)?);
    let execution = columns.optional::<Int64Type>(9)?;
    let row = |at: usize| {
        Ok(SampleRow {
            seq: seq[at].cast_unsigned(),
            trigger: Nanoseconds(trigger[at]),
            latency: latency[at].map(Nanoseconds),
            stage: named(&stages[at])?,
            view: named(&views[at])?,
            cpu: cpu[at].and_then(|cpu| u16::try_from(cpu).ok()),
            flags: flags[at].cast_unsigned(),
            interrupts: u16::try_from(interrupts[at]).unwrap_or(u16::MAX),
            execution: execution[at].map(Nanoseconds),
        })
    };
    (0..columns.len()).map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(seq: u64, stage: Stage) -> SampleRow {
        SampleRow {
            seq,
            trigger: Nanoseconds(seq.cast_signed() * 1_000),
            latency: (!seq.is_multiple_of(7)).then_some(Nanoseconds(500 + seq.cast_signed())),
            stage,
            view: if stage == Stage::Irq { View::Inside } else { View::Outside },
            cpu: seq.is_multiple_of(2).then_some(3),
            flags: (seq % 5) as u32,
            interrupts: (seq % 11) as u16,
            execution: seq.is_multiple_of(3).then_some(Nanoseconds(9)),
        }
    }

    #[test]
    fn what_was_written_is_read_back_by_its_triggers() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("samples.parquet");
        let mut writer = SamplesWriter::create(&path, "test").unwrap();
        let of = |last: u64| -> Vec<SampleRow> {
            (0..last).flat_map(|seq| [row(seq, Stage::Irq), row(seq, Stage::User)]).collect()
        };
        // The second case has two groups, and more rows in the first than are asked for.
        let (short, long) = (of(10), of(GROUP_ROWS as u64 / 2 + 40));
        writer.write("a", &short).unwrap();
        writer.write("b", &long).unwrap();
        writer.finish().unwrap();

        let reader = SamplesReader::open(&path).unwrap();
        assert_eq!(reader.span("b"), Some((0, GROUP_ROWS as u64 / 2 + 39)));
        assert_eq!(reader.span("c"), None);
        let read = |case: &str, triggers: Range<u64>, backwards| {
            let mut all = Vec::new();
            let keep = |rows: &[SampleRow]| {
                all.push(rows.to_vec());
                true
            };
            reader.rows(case, triggers, backwards, keep).unwrap();
            all
        };
        assert_eq!(read("a", 0..u64::MAX, false), [short]);
        assert_eq!(read("b", 5..8, false), [long[10..16].to_vec()]);
        let middle = GROUP_ROWS as u64 / 2;
        let pieces = read("b", middle - 2..middle + 3, true);
        assert_eq!(pieces.len(), 2);
        let joined: Vec<SampleRow> = pieces.into_iter().rev().flatten().collect();
        assert_eq!(joined, long[GROUP_ROWS - 4..GROUP_ROWS + 6]);
        assert!(read("b", middle + 100..u64::MAX, false).is_empty());
    }
}
