// SPDX-License-Identifier: Apache-2.0 OR MIT
//! cyclictest's histogram as text, as `-h` and `-H` of version 2.4 print it: one
//! line for each microsecond, one column for each thread, and with `-H` one more
//! for their sum; then totals and figures behind `#`.

use std::io::Write;

use irqscope_analysis::Ascending;
use irqscope_run::RunDir;

use super::subject::Set;
use super::{Case, Export};
use crate::foreign::ForeignError;

/// cyclictest itself takes no more.
const MOST_BINS: usize = 1_000_000;
const UNIT: i64 = 1_000;

/// One thread.
struct Column {
    bins: Vec<u64>,
    overflows: u64,
    min: i64,
    average: i64,
    max: i64,
}

pub fn write(
    run: &RunDir,
    case: Case,
    what: &Export,
    output: &mut dyn Write,
) -> Result<(), ForeignError> {
    let sets = case.histograms(run, &run.index()?, "cyclictest's histogram")?.sets;
    let bins_up_to = |ns: i64| usize::try_from(ns / UNIT).unwrap_or(MOST_BINS);
    let largest = sets.iter().filter_map(|set| set.values().max()).max().unwrap_or(0);
    // Where an imported histogram ended, this one ends too: what is beyond has no bin.
    let ends = sets.iter().filter_map(|set| Some(bins_up_to(set.values().beyond()?.from.0)));
    let most = ends.min().unwrap_or(MOST_BINS).clamp(1, MOST_BINS);
    let bins = what.bins.unwrap_or(bins_up_to(largest).saturating_add(1)).clamp(1, most);
    let columns = sets.iter().map(|set| Column::new(set, bins)).collect::<Result<Vec<_>, _>>()?;
    writeln!(output, "# irqscope {}: {}", run.manifest().tool_version, case.name)?;
    for (number, set) in sets.iter().enumerate() {
        writeln!(output, "# Thread {number} is {}", set.short_name())?;
    }
    writeln!(output, "# Histogram")?;
    for bin in 0..bins {
        let counts = columns.iter().map(|column| column.bins[bin]);
        writeln!(output, "{bin:06} {}", joined(counts, what.sum, "\t", 6))?;
    }
    totals(&columns, what.sum, output)?;
    Ok(())
}

fn totals(columns: &[Column], sum: bool, output: &mut dyn Write) -> std::io::Result<()> {
    let inside =
        columns.iter().map(|column| column.bins.iter().fold(0u64, |a, b| a.saturating_add(*b)));
    writeln!(output, "# Total: {}", joined(inside, sum, " ", 9))?;
    type Figure = fn(&Column) -> i64;
    let figures: [(&str, Figure); 3] =
        [("Min", |one| one.min), ("Avg", |one| one.average), ("Max", |one| one.max)];
    for (name, figure) in figures {
        let all: Vec<String> =
            columns.iter().map(|column| format!("{:05}", figure(column))).collect();
        // -H has the greatest of all behind the maxima, and nothing elsewhere.
        let greatest = columns.iter().map(|column| column.max).max().unwrap_or(0);
        let last = if sum && name == "Max" { format!(" {greatest:05}") } else { String::new() };
        writeln!(output, "# {name} Latencies: {}{last}", all.join(" "))?;
    }
    let overflows = columns.iter().map(|column| column.overflows);
    writeln!(output, "# Histogram Overflows: {}", joined(overflows, sum, " ", 5))?;
    writeln!(output, "# Histogram Overflow at cycle number:")?;
    for (number, column) in columns.iter().enumerate() {
        match column.overflows {
            0 => writeln!(output, "# Thread {number}:")?,
            // As cyclictest says it of those whose numbers it did not keep.
            some => writeln!(output, "# Thread {number}: # {some:05} others")?,
        }
    }
    writeln!(output)
}

fn joined(
    counts: impl Iterator<Item = u64> + Clone,
    sum: bool,
    between: &str,
    width: usize,
) -> String {
    let all = counts.clone().fold(0u64, |all, count| all.saturating_add(count));
    let counts = counts.chain(sum.then_some(all));
    counts.map(|count| format!("{count:0width$}")).collect::<Vec<_>>().join(between)
}

impl Column {
    fn new(set: &Set, bins: usize) -> Result<Self, ForeignError> {
        let values = set.values();
        let (mut counts, mut overflows) = (vec![0u64; bins], 0u64);
        values.each(&mut |value, count| {
            let bin = usize::try_from(value / UNIT).unwrap_or(usize::MAX);
            let place = counts.get_mut(bin).unwrap_or(&mut overflows);
            *place = place.saturating_add(count);
        })?;
        let beyond = values.beyond();
        overflows = overflows.saturating_add(beyond.map_or(0, |beyond| beyond.count));
        let average = set.sum()? / i128::from(values.count().max(1)) / i128::from(UNIT);
        Ok(Self {
            bins: counts,
            overflows,
            min: values.min().unwrap_or(0) / UNIT,
            average: i64::try_from(average).unwrap_or(i64::MAX),
            // The least that it can be, where it is not known.
            max: values.max().or(beyond.map(|beyond| beyond.from.0)).unwrap_or(0) / UNIT,
        })
    }
}
