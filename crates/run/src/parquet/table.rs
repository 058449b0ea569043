// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A Parquet file in the making: its own format is that of the caller's schema,
//! row groups are encoded and written by a thread of their own, and the file takes its
//! name when it is complete.

use std::fs::{self, File};
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

use parquet::errors::ParquetError;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::SchemaDescriptor;

use super::columns::{Encoder, Group, properties};
use crate::derived::create;
use crate::{Result, RunError};

/// Rows of one row group: what is held in memory at a time.
pub(super) const GROUP_ROWS: usize = 1 << 17;

/// Rows of one group, and how they become columns.
pub(super) trait Rows: Send + 'static {
    const SCHEMA: &'static str;
    /// Columns whose values mostly ascend.
    const ASCENDING: &'static [&'static str];

    fn count(&self) -> usize;
    fn fill(&self, group: &mut Group<'_>) -> Result<(), ParquetError>;
}

pub(super) struct Table<R> {
    path: PathBuf,
    temporary: PathBuf,
    /// None once writing has failed.
    writing: Option<Writing<R>>,
}

struct Writing<R> {
    groups: SyncSender<R>,
    written: JoinHandle<Result<BufWriter<File>, ParquetError>>,
}

impl<R: Rows> Table<R> {
    pub fn create(path: &Path, tool_version: &str) -> Result<Self> {
        let temporary = path.with_extension("parquet.tmp");
        let io = |error| RunError::io("create", path, error);
        let output = BufWriter::with_capacity(1 << 18, create(&temporary).map_err(io)?);
        let parquet = |error| failed(path, error);
        let schema = Arc::new(parse_message_type(R::SCHEMA).map_err(parquet)?);
        let described = SchemaDescriptor::new(schema.clone());
        let properties = Arc::new(properties(tool_version, &described, R::ASCENDING));
        let writer = SerializedFileWriter::new(output, schema, properties).map_err(parquet)?;
        let (groups, received) = sync_channel(0);
        let thread = std::thread::Builder::new().name("parquet".into());
        let written = thread.spawn(move || write(writer, &received)).map_err(io)?;
        let writing = Some(Writing { groups, written });
        Ok(Self { path: path.to_owned(), temporary, writing })
    }

    /// Adds a row group.
    ///
    /// # Errors
    /// The disk's, of this group or an earlier one.
    pub fn group(&mut self, rows: R) -> Result<()> {
        let sent = self.writing.as_ref().is_some_and(|writing| writing.groups.send(rows).is_ok());
        // The thread ends before its sender only where it has failed.
        if sent { Ok(()) } else { self.output().map(drop) }
    }

    /// Ends the file; returns its path.
    ///
    /// # Errors
    /// The disk's.
    pub fn finish(mut self) -> Result<PathBuf> {
        let output = self.output()?;
        let io = |error| RunError::io("write", &self.path, error);
        let file = output.into_inner().map_err(|error| io(error.into_error()))?;
        file.sync_all().map_err(io)?;
        fs::rename(&self.temporary, &self.path).map_err(io)?;
        Ok(self.path)
    }

    /// Ends the thread.
    fn output(&mut self) -> Result<BufWriter<File>> {
        let ended = || ParquetError::General("writing has ended before".into());
        let output = self.writing.take().map(|Writing { groups, written }| {
            drop(groups);
            written.join().unwrap_or_else(|_| Err(ended()))
        });
        output.unwrap_or_else(|| Err(ended())).map_err(|error| failed(&self.path, error))
    }
}

fn write<R: Rows>(
    mut writer: SerializedFileWriter<BufWriter<File>>,
    groups: &Receiver<R>,
) -> Result<BufWriter<File>, ParquetError> {
    let schema = writer.schema_descr().clone();
    let mut encoder = Encoder::new(Arc::new(schema), writer.properties().clone());
    for rows in groups {
        let group = writer.next_row_group()?;
        let mut group = Group { writer: group, encoder: &mut encoder, next: 0, rows: rows.count() };
        rows.fill(&mut group)?;
        group.writer.close()?;
    }
    writer.into_inner()
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
