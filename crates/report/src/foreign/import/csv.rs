// SPDX-License-Identifier: Apache-2.0 OR MIT
//! irqscope's own CSV of benchmarks, with every sample as it was.

use std::collections::HashMap;

use csv::StringRecord;
use irqscope_wire::BenchmarkKind;

use super::Source;
use super::benchmark::class_of;
use super::number;
use super::sink::{Head, MOST_SERIES, SeriesHead, Sink};
use crate::foreign::ForeignError;
use crate::foreign::error::Place;
use crate::foreign::export::BENCHMARKS;

pub fn read(source: &Source<'_>, sink: &mut dyn Sink) -> Result<Head, ForeignError> {
    let mut reader = csv::ReaderBuilder::new().from_reader(source.open()?);
    let failed = |error: csv::Error| {
        let line = error.position().map_or(1, csv::Position::line);
        ForeignError::wrong(source.path, Place::Line(line), error.to_string())
    };
    if *reader.headers().map_err(failed)? != BENCHMARKS[..] {
        let why = format!(
            "the columns are not those of a benchmark ({}); samples of stages stay in their run directory",
            BENCHMARKS.join(",")
        );
        return Err(ForeignError::wrong(source.path, Place::Line(1), why));
    }
    let mut series: HashMap<[String; 5], usize> = HashMap::new();
    let mut record = StringRecord::new();
    while reader.read_record(&mut record).map_err(failed)? {
        let line = record.position().map_or(0, csv::Position::line);
        let wrong = |why: String| ForeignError::wrong(source.path, Place::Line(line), why);
        let next = series.len();
        let key = [0, 1, 2, 3, 4].map(|column| record[column].to_owned());
        let place = match series.get(&key) {
            Some(place) => *place,
            None if next == MOST_SERIES => {
                return Err(wrong(format!("has more than {MOST_SERIES} series")));
            }
            None => {
                sink.series(series_head(&key).map_err(wrong)?);
                series.insert(key, next);
                next
            }
        };
        match line_of(&record).map_err(wrong)? {
            Line::Sample { seq, at, value } => sink.sample(place, seq, at, value)?,
            Line::Bin { value, count } => sink.bin(place, value, count)?,
        }
    }
    let mut head = Head::of("irqscope");
    head.notes.push(
        "imported from CSV: periods that were skipped and samples that were dropped are not in it"
            .into(),
    );
    Ok(head)
}

enum Line {
    Sample { seq: u64, at: Option<i64>, value: i64 },
    Bin { value: i64, count: u64 },
}

fn series_head([case, kind, variant, name, cpu]: &[String; 5]) -> Result<SeriesHead, String> {
    let kind: BenchmarkKind =
        kind.parse().map_err(|error: irqscope_wire::UnknownName| error.to_string())?;
    let beyond = |_| format!("CPU {cpu} is beyond 65535");
    let number = if cpu.is_empty() {
        None
    } else {
        Some(u16::try_from(number::count(cpu)?).map_err(beyond)?)
    };
    let mut head = SeriesHead::new(kind, name.clone(), number);
    head.case = Some(case.clone());
    head.class = class_of(variant);
    head.variant = Some(variant.clone());
    Ok(head)
}

fn line_of(record: &StringRecord) -> Result<Line, String> {
    let value = number::nanoseconds(&record[7], 1)?;
    let count = number::count(&record[8])?;
    if record[5].is_empty() {
        return Ok(Line::Bin { value, count });
    }
    if count != 1 {
        return Err(format!("a numbered sample comes once, not {count} times"));
    }
    let at = if record[6].is_empty() { None } else { Some(number::nanoseconds(&record[6], 1)?) };
    Ok(Line::Sample { seq: number::count(&record[5])?, at, value })
}
