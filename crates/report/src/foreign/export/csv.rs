// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Every sample as a line of comma-separated values (RFC 4180), with the columns
//! of samples.parquet or of bench.parquet; an empty field is null.

use std::io::Write;

use irqscope_run::{BenchRow, CaseStream, RunDir, SampleRow};

use super::Case;
use crate::foreign::ForeignError;

const STAGES: &[&str] = &[
    "case",
    "seq",
    "stage",
    "view",
    "trigger_ns",
    "latency_ns",
    "cpu",
    "flags",
    "interrupts",
    "execution_ns",
];
pub(in crate::foreign) const BENCHMARKS: [&str; 9] =
    ["case", "benchmark", "variant", "series", "cpu", "seq", "at_ns", "value_ns", "count"];

type Writer<'a> = csv::Writer<&'a mut dyn Write>;

pub fn write(run: &RunDir, cases: &[Case], output: &mut dyn Write) -> Result<(), ForeignError> {
    let index = run.index()?;
    let mut writer = csv::Writer::from_writer(output);
    let mut head = None;
    for case in cases {
        let stream = run.stream(&index, case.number)?;
        let columns = if stream.data().benchmarks.is_empty() { STAGES } else { &BENCHMARKS };
        if *head.get_or_insert(columns) != columns {
            let cases = cases.iter().map(|case| case.name.clone()).collect();
            return Err(ForeignError::SeveralCases { format: "one kind of CSV", cases });
        }
        if case.number == cases[0].number {
            writer.write_record(columns).map_err(failed)?;
        }
        stream.stages(|rows| rows.iter().try_for_each(|row| stage(&mut writer, case, row)))?;
        benchmarks(&mut writer, case, &stream)?;
    }
    writer.flush()?;
    Ok(())
}

fn stage(writer: &mut Writer<'_>, case: &Case, row: &SampleRow) -> Result<(), ForeignError> {
    let fields = [
        case.name.clone(),
        row.seq.to_string(),
        row.stage.to_string(),
        row.view.to_string(),
        row.trigger.0.to_string(),
        row.latency.map(|latency| latency.0.to_string()).unwrap_or_default(),
        row.cpu.map(|cpu| cpu.to_string()).unwrap_or_default(),
        row.flags.to_string(),
        row.interrupts.to_string(),
        row.execution.map(|execution| execution.0.to_string()).unwrap_or_default(),
    ];
    writer.write_record(fields).map_err(failed)
}

fn benchmarks(
    writer: &mut Writer<'_>,
    case: &Case,
    stream: &CaseStream<'_>,
) -> Result<(), ForeignError> {
    for (benchmark, one) in stream.data().benchmarks.iter().enumerate() {
        for (place, series) in one.series.iter().enumerate() {
            let cpu = series.cpu.map(|cpu| cpu.to_string()).unwrap_or_default();
            let head = [&case.name, one.kind.name(), &one.variant, &series.name, &cpu];
            stream.series(benchmark, place, |rows: &[BenchRow]| {
                rows.iter().try_for_each(|row| {
                    let at = row.at.map(|at| at.0.to_string()).unwrap_or_default();
                    let rest = [row.seq.to_string(), at, row.value.0.to_string(), "1".into()];
                    line(writer, &head, &rest)
                })
            })?;
            for bin in &series.counted {
                let (value, count) = (bin.value.0.to_string(), bin.count.to_string());
                line(writer, &head, &[String::new(), String::new(), value, count])?;
            }
        }
    }
    Ok(())
}

fn line(writer: &mut Writer<'_>, head: &[&str], rest: &[String]) -> Result<(), ForeignError> {
    let rest = rest.iter().map(String::as_str);
    writer.write_record(head.iter().copied().chain(rest)).map_err(failed)
}

fn failed(error: csv::Error) -> ForeignError {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => ForeignError::Write(error),
        kind => ForeignError::Unwritable { format: "csv", why: format!("{kind:?}") },
    }
}
