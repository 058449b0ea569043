// SPDX-License-Identifier: Apache-2.0 OR MIT
//! oslat's text. It calls a bin by its upper end: `001` holds what took less than
//! a microsecond. The last bin also holds all that is beyond it.

use irqscope_wire::BenchmarkKind;

use super::sink::{Head, SeriesHead, Sink, beyond};
use super::table::Table;
use super::{Source, number};
use crate::foreign::ForeignError;

const UNIT: i64 = 1_000;

pub fn read(source: &Source<'_>, sink: &mut dyn Sink) -> Result<Head, ForeignError> {
    let (mut lines, mut table) = (source.lines()?, Table::default());
    let (mut cores, mut maxima) = (Vec::new(), Vec::new());
    let mut last = None;
    while let Some(line) = lines.read()? {
        let Some((name, rest)) = line.split_once(':') else { continue };
        let words = || rest.split_whitespace();
        let done = match name.trim() {
            "Core" => numbers(words()).map(|read| cores = read),
            "Maximum" => numbers(words().filter(|word| *word != "(us)")).map(|read| maxima = read),
            name => match name.strip_suffix("(us)").map(str::trim) {
                Some(bin) if rest.contains("(including overflows)") => {
                    last = Some(bin.to_owned());
                    numbers(words().take_while(|word| !word.starts_with('(')))
                        .and_then(|counts| overflowing(&mut table, &counts, bin))
                }
                Some(bin) => lower_end(bin).and_then(|begin| table.add(begin, words())),
                None => Ok(()),
            },
        };
        done.map_err(|why| lines.wrong(why))?;
    }
    let Some(last) = last else {
        return Err(
            lines.ended("ends before its last bin, `(including overflows)`: it is truncated")
        );
    };
    if cores.len() != table.columns.len() {
        let (cores, columns) = (cores.len(), table.columns.len());
        return Err(lines.ended(format!("has {columns} columns for {cores} cores")));
    }
    let mut head = head();
    let bin = number::count(&last).map_err(|why| lines.ended(why))?;
    settle_last(&mut table, &maxima, bin, &cores, &mut head, sink)?;
    table.hand_over(sink, 0)?;
    Ok(head)
}

/// Returns the facts that all of oslat's JSON files share.
pub fn head() -> Head {
    let mut head = Head { resolution_ns: Some(UNIT.unsigned_abs()), ..Head::of("oslat") };
    head.is_histogram("its bins are 1 µs wide and a value is where its bin begins, which is one less than oslat's name for it");
    head
}

/// Adds the series, and takes what lies beyond the last bin out of it: where a core's maximum is
/// greater than the bin's name, it is unknown which of its samples were in it.
pub fn settle_last(
    table: &mut Table,
    maxima: &[u64],
    last: u64,
    cores: &[u64],
    head: &mut Head,
    sink: &mut dyn Sink,
) -> Result<(), ForeignError> {
    let begin = number::scaled(last.saturating_sub(1), UNIT);
    let mut all = 0u64;
    for (series, core) in cores.iter().enumerate() {
        let cpu = u16::try_from(*core).ok();
        sink.series(SeriesHead::new(BenchmarkKind::Spin, format!("cpu{core}"), cpu));
        let column = &mut table.columns[series];
        let ends_there = column.last().is_some_and(|(bin, _)| *bin == begin);
        if ends_there && maxima.get(series).is_some_and(|most| *most > last) {
            let (_, count) = column.pop().unwrap_or_default();
            let greatest = maxima.get(series).map(|most| number::scaled(*most, UNIT));
            sink.beyond(series, beyond(begin, greatest, count))?;
            all = all.saturating_add(count);
        }
    }
    let greatest = maxima.iter().max().copied().unwrap_or(0);
    head.overflowed(all, &format!("its last bin is {last} µs, the greatest was {greatest} µs"));
    Ok(())
}

pub fn lower_end(bin: &str) -> Result<i64, String> {
    match number::count(bin)? {
        0 => Err("there is a bin 0, and oslat's first is 1".into()),
        bin => {
            let begin = i64::try_from(bin - 1).ok().and_then(|begin| begin.checked_mul(UNIT));
            begin.ok_or_else(|| format!("`{bin}` is more than 292 years"))
        }
    }
}

fn overflowing(table: &mut Table, counts: &[u64], bin: &str) -> Result<(), String> {
    let counts: Vec<String> = counts.iter().map(u64::to_string).collect();
    table.add(lower_end(bin)?, counts.iter().map(String::as_str))
}

fn numbers<'a>(words: impl Iterator<Item = &'a str>) -> Result<Vec<u64>, String> {
    words.map(number::count).collect()
}
