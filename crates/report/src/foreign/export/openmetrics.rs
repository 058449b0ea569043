// SPDX-License-Identifier: Apache-2.0 OR MIT
//! OpenMetrics 1.0 text: exact quantiles as a summary, in seconds. Values on both sides of zero may
//! not be a summary's and become a gauge.

use std::io::Write;

use irqscope_analysis::Ascending;
use irqscope_quantity::Quantile;
use irqscope_run::RunDir;

use super::Case;
use super::subject::Set;
use crate::foreign::ForeignError;
use crate::foreign::metrics::{Family, labels, seconds, write_families};

struct Families {
    latency: Family,
    deviation: Family,
    extremes: [Family; 2],
    without: Family,
}

impl Families {
    fn new() -> Self {
        let latency = "Latencies and lengths; quantiles are exact order statistics of all samples.";
        let deviation =
            "Deviations from a period: the value that this share of them is at or below.";
        let without = "Triggers or periods that have no value, by what became of them.";
        Self {
            latency: Family::summary("irqscope_latency_seconds", latency),
            deviation: Family::seconds("irqscope_deviation_seconds", deviation),
            extremes: [
                Family::seconds("irqscope_min_seconds", "The smallest value."),
                Family::seconds("irqscope_max_seconds", "The greatest value."),
            ],
            without: Family::gauge("irqscope_without_value", without),
        }
    }

    fn add(&mut self, case: &Case, set: &Set) -> Result<(), ForeignError> {
        let values = set.values();
        let labels = labels_of(&case.name, set);
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

pub fn write(run: &RunDir, cases: &[Case], output: &mut dyn Write) -> Result<(), ForeignError> {
    let index = run.index()?;
    let mut families = Families::new();
    for case in cases {
        for set in &case.sets(run, &index)?.sets {
            families.add(case, set)?;
        }
    }
    let manifest = run.manifest();
    let mut info = Family::gauge("irqscope_run_info", "Names the run of the figures; always 1.");
    let of = labels([
        ("scenario", &*manifest.scenario),
        ("rig", &manifest.rig),
        ("tool_version", &manifest.tool_version),
        ("started", &manifest.started_utc),
    ]);
    info.line("", &of, "1");
    let Families { latency, deviation, extremes: [min, max], without } = families;
    Ok(write_families(&[info, latency, deviation, min, max, without], output)?)
}

fn labels_of(case: &str, set: &Set) -> String {
    let all = [("case", case)].into_iter();
    labels(all.chain(set.labels.iter().map(|(name, value)| (*name, value.as_str()))))
}
