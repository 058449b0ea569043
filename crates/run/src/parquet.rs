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
//! | flags      | u32              | 1 hit by another interrupt, 2 missing, 4 merged, 8 late, 16 unsure, 32 extra edge |
//! | interrupts | u16              | other interrupts on this CPU since stage `irq` |
//!
//! The bytes depend on the rows and the tool's version only.

use std::fs::{self, File};
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use irqscope_wire::{Stage, View};
use parquet::basic::Compression;
use parquet::data_type::{ByteArray, ByteArrayType, DataType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;

use crate::{Result, RunError, SampleRow};

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
}";

/// Rows of one row group: what is held in memory at a time.
const GROUP_ROWS: usize = 1 << 17;

/// Writes to a temporary file that takes its name when it is complete.
pub struct SamplesWriter {
    path: PathBuf,
    temporary: PathBuf,
    writer: SerializedFileWriter<BufWriter<File>>,
}

impl SamplesWriter {
    pub(crate) fn create(path: &Path, tool_version: &str) -> Result<Self> {
        let temporary = path.with_extension("parquet.tmp");
        let file = File::create(&temporary).map_err(|e| RunError::io("create", path, e))?;
        let parquet = |error| failed(path, error);
        let schema = parse_message_type(SCHEMA).map_err(parquet)?;
        let properties = WriterProperties::builder()
            .set_created_by(format!("irqscope {tool_version}"))
            .set_compression(Compression::SNAPPY)
            .set_statistics_enabled(EnabledStatistics::Chunk)
            .build();
        let output = BufWriter::with_capacity(1 << 18, file);
        let writer = SerializedFileWriter::new(output, Arc::new(schema), Arc::new(properties))
            .map_err(parquet)?;
        Ok(Self { path: path.to_owned(), temporary, writer })
    }

    /// Adds rows of one case, in order; may be called again for the same case.
    pub fn write(&mut self, case: &str, rows: &[SampleRow]) -> Result<()> {
        let case = ByteArray::from(case);
        for rows in rows.chunks(GROUP_ROWS) {
            self.group(&case, rows).map_err(|error| failed(&self.path, error))?;
        }
        Ok(())
    }

    pub fn finish(self) -> Result<PathBuf> {
        let output = self.writer.into_inner().map_err(|error| failed(&self.path, error))?;
        let io = |error| RunError::io("write", &self.path, error);
        let file = output.into_inner().map_err(|error| io(error.into_error()))?;
        file.sync_all().map_err(io)?;
        fs::rename(&self.temporary, &self.path).map_err(io)?;
        Ok(self.path)
    }

    fn group(&mut self, case: &ByteArray, rows: &[SampleRow]) -> Result<(), ParquetError> {
        let mut group = self.writer.next_row_group()?;
        let [stages, views] = [Stage::NAMES, View::NAMES].map(texts);
        column::<ByteArrayType>(&mut group, &vec![case.clone(); rows.len()], None)?;
        column::<Int64Type>(&mut group, &values(rows, |row| row.seq as i64), None)?;
        let stage = values(rows, |row| stages[row.stage.index()].clone());
        column::<ByteArrayType>(&mut group, &stage, None)?;
        let view = values(rows, |row| views[row.view as usize].clone());
        column::<ByteArrayType>(&mut group, &view, None)?;
        column::<Int64Type>(&mut group, &values(rows, |row| row.trigger.0), None)?;
        let latency = rows.iter().filter_map(|row| Some(row.latency?.0)).collect::<Vec<_>>();
        let answered = values(rows, |row| i16::from(row.latency.is_some()));
        column::<Int64Type>(&mut group, &latency, Some(&answered))?;
        let cpu = rows.iter().filter_map(|row| row.cpu.map(i32::from)).collect::<Vec<_>>();
        let known = values(rows, |row| i16::from(row.cpu.is_some()));
        column::<Int32Type>(&mut group, &cpu, Some(&known))?;
        column::<Int32Type>(&mut group, &values(rows, |row| row.flags as i32), None)?;
        column::<Int32Type>(&mut group, &values(rows, |row| i32::from(row.interrupts)), None)?;
        group.close().map(drop)
    }
}

fn values<T>(rows: &[SampleRow], value: impl Fn(&SampleRow) -> T) -> Vec<T> {
    rows.iter().map(value).collect()
}

/// Names that rows share instead of copying them.
fn texts(names: &[&'static str]) -> Vec<ByteArray> {
    names.iter().map(|name| ByteArray::from(*name)).collect()
}

/// Writes the next column; `defined` says which rows of a nullable one have a
/// value.
fn column<T: DataType>(
    group: &mut SerializedRowGroupWriter<'_, BufWriter<File>>,
    values: &[T::T],
    defined: Option<&[i16]>,
) -> Result<(), ParquetError> {
    let Some(mut column) = group.next_column()? else {
        return Err(ParquetError::General("more columns than the schema has".into()));
    };
    column.typed::<T>().write_batch(values, defined, None)?;
    column.close()
}

/// A full disk is told as such, however deep it lies.
fn failed(path: &Path, source: ParquetError) -> RunError {
    if let ParquetError::External(inner) = source {
        return match inner.downcast::<std::io::Error>() {
            Ok(error) => RunError::io("write", path, *error),
            Err(other) => {
                RunError::Parquet { path: path.to_owned(), source: ParquetError::External(other) }
            }
        };
    }
    RunError::Parquet { path: path.to_owned(), source }
}
