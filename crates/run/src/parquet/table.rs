// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A Parquet file in the making: its own format is that of the caller's schema,
//! row groups are written as they come, and the file takes its name when it is
//! complete.

use std::fs::{self, File};
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parquet::basic::Compression;
use parquet::data_type::{ByteArray, DataType};
use parquet::errors::ParquetError;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;

use crate::{Result, RunError};

/// Rows of one row group: what is held in memory at a time.
pub(super) const GROUP_ROWS: usize = 1 << 17;

pub(super) type Group<'a> = SerializedRowGroupWriter<'a, BufWriter<File>>;

pub(super) struct Table {
    path: PathBuf,
    temporary: PathBuf,
    writer: SerializedFileWriter<BufWriter<File>>,
}

impl Table {
    pub fn create(path: &Path, schema: &str, tool_version: &str) -> Result<Self> {
        let temporary = path.with_extension("parquet.tmp");
        let file = File::create(&temporary).map_err(|e| RunError::io("create", path, e))?;
        let parquet = |error| failed(path, error);
        let schema = parse_message_type(schema).map_err(parquet)?;
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

    /// Adds a row group, whose columns `fill` writes in the schema's order.
    pub fn group(
        &mut self,
        fill: impl FnOnce(&mut Group<'_>) -> Result<(), ParquetError>,
    ) -> Result<()> {
        let write = || {
            let mut group = self.writer.next_row_group()?;
            fill(&mut group)?;
            group.close().map(drop)
        };
        write().map_err(|error| failed(&self.path, error))
    }

    pub fn finish(self) -> Result<PathBuf> {
        let output = self.writer.into_inner().map_err(|error| failed(&self.path, error))?;
        let io = |error| RunError::io("write", &self.path, error);
        let file = output.into_inner().map_err(|error| io(error.into_error()))?;
        file.sync_all().map_err(io)?;
        fs::rename(&self.temporary, &self.path).map_err(io)?;
        Ok(self.path)
    }
}

pub(super) fn values<R, T>(rows: &[R], value: impl Fn(&R) -> T) -> Vec<T> {
    rows.iter().map(value).collect()
}

/// Names that rows share instead of copying them.
pub(super) fn texts(names: &[&'static str]) -> Vec<ByteArray> {
    names.iter().map(|name| ByteArray::from(*name)).collect()
}

/// Writes the next column; `defined` says which rows of a nullable one have a
/// value.
pub(super) fn column<T: DataType>(
    group: &mut Group<'_>,
    values: &[T::T],
    defined: Option<&[i16]>,
) -> Result<(), ParquetError> {
    let Some(mut column) = group.next_column()? else {
        return Err(ParquetError::General("more columns than the schema has".into()));
    };
    column.typed::<T>().write_batch(values, defined, None)?;
    column.close()
}

/// Makes an error; a full disk is reported as such, however deep it lies.
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
