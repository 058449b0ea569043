// SPDX-License-Identifier: Apache-2.0 OR MIT
//! HdrHistogram's interval log: one line for each set, tagged with its name.
//! Values are nanoseconds with three significant digits; the log's column
//! `Interval_Max` is in milliseconds, as its other readers expect.

use std::io::Write;
use std::time::{Duration, SystemTime};

use hdrhistogram::Histogram;
use hdrhistogram::serialization::V2DeflateSerializer;
use hdrhistogram::serialization::interval_log::{IntervalLogWriterBuilder, Tag};
use irqscope_analysis::Ascending;
use irqscope_run::RunDir;

use super::Case;
use super::subject::Set;
use crate::foreign::ForeignError;

const FORMAT: &str = "an HdrHistogram log";
const DIGITS: u8 = 3;

pub fn write(run: &RunDir, cases: &[Case], output: &mut dyn Write) -> Result<(), ForeignError> {
    let index = run.index()?;
    let manifest = run.manifest();
    let [begun, ended] = [Some(&manifest.started_utc), manifest.finished_utc.as_ref()]
        .map(|text| text.and_then(|text| humantime::parse_rfc3339(text).ok()));
    let begun = begun.unwrap_or(SystemTime::UNIX_EPOCH);
    let length = ended.and_then(|end| end.duration_since(begun).ok()).unwrap_or_default();
    let (mut serializer, mut builder) =
        (V2DeflateSerializer::new(), IntervalLogWriterBuilder::new());
    let comment = format!("irqscope {}, {}", manifest.tool_version, manifest.scenario);
    builder.add_comment(&one_line(&comment)).with_start_time(begun).with_max_value_divisor(1e6);
    let mut output = output;
    let mut log = builder.begin_log_with(&mut output, &mut serializer)?;
    for case in cases {
        for set in case.histograms(run, &index, FORMAT)?.sets {
            let histogram = histogram(&set)?;
            let name = one_line(&format!("{}/{}", case.name, set.name()));
            let tag = Tag::new(&name).ok_or_else(|| unwritable("a name is no tag"))?;
            log.write_histogram(&histogram, Duration::ZERO, length, Some(tag))
                .map_err(|error| unwritable(format!("{error:?}")))?;
        }
    }
    Ok(())
}

/// Returns a tag or a comment without commas, spaces or new lines.
fn one_line(text: &str) -> String {
    text.replace(|c: char| c.is_whitespace() || c == ',' || c.is_control(), "_")
}

fn histogram(set: &Set) -> Result<Histogram<u64>, ForeignError> {
    let values = set.values();
    let most = values.max().unwrap_or(0).cast_unsigned().max(2);
    let mut histogram = Histogram::new_with_bounds(1, most, DIGITS)
        .map_err(|error| unwritable(format!("{error:?}")))?;
    let mut refused = None;
    values.each(&mut |value, count| {
        if let Err(error) = histogram.record_n(value.cast_unsigned(), count) {
            refused = Some(error);
        }
    })?;
    match refused {
        Some(error) => Err(unwritable(format!("{error:?}"))),
        None => Ok(histogram),
    }
}

fn unwritable(why: impl Into<String>) -> ForeignError {
    ForeignError::Unwritable { format: FORMAT, why: why.into() }
}
