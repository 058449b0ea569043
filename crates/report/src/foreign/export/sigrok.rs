// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A sigrok session (format version 2), for PulseView and sigrok-cli: a ZIP archive
//! with the lines of one case, sampled. <https://sigrok.org/wiki/File_format:Sigrok/v2>
//!
//! Without a rate of one's own the samples are as far apart as the largest number
//! of nanoseconds of which every change is a multiple, so that none is moved.

use std::io::{Cursor, Write};

use irqscope_analysis::Waves;
use irqscope_run::RunDir;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::Export;
use super::subject::Case;
use super::wires::waves;
use crate::foreign::ForeignError;

/// More take too long to open.
const MOST_SAMPLES: u64 = 1 << 27;
/// In one member of the archive.
const CHUNK: usize = 1 << 22;
const SECOND: u64 = 1_000_000_000;

pub fn write(
    run: &RunDir,
    case: Case,
    what: &Export,
    output: &mut dyn Write,
) -> Result<(), ForeignError> {
    let mut all = waves(run, &[case], what)?;
    let Some(waves) = all.pop() else { return Err(ForeignError::Nothing { of: String::new() }) };
    let unwritable = |why: String| ForeignError::Unwritable { format: "a sigrok session", why };
    let sampling = Sampling::of(&waves, what.rate).map_err(unwritable)?;
    let archive = archive(&waves, sampling).map_err(|error| unwritable(error.to_string()))?;
    Ok(output.write_all(&archive)?)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Sampling {
    hertz: u64,
    /// The instant of the first sample.
    from: i64,
    samples: u64,
}

impl Sampling {
    fn of(waves: &Waves, rate: Option<u64>) -> Result<Self, String> {
        let (from, to) = waves.span().ok_or("nothing changes in it")?;
        let hertz = rate.unwrap_or_else(|| SECOND / step(waves, from));
        // One before the first change, and one after the last.
        let samples =
            u128::from((to - from).unsigned_abs()) * u128::from(hertz) / u128::from(SECOND) + 3;
        if hertz == 0 || hertz > SECOND {
            return Err("--rate is 1Hz to 1000MHz".to_owned());
        }
        match u64::try_from(samples).ok().filter(|samples| *samples <= MOST_SAMPLES) {
            Some(samples) => Ok(Self { hertz, from: from - 1_000_000_000 / hertz as i64, samples }),
            None => Err(format!(
                "{samples} samples at {hertz} Hz are more than {MOST_SAMPLES}: take fewer triggers \
                 with --triggers, a lower --rate, or export vcd"
            )),
        }
    }

    /// Returns the first sample that is not before an instant.
    fn number(self, at: i64) -> u64 {
        let since = u128::from((at - self.from).max(0).unsigned_abs());
        let number = (since * u128::from(self.hertz)).div_ceil(u128::from(SECOND));
        u64::try_from(number).unwrap_or(u64::MAX).min(self.samples)
    }
}

/// Returns the largest divisor of a second that all distances are multiples of.
fn step(waves: &Waves, from: i64) -> u64 {
    let changes = waves.lines.iter().flat_map(|line| &line.changes);
    changes.fold(SECOND, |step, change| gcd(step, (change.at - from).unsigned_abs()))
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

fn archive(waves: &Waves, sampling: Sampling) -> Result<Vec<u8>, zip::result::ZipError> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default();
    let unit = waves.lines.len().div_ceil(8);
    zip.start_file("version", options)?;
    zip.write_all(b"2")?;
    zip.start_file("metadata", options)?;
    zip.write_all(metadata(waves, sampling, unit).as_bytes())?;
    let samples = samples(waves, sampling, unit);
    for (number, chunk) in samples.chunks(CHUNK / unit * unit).enumerate() {
        zip.start_file(format!("logic-1-{}", number + 1), options)?;
        zip.write_all(chunk)?;
    }
    Ok(zip.finish()?.into_inner())
}

fn metadata(waves: &Waves, sampling: Sampling, unit: usize) -> String {
    let mut text = format!(
        "[global]\nsigrok version=0.5.2\n\n[device 1]\ncapturefile=logic-1\ntotal probes={}\n\
         samplerate={} Hz\ntotal analog=0\n",
        waves.lines.len(),
        sampling.hertz
    );
    for (number, line) in waves.lines.iter().enumerate() {
        text.push_str(&format!("probe{}={}\n", number + 1, line.name));
    }
    text.push_str(&format!("unitsize={unit}\n"));
    text
}

/// Packs `unit` bytes a sample, line n in bit n.
fn samples(waves: &Waves, sampling: Sampling, unit: usize) -> Vec<u8> {
    let mut bytes = vec![0u8; sampling.samples as usize * unit];
    for (number, line) in waves.lines.iter().enumerate() {
        for pulse in line.changes.chunks(2) {
            let from = sampling.number(pulse[0].at);
            let to = pulse.get(1).map_or(sampling.samples, |fall| sampling.number(fall.at));
            // A pulse between two samples is shown in one: it was there.
            for sample in from..to.max(from + 1).min(sampling.samples) {
                bytes[sample as usize * unit + number / 8] |= 1 << (number % 8);
            }
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_step_is_the_largest_that_moves_no_change() {
        assert_eq!((gcd(SECOND, 2), gcd(12, 18), gcd(7, 0)), (2, 6, 7));
    }
}
