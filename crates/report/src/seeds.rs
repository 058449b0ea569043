// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Figures over several seeds: one line for each stage of a case, whatever the number of its seeds.

use irqscope_analysis::{OverSeeds, SeedsSummary, StageSeeds, Summary};
use irqscope_quantity::{Unit, grouped};
use irqscope_wire::{Stage, View};

/// The heads of a line's cells, after its case.
pub const COLUMNS: [&str; 8] = ["seeds", "count", "p50", "p99", "max", "mean", "missing", "irq"];

/// One line.
pub struct Row<'a> {
    pub case: &'a str,
    pub cells: Vec<String>,
}

/// Formats the lines of one stage, each in its case's main view.
pub fn rows(summary: &Summary, stage: Stage, unit: Unit) -> Vec<Row<'_>> {
    let shown = |one: &&SeedsSummary| {
        summary.shown_cases().any(|(_, case)| case.seed_of.as_ref() == Some(&one.case))
    };
    let row = |one| Some(cells(one, one.stage(stage, view(summary, one))?, unit));
    let cases = summary.seeds.iter().filter(shown);
    cases.filter_map(|one| Some(Row { case: &one.case, cells: row(one)? })).collect()
}

fn view(summary: &Summary, one: &SeedsSummary) -> View {
    let seed = summary.cases.iter().find(|case| case.seed_of.as_ref() == Some(&one.case));
    seed.map_or(View::Inside, irqscope_analysis::CaseSummary::main_view)
}

fn cells(of: &SeedsSummary, stage: &StageSeeds, unit: Unit) -> Vec<String> {
    let all = of.seeds.len() + of.left_out.len();
    let seeds = match of.left_out.len() {
        0 => all.to_string(),
        _ => format!("{} of {all}", of.seeds.len()),
    };
    let mut cells = vec![seeds, grouped(stage.count)];
    let figures = [stage.p50_ns, stage.p99_ns, stage.max_ns, stage.mean_ns];
    cells.extend(figures.map(|one| one.map_or_else(|| "-".into(), |one| figure(&one, unit))));
    cells.extend([grouped(stage.missing), grouped(stage.hit)]);
    cells
}

/// Formats `8.53 [8.51, 8.56]`. Limits are rounded outwards, with a decimal more where the interval
/// would not be seen.
fn figure(one: &OverSeeds, unit: Unit) -> String {
    let Some([low, high]) = one.interval_ns else { return unit.figure(one.mean_ns) };
    let coarse = (unit.ns() / 100).max(1);
    let is_short = high - low < 4.0 * coarse as f64;
    let step = if is_short { (coarse / 10).max(1) } else { coarse };
    let at =
        |ns: f64, round: fn(f64) -> f64| unit.stepped(round(ns / step as f64) as i64 * step, step);
    format!("{} [{}, {}]", at(one.mean_ns, f64::round), at(low, f64::floor), at(high, f64::ceil))
}

/// Explains the columns that do not say it themselves.
pub fn legend(summary: &Summary) -> String {
    let level = summary.seeds.first().map_or(0.0, |one| one.level * 100.0);
    format!(
        "means of the figures of all seeds; [..]: where the mean of all seeds that there could be lies with {level:.0} %; without it all seeds have the same figure, or there is one seed; irq: answers that another interrupt hit"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_rounded_outwards_and_never_to_nothing() {
        let of = |mean_ns, interval_ns| OverSeeds {
            mean_ns,
            lowest_ns: 0.0,
            highest_ns: 0.0,
            interval_ns,
        };
        let us = |one| figure(&one, Unit::Us);
        assert_eq!(us(of(8_530.4, Some([8_512.0, 8_558.0]))), "8.53 [8.51, 8.56]");
        assert_eq!(us(of(838.2, Some([837.9, 838.6]))), "0.838 [0.837, 0.839]");
        assert_eq!(us(of(838.2, None)), "0.84");
        assert_eq!(figure(&of(838.2, Some([837.9, 838.6])), Unit::Ns), "838 [837, 839]");
    }
}
