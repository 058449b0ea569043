// SPDX-License-Identifier: Apache-2.0 OR MIT
//! jitterdebugger's samples.raw: structures as a little-endian 64-bit machine
//! packs them, one after the other without a head. 28 bytes each: CPU (u32),
//! instant of the wakeup (two i64, seconds and nanoseconds of CLOCK_MONOTONIC),
//! latency (u64), whose unit stands in results.json beside it.

use std::collections::BTreeMap;
use std::io::{ErrorKind, Read};

use irqscope_wire::BenchmarkKind;
use serde_json::Value;

use super::Source;
use super::sink::{Head, SeriesHead, Sink};
use crate::foreign::ForeignError;
use crate::foreign::error::Place;

const RECORD: usize = 28;

pub fn read(source: &Source<'_>, sink: &mut dyn Sink) -> Result<Head, ForeignError> {
    let mut head = Head::of("jitterdebugger");
    let unit = unit(source, &mut head);
    head.resolution_ns = Some(unit.unsigned_abs());
    head.warnings.push(
        "imported from jitterdebugger's samples: their instants are those of the wakeups, and which of them were lost is not known".into(),
    );
    let mut input = source.open()?;
    let mut series: BTreeMap<u16, (usize, u64)> = BTreeMap::new();
    let mut record = [0; RECORD];
    let mut offset = 0u64;
    while whole(&mut input, &mut record, source, offset)? {
        let wrong = |why| ForeignError::wrong(source.path, Place::Offset(offset), why);
        let (cpu, at, value) = sample(&record, unit).map_err(wrong)?;
        let next = series.len();
        let (place, seq) = series.entry(cpu).or_insert_with(|| {
            sink.series(SeriesHead::new(BenchmarkKind::Sched, format!("cpu{cpu}"), Some(cpu)));
            (next, 0)
        });
        sink.sample(*place, *seq, Some(at), value)?;
        *seq += 1;
        offset += RECORD as u64;
    }
    Ok(head)
}

/// Reads a whole record; false at the end of the file.
fn whole(
    input: &mut impl Read,
    record: &mut [u8; RECORD],
    source: &Source<'_>,
    offset: u64,
) -> Result<bool, ForeignError> {
    let mut filled = 0;
    while filled < RECORD {
        match input.read(&mut record[filled..]) {
            Ok(0) if filled == 0 => return Ok(false),
            Ok(0) => {
                let why =
                    format!("{filled} bytes are left of a sample of {RECORD}: it is truncated");
                return Err(ForeignError::wrong(source.path, Place::Offset(offset), why));
            }
            Ok(count) => filled += count,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(source.unreadable(error)),
        }
    }
    Ok(true)
}

fn sample(record: &[u8; RECORD], unit: i64) -> Result<(u16, i64, i64), String> {
    let number = |from: usize| {
        let mut bytes = [0; 8];
        bytes.copy_from_slice(&record[from..from + 8]);
        u64::from_le_bytes(bytes)
    };
    let cpu = u32::from_le_bytes([record[0], record[1], record[2], record[3]]);
    let cpu = u16::try_from(cpu).map_err(|_| {
        format!("CPU {cpu}: these are no samples of jitterdebugger, or another machine's")
    })?;
    let (seconds, nanoseconds, value) = (number(4), number(12), number(20));
    if nanoseconds >= 1_000_000_000 {
        return Err(format!(
            "{nanoseconds} nanoseconds of a second: these are no samples of jitterdebugger, or another machine's"
        ));
    }
    let at = i64::try_from(seconds)
        .ok()
        .and_then(|seconds| seconds.checked_mul(1_000_000_000))
        .and_then(|at| at.checked_add_unsigned(nanoseconds))
        .ok_or_else(|| format!("an instant at {seconds} s is more than 292 years"))?;
    let value = i64::try_from(value).ok().and_then(|value| value.checked_mul(unit));
    Ok((cpu, at, value.ok_or("a latency of more than 292 years")?))
}

/// Microseconds, unless results.json beside it says something else.
fn unit(source: &Source<'_>, head: &mut Head) -> i64 {
    if let Some(unit) = source.unit_ns {
        return unit.into();
    }
    let beside = source.path.with_file_name("results.json");
    let text = irqscope_run::read_own(&beside).unwrap_or_default();
    let results: Value = serde_json::from_str(&text).unwrap_or_default();
    let said = results["sysinfo"]["resolution_in_ns"].as_i64().filter(|unit| *unit > 0);
    if said.is_none() {
        head.warnings.push(
            "the unit of the samples stands in no results.json beside them: they were taken as microseconds, jitterdebugger's own; --nanoseconds if it ran with -N".into(),
        );
    }
    said.unwrap_or(1_000)
}
