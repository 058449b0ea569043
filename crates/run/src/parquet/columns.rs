// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The columns of one row group.
//!
//! Most columns of most groups have one value. Such a column is encoded once, and its
//! bytes are taken again for every group of as many rows: the file is the same.

use std::collections::HashMap;
use std::fs::File;
use std::io::BufWriter;

use bytes::Bytes;
use parquet::basic::{Compression, Encoding, Type};
use parquet::column::writer::{ColumnCloseResult, get_column_writer, get_typed_column_writer};
use parquet::data_type::{AsBytes, ByteArray, ByteArrayType, DataType};
use parquet::errors::ParquetError;
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterPropertiesPtr};
use parquet::file::writer::{SerializedPageWriter, SerializedRowGroupWriter, TrackedWrite};
use parquet::schema::types::{SchemaDescPtr, SchemaDescriptor};

use super::table::GROUP_ROWS;

type Result<T = (), E = ParquetError> = std::result::Result<T, E>;

/// More are not kept: they are of one group each.
const KEPT: usize = 64;

/// A column, its rows, and the one value that all of them have, or none.
type Constant = (usize, usize, Option<Vec<u8>>);
type Chunk = (Bytes, ColumnCloseResult);

/// The parts that the groups of one file share.
pub(super) struct Encoder {
    schema: SchemaDescPtr,
    properties: WriterPropertiesPtr,
    constants: HashMap<Constant, Chunk>,
}

impl Encoder {
    pub fn new(schema: SchemaDescPtr, properties: WriterPropertiesPtr) -> Self {
        Self { schema, properties, constants: HashMap::new() }
    }

    fn chunk<T: DataType>(
        &self,
        column: usize,
        values: &[T::T],
        defined: Option<&[i16]>,
    ) -> Result<Chunk> {
        let mut sink = TrackedWrite::new(Vec::new());
        let pages = Box::new(SerializedPageWriter::new(&mut sink));
        let writer = get_column_writer(self.schema.column(column), self.properties.clone(), pages);
        let mut writer = get_typed_column_writer::<T>(writer);
        writer.write_batch(values, defined, None)?;
        let closed = writer.close()?;
        Ok((sink.into_inner()?.into(), closed))
    }
}

/// Bytes of the largest dictionary: with more different values than in a quarter of the rows,
/// places in it need as much room as the values.
const DICTIONARY: usize = GROUP_ROWS / 4 * size_of::<i64>();

/// Numbers that ascend, and those that the dictionary has no room for, are written as
/// differences.
pub(super) fn properties(
    tool_version: &str,
    schema: &SchemaDescriptor,
    ascending: &[&str],
) -> WriterProperties {
    let mut properties = WriterProperties::builder()
        .set_created_by(format!("irqscope {tool_version}"))
        .set_compression(Compression::SNAPPY)
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_dictionary_page_size_limit(DICTIONARY);
    for column in schema.columns() {
        let path = column.path().clone();
        if matches!(column.physical_type(), Type::INT32 | Type::INT64) {
            properties =
                properties.set_column_encoding(path.clone(), Encoding::DELTA_BINARY_PACKED);
        }
        if ascending.contains(&column.name()) {
            properties = properties.set_column_dictionary_enabled(path, false);
        }
    }
    properties.build()
}

/// One row group, whose columns are written in the schema's order.
pub(super) struct Group<'a> {
    pub writer: SerializedRowGroupWriter<'a, BufWriter<File>>,
    pub encoder: &'a mut Encoder,
    pub next: usize,
    pub rows: usize,
}

impl Group<'_> {
    /// Writes a column that has a value in every row.
    pub fn values<T: DataType>(&mut self, values: impl Iterator<Item = T::T>) -> Result {
        let values: Vec<T::T> = values.collect();
        match values.first() {
            Some(first) if values.iter().all(|value| value == first) => {
                self.constant::<T>(Some(first.clone()), false)
            }
            _ => self.several::<T>(&values, None),
        }
    }

    /// Writes a column that may have none.
    pub fn optional<T: DataType>(&mut self, values: impl Iterator<Item = Option<T::T>>) -> Result {
        let (mut some, mut defined) =
            (Vec::with_capacity(self.rows), Vec::with_capacity(self.rows));
        for value in values {
            defined.push(i16::from(value.is_some()));
            some.extend(value);
        }
        let one = some
            .first()
            .filter(|first| some.len() == self.rows && some.iter().all(|value| value == *first));
        match one {
            Some(one) => self.constant::<T>(Some(one.clone()), true),
            None if some.is_empty() => self.constant::<T>(None, true),
            None => self.several::<T>(&some, Some(&defined)),
        }
    }

    /// Writes a column of texts, one for all rows or, by place in `names`, one for each.
    pub fn names(
        &mut self,
        names: &[ByteArray],
        places: impl Iterator<Item = usize> + Clone,
    ) -> Result {
        let first = places.clone().next().unwrap_or_default();
        if places.clone().all(|place| place == first) {
            return self.text(&names[first]);
        }
        let values: Vec<ByteArray> = places.map(|place| names[place].clone()).collect();
        self.several::<ByteArrayType>(&values, None)
    }

    /// Writes a column of one text.
    pub fn text(&mut self, text: &ByteArray) -> Result {
        self.constant::<ByteArrayType>(Some(text.clone()), false)
    }

    fn constant<T: DataType>(&mut self, value: Option<T::T>, optional: bool) -> Result {
        let bytes = value.as_ref().map(|value| value.as_bytes().to_vec());
        let key = (self.next, self.rows, bytes);
        if let Some((bytes, closed)) = self.encoder.constants.get(&key) {
            let (bytes, closed) = (bytes.clone(), closed.clone());
            return self.append(&bytes, closed);
        }
        let defined = vec![i16::from(value.is_some()); self.rows];
        let values = value.map_or_else(Vec::new, |value| vec![value; self.rows]);
        let chunk = self.encoder.chunk::<T>(self.next, &values, optional.then_some(&defined))?;
        if self.encoder.constants.len() == KEPT {
            self.encoder.constants.clear();
        }
        self.encoder.constants.insert(key, chunk.clone());
        self.append(&chunk.0, chunk.1)
    }

    fn several<T: DataType>(&mut self, values: &[T::T], defined: Option<&[i16]>) -> Result {
        let (bytes, closed) = self.encoder.chunk::<T>(self.next, values, defined)?;
        self.append(&bytes, closed)
    }

    fn append(&mut self, bytes: &Bytes, closed: ColumnCloseResult) -> Result {
        self.next += 1;
        self.writer.append_column(bytes, closed)
    }
}

/// Makes texts that rows share instead of copying them.
pub(super) fn texts(names: &[&'static str]) -> Vec<ByteArray> {
    names.iter().map(|name| ByteArray::from(*name)).collect()
}
