// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Reading back what was derived: some rows of a file, found by the least and the greatest trigger
//! of each row group, so that a request for one trigger costs one group however long the run is.

use std::fs::File;
use std::ops::Range;
use std::path::{Path, PathBuf};

use parquet::column::reader::{ColumnReader, get_typed_column_reader};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, RowGroupReader, SerializedFileReader};
use parquet::file::statistics::Statistics;

use crate::{Result, RunError, open_own};

/// One row group: rows of one case, whose triggers ascend.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct GroupSpan {
    pub place: usize,
    pub case: String,
    pub rows: usize,
    pub first: u64,
    pub last: u64,
}

/// A file whose first columns are the case and the trigger's number.
pub(super) struct Reading {
    path: PathBuf,
    file: SerializedFileReader<File>,
    pub groups: Vec<GroupSpan>,
}

const CASE: usize = 0;
const SEQ: usize = 1;

impl Reading {
    pub fn open(path: &Path) -> Result<Self> {
        let file = open_own(path).map_err(|error| RunError::io("open", path, error))?;
        let failed = |source| RunError::Parquet { path: path.to_owned(), source };
        let file = SerializedFileReader::new(file).map_err(failed)?;
        let groups = (0..file.num_row_groups()).map(|place| span(&file, place));
        let groups = groups.collect::<Result<_, _>>().map_err(failed)?;
        Ok(Self { path: path.to_owned(), file, groups })
    }

    /// Reads some rows of a group, by the triggers that are wanted of it.
    pub fn group<T>(
        &self,
        span: &GroupSpan,
        wanted: Range<u64>,
        rows: impl FnOnce(&Columns<'_>) -> Result<Vec<T>, ParquetError>,
    ) -> Result<Vec<T>> {
        let read = || {
            let group = self.file.get_row_group(span.place)?;
            let mut columns = Columns { group: &*group, rows: 0..span.rows };
            if wanted.start > span.first || wanted.end <= span.last {
                let seq = columns.numbers(SEQ)?;
                let place = |end: u64| seq.partition_point(|seq| seq.cast_unsigned() < end);
                columns.rows = place(wanted.start)..place(wanted.end);
            }
            rows(&columns)
        };
        read().map_err(|source| RunError::Parquet { path: self.path.clone(), source })
    }

    /// Returns the groups of a case that may have some of these triggers.
    pub fn groups_of<'a>(
        &'a self,
        case: &'a str,
        wanted: Range<u64>,
    ) -> impl DoubleEndedIterator<Item = &'a GroupSpan> {
        let meets = move |span: &&GroupSpan| {
            span.case == case && span.first < wanted.end && span.last >= wanted.start
        };
        self.groups.iter().filter(meets)
    }
}

/// Returns what a group has, by its statistics.
fn span(file: &SerializedFileReader<File>, place: usize) -> Result<GroupSpan, ParquetError> {
    let group = file.get_row_group(place)?;
    let data = group.metadata();
    let rows = usize::try_from(data.num_rows()).unwrap_or(0);
    let known = match data.column(SEQ).statistics() {
        Some(Statistics::Int64(of)) => of.min_opt().zip(of.max_opt()),
        _ => None,
    };
    // A file of another program may be without: then any trigger may be in it.
    let (first, last) = known.map_or((0, u64::MAX), |(least, greatest)| {
        (least.cast_unsigned(), greatest.cast_unsigned())
    });
    let columns = Columns { group: &*group, rows: 0..rows.min(1) };
    let case = columns.texts(CASE)?.first().map(text).unwrap_or_default();
    Ok(GroupSpan { place, case, rows, first, last })
}

/// Some rows of a group, a column at a time.
pub(super) struct Columns<'a> {
    group: &'a dyn RowGroupReader,
    rows: Range<usize>,
}

impl Columns<'_> {
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    pub fn numbers(&self, column: usize) -> Result<Vec<i64>, ParquetError> {
        self.read::<Int64Type>(column).map(|(values, _)| values)
    }

    pub fn narrow(&self, column: usize) -> Result<Vec<i32>, ParquetError> {
        self.read::<Int32Type>(column).map(|(values, _)| values)
    }

    pub fn texts(&self, column: usize) -> Result<Vec<ByteArray>, ParquetError> {
        self.read::<ByteArrayType>(column).map(|(values, _)| values)
    }

    /// Reads a column in which a value may be absent.
    pub fn optional<T: DataType>(&self, column: usize) -> Result<Vec<Option<T::T>>, ParquetError> {
        let (values, defined) = self.read::<T>(column)?;
        let mut values = values.into_iter();
        Ok(defined.iter().map(|level| if *level > 0 { values.next() } else { None }).collect())
    }

    fn read<T: DataType>(&self, column: usize) -> Result<(Vec<T::T>, Vec<i16>), ParquetError> {
        let reader: ColumnReader = self.group.get_column_reader(column)?;
        let mut reader = get_typed_column_reader::<T>(reader);
        let optional = self.group.metadata().column(column).column_descr().max_def_level() > 0;
        reader.skip_records(self.rows.start)?;
        let (mut values, mut defined) = (Vec::new(), Vec::new());
        let mut left = self.rows.len();
        while left > 0 {
            let levels = optional.then_some(&mut defined);
            let (records, _, _) = reader.read_records(left, levels, None, &mut values)?;
            if records == 0 {
                return Err(ParquetError::General(format!("column {column} ends early")));
            }
            left -= records;
        }
        Ok((values, defined))
    }
}

/// Returns the text, with a sign in place of bytes that are no UTF-8.
pub(super) fn text(bytes: &ByteArray) -> String {
    String::from_utf8_lossy(bytes.data()).into_owned()
}

/// Parses a name; one that this program does not know is an error of the file.
pub(super) fn named<T: std::str::FromStr>(bytes: &ByteArray) -> Result<T, ParquetError> {
    let unknown = || ParquetError::General(format!("unknown name {}", text(bytes)));
    std::str::from_utf8(bytes.data()).ok().and_then(|name| name.parse().ok()).ok_or_else(unknown)
}
