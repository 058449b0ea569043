// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `irqscope-agent bench`: benchmarks on a bare target, with a table of their
//! figures at the end, or frames for a host to read.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::path::Path;
use std::process::ExitCode;

use irqscope_wire::{BenchEnd, Decoder, Message, Plan};

use super::options::BenchOptions;
use crate::case;
use crate::context::Context;
use crate::error::{Error, Result};
use crate::sink::Sink;
use crate::stop::Stop;

/// Runs benchmarks by themselves and prints their figures; returns the exit status.
pub fn run(options: &BenchOptions) -> ExitCode {
    match measure(options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("irqscope-agent: error: {error}; {}", error.remedy());
            ExitCode::from(error.exit_code())
        }
    }
}

fn measure(options: &BenchOptions) -> Result<()> {
    let stop = Stop::on_signals()?;
    let context = Context { root: Path::new("/"), stop: &stop, is_real: true, stops: false };
    if let Some(path) = &options.frames {
        return case::run(&context, &options.plan, &mut Sink::stream(frames_file(path)?));
    }
    let mut sink = Sink::memory();
    let measured = case::run(&context, &options.plan, &mut sink);
    // The samples are shown even where the measurement did not end well.
    print(&options.plan, &sink.take()).map_err(Error::Output)?;
    measured
}

fn frames_file(path: &Path) -> Result<File> {
    if path.as_os_str() == "-" {
        return io::stdout().as_fd().try_clone_to_owned().map(File::from).map_err(Error::Output);
    }
    File::create_new(path).map_err(|source| Error::Open { path: path.into(), source })
}

/// Values of the benchmark that is being read, by series.
type Values = BTreeMap<String, Vec<i64>>;

fn print(plan: &Plan, frames: &[u8]) -> io::Result<()> {
    let mut output = io::stdout().lock();
    let mut values = Values::new();
    let mut printed = Ok(());
    Decoder::default().push(frames, |_, frame| {
        if let (Ok(frame), true) = (frame, printed.is_ok()) {
            printed = show(plan, frame.message, &mut values, &mut output);
        }
    });
    printed
}

fn show(
    plan: &Plan,
    message: Message,
    values: &mut Values,
    output: &mut impl Write,
) -> io::Result<()> {
    match message {
        Message::Note(note) => writeln!(output, "{}", note.text),
        Message::Started(_) => writeln!(output, "\n{}", head()),
        Message::BenchSamples(batch) => {
            let kept = values.entry(batch.series).or_default();
            kept.extend(batch.samples.iter().map(|sample| sample.value.0));
            Ok(())
        }
        Message::BenchEnd(end) => write_rows(plan, &end, std::mem::take(values), output),
        _ => Ok(()),
    }
}

fn head() -> String {
    let figures = ["count", "min", "p50", "p99", "max", "mean", "skipped", "dropped"];
    let figures: String = figures.iter().map(|name| format!("{name:>10}")).collect();
    format!("{:<42}{figures}   (latencies in us)", "benchmark")
}

fn write_rows(
    plan: &Plan,
    end: &BenchEnd,
    mut values: Values,
    output: &mut impl Write,
) -> io::Result<()> {
    let Some(benchmark) = plan.benchmarks().get(usize::from(end.benchmark)) else { return Ok(()) };
    let name = format!("{} {}", benchmark.kind(), benchmark.variant());
    if let Some(why) = &end.unavailable {
        return writeln!(output, "{name}: {why}");
    }
    for count in &end.series {
        let name = format!("{name} {} ({})", count.series, end.class);
        let mut sorted = values.remove(&count.series).unwrap_or_default();
        sorted.sort_unstable();
        let figures = figures(&sorted).unwrap_or_else(|| " ".repeat(50));
        let (taken, skipped, dropped) = (count.taken, count.skipped, count.dropped);
        writeln!(output, "{name:<42}{taken:>10}{figures}{skipped:>10}{dropped:>10}")?;
    }
    Ok(())
}

/// Formats order statistics by nearest rank, as the host has them.
fn figures(sorted: &[i64]) -> Option<String> {
    let rank = |thousandths: usize| {
        let rank = (sorted.len() * thousandths).div_ceil(1000).max(1);
        sorted.get(rank - 1).copied()
    };
    let sum: i128 = sorted.iter().copied().map(i128::from).sum();
    let mean = sum as f64 / sorted.len().max(1) as f64;
    let order = [*sorted.first()?, rank(500)?, rank(990)?, *sorted.last()?];
    let figures = order.map(|ns| ns as f64).into_iter().chain([mean]);
    Some(figures.map(|ns| format!("{:>10.3}", ns / 1e3)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_order_statistics_in_microseconds() {
        let values: Vec<i64> = (1..=1_000).map(|n| n * 1_000).collect();
        let figures = figures(&values).unwrap();
        let figures: Vec<&str> = figures.split_whitespace().collect();
        assert_eq!(figures, ["1.000", "500.000", "990.000", "1000.000", "500.500"]);
        assert_eq!(super::figures(&[]), None);
    }
}
