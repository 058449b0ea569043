// SPDX-License-Identifier: Apache-2.0 OR MIT
//! OpenMetrics 1.0 text: exact quantiles as a summary, in seconds. Values on both sides of zero may
//! not be a summary's and become a gauge.
//!
//! node_exporter's textfile collector and Pushgateway read an older format, Prometheus' text 0.0.4.
//! This output is both: it has types that both know (neither `info`, nor `counter`, whose
//! family has another name there), and `quantile` labels in summaries alone.

use std::io::Write;

use irqscope_analysis::Ascending;
use irqscope_quantity::Quantile;
use irqscope_run::RunDir;

use super::Case;
use super::subject::Set;
use crate::foreign::ForeignError;

/// A metric family: its samples may not be mixed with another's.
struct Family {
    name: &'static str,
    kind: &'static str,
    unit: &'static str,
    help: &'static str,
    lines: Vec<String>,
}

struct Families {
    latency: Family,
    deviation: Family,
    extremes: [Family; 2],
    without: Family,
}

impl Families {
    fn new() -> Self {
        let family = |name, kind, unit, help| Family { name, kind, unit, help, lines: Vec::new() };
        let gauge = |name, help| family(name, "gauge", "seconds", help);
        let latency = "Latencies and lengths; quantiles are exact order statistics of all samples.";
        let deviation =
            "Deviations from a period: the value that this share of them is at or below.";
        let without = "Triggers or periods that have no value, by what became of them.";
        Self {
            latency: family("irqscope_latency_seconds", "summary", "seconds", latency),
            deviation: gauge("irqscope_deviation_seconds", deviation),
            extremes: [
                gauge("irqscope_min_seconds", "The smallest value."),
                gauge("irqscope_max_seconds", "The greatest value."),
            ],
            without: family("irqscope_without_value", "gauge", "", without),
        }
    }

    fn add(&mut self, case: &Case, set: &Set) -> Result<(), ForeignError> {
        let values = set.values();
        let labels = labels(&case.name, set);
        if values.count() == 0 {
            return Ok(());
        }
        let extremes = [values.min(), values.max()];
        for (family, value) in self.extremes.iter_mut().zip(extremes) {
            let value = value.map(|value| seconds(value.into()));
            value.iter().for_each(|value| family.line("", &labels, value));
        }
        let signed = set.is_signed() || values.min().is_some_and(|least| least < 0);
        let family = if signed { &mut self.deviation } else { &mut self.latency };
        let asked = Quantile::OF_SUMMARIES;
        for (quantile, value) in asked.iter().zip(values.quantiles(asked)?) {
            let Some(value) = value else { continue };
            // A gauge may have no `quantile`.
            let label = if signed { "share" } else { "quantile" };
            let labels = format!("{labels},{label}=\"{}\"", quantile.share());
            family.line("", &labels, &seconds(value.into()));
        }
        if !signed {
            family.line("_count", &labels, &values.count().to_string());
            // Of values beyond an imported histogram no sum is known.
            if values.beyond().is_none() {
                family.line("_sum", &labels, &seconds(set.sum()?));
            }
        }
        for (what, count) in &set.without {
            let labels = format!("{labels},outcome=\"{what}\"");
            self.without.line("", &labels, &count.to_string());
        }
        Ok(())
    }
}

impl Family {
    fn line(&mut self, suffix: &str, labels: &str, value: &str) {
        self.lines.push(format!("{}{suffix}{{{labels}}} {value}", self.name));
    }

    fn write(&self, output: &mut dyn Write) -> std::io::Result<()> {
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

pub fn write(run: &RunDir, cases: &[Case], output: &mut dyn Write) -> Result<(), ForeignError> {
    let index = run.index()?;
    let mut families = Families::new();
    for case in cases {
        for set in &case.sets(run, &index)?.sets {
            families.add(case, set)?;
        }
    }
    let manifest = run.manifest();
    writeln!(output, "# TYPE irqscope_run_info gauge")?;
    writeln!(output, "# HELP irqscope_run_info What the figures are of; always 1.")?;
    let labels = [
        ("scenario", &manifest.scenario),
        ("rig", &manifest.rig),
        ("tool_version", &manifest.tool_version),
        ("started", &manifest.started_utc),
    ];
    let labels = labels.map(|(name, value)| format!("{name}=\"{}\"", escaped(value)));
    writeln!(output, "irqscope_run_info{{{}}} 1", labels.join(","))?;
    let Families { latency, deviation, extremes: [min, max], without } = families;
    for family in [latency, deviation, min, max, without] {
        family.write(output)?;
    }
    writeln!(output, "# EOF")?;
    Ok(())
}

fn labels(case: &str, set: &Set) -> String {
    let all = [("case", case)].into_iter();
    let all = all.chain(set.labels.iter().map(|(name, value)| (*name, value.as_str())));
    all.map(|(name, value)| format!("{name}=\"{}\"", escaped(value))).collect::<Vec<_>>().join(",")
}

fn escaped(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

/// Formats nanoseconds as seconds, to the digit.
fn seconds(ns: i128) -> String {
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
        assert_eq!(escaped("a\"b\\c\nd"), "a\\\"b\\\\c\\nd");
    }
}
