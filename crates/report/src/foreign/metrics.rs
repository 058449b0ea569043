// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Metric families as text for Prometheus: OpenMetrics 1.0, and the older text 0.0.4 as well, for
//! node_exporter's textfile collector and Pushgateway. It has types that both know (neither
//! `info`, nor `counter`, whose family has another name there), and `quantile` labels in
//! summaries alone.

use std::io::{Result, Write};

/// A metric family: its samples may not be mixed with another's.
#[derive(Clone, Debug)]
pub struct Family {
    name: &'static str,
    kind: &'static str,
    unit: &'static str,
    help: &'static str,
    lines: Vec<String>,
}

impl Family {
    /// Makes a summary of seconds.
    pub fn summary(name: &'static str, help: &'static str) -> Self {
        Self { name, kind: "summary", unit: "seconds", help, lines: Vec::new() }
    }

    /// Makes a gauge of seconds.
    pub fn seconds(name: &'static str, help: &'static str) -> Self {
        Self { name, kind: "gauge", unit: "seconds", help, lines: Vec::new() }
    }

    /// Makes a gauge without a unit.
    pub fn gauge(name: &'static str, help: &'static str) -> Self {
        Self { name, kind: "gauge", unit: "", help, lines: Vec::new() }
    }

    /// Adds a sample; `labels` are those of [`labels`], perhaps with more behind them.
    pub fn line(&mut self, suffix: &str, labels: &str, value: &str) {
        self.lines.push(format!("{}{suffix}{{{labels}}} {value}", self.name));
    }

    /// Writes the family, if it has any sample.
    ///
    /// # Errors
    /// The output's.
    pub fn write(&self, output: &mut dyn Write) -> Result<()> {
        if self.lines.is_empty() {
            return Ok(());
        }
        let Self { name, kind, unit, help, lines } = self;
        writeln!(output, "# TYPE {name} {kind}")?;
        if !unit.is_empty() {
            writeln!(output, "# UNIT {name} {unit}")?;
        }
        writeln!(output, "# HELP {name} {help}")?;
        lines.iter().try_for_each(|line| writeln!(output, "{line}"))
    }
}

/// Writes families and the end of the text.
///
/// # Errors
/// The output's.
pub fn write_families<'a>(
    families: impl IntoIterator<Item = &'a Family>,
    output: &mut dyn Write,
) -> Result<()> {
    families.into_iter().try_for_each(|family| family.write(output))?;
    writeln!(output, "# EOF")
}

/// Formats labels: `case="6.1/idle",stage="irq"`.
pub fn labels<'a>(all: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    let label = |(name, value): (&str, &str)| format!("{name}=\"{}\"", escaped(value));
    all.into_iter().map(label).collect::<Vec<_>>().join(",")
}

fn escaped(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

/// Formats nanoseconds as seconds, to the digit.
pub fn seconds(ns: i128) -> String {
    let (sign, ns) = (if ns < 0 { "-" } else { "" }, ns.unsigned_abs());
    format!("{sign}{}.{:09}", ns / 1_000_000_000, ns % 1_000_000_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_are_exact() {
        assert_eq!(seconds(1_234), "0.000001234");
        assert_eq!(seconds(-2_000_000_001), "-2.000000001");
    }

    #[test]
    fn labels_are_escaped() {
        assert_eq!(labels([("a", "a\"b\\c\nd"), ("b", "")]), "a=\"a\\\"b\\\\c\\nd\",b=\"\"");
    }

    #[test]
    fn a_family_without_samples_is_not_written() {
        let mut text = Vec::new();
        write_families(&[Family::gauge("nothing", "Nothing.")], &mut text).unwrap();
        assert_eq!(text, b"# EOF\n");
    }
}
