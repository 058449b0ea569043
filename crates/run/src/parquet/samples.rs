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

use std::path::{Path, PathBuf};

use irqscope_wire::{Stage, View};
use parquet::data_type::{ByteArray, Int32Type, Int64Type};
use parquet::errors::ParquetError;

use super::columns::{Group, texts};
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
