// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The rows of a narrow table, as the summary has their figures.

use irqscope_analysis::{CaseSummary, OverSeeds, SeriesSummary, StageSeeds, StageSummary, Summary};
use irqscope_quantity::{Unit, alone, grouped};
use irqscope_wire::Stage;

use super::Field;
use crate::bench;
use crate::table::table_unit;

/// The figures by field, in nanoseconds or numbers.
type Values = [Option<f64>; Field::ALL.len()];

/// A stage of a case, or a series of a benchmark.
pub(super) struct Row<'a> {
    /// Without a unit.
    pub name: String,
    /// None of a benchmark.
    pub stage: Option<Stage>,
    /// The case, without a seed.
    pub case: &'a str,
    /// The first seed's, where there are several.
    pub of: &'a CaseSummary,
    /// The figures over all seeds; `None` where there is one.
    pub seeds: Option<&'a StageSeeds>,
    pub unit: Unit,
    values: Values,
    /// Cells of a benchmark, which may say more than a value does.
    said: Vec<(&'static str, String)>,
    /// The longest latency of all seeds; of an imported histogram where what lies beyond begins.
    pub worst_ns: Option<f64>,
}

impl Row<'_> {
    pub fn value(&self, field: Field) -> Option<f64> {
        self.values[field.place()]
    }

    pub fn lost(&self) -> u64 {
        self.value(Field::Lost).unwrap_or(0.0) as u64
    }

    pub fn cell(&self, field: Field) -> String {
        match field {
            Field::Stage if self.stage.is_none() => format!("{}, {}", self.name, self.unit.name()),
            Field::Stage => self.name.clone(),
            Field::Case => self.case.to_owned(),
            _ => self.figure(field),
        }
    }

    fn figure(&self, field: Field) -> String {
        let said = self.said.iter().find(|(name, _)| *name == field.name());
        match (self.value(field), said) {
            (Some(count), _) if field.is_count() => grouped(count as u64),
            (Some(ns), _) => self.unit.figure(ns),
            (None, Some((_, text))) => text.clone(),
            (None, None) => "-".to_owned(),
        }
    }

    /// Formats the longest latency with its unit.
    pub fn worst(&self) -> Option<String> {
        let ns = self.worst_ns?;
        let beyond = if self.value(Field::Max).is_none() { ">=" } else { "" };
        let text = match self.stage {
            Some(_) => format!("{} {}", self.unit.figure(ns), self.unit.name()),
            None => alone(ns as i64),
        };
        Some(format!("{beyond}{text}"))
    }
}

/// Makes all rows in the order of a table: by stage and case, then by benchmark.
pub(super) fn rows(summary: &Summary) -> Vec<Row<'_>> {
    let unit = table_unit(summary);
    let mut rows = Vec::new();
    for stage in Stage::ALL {
        let cases = summary.shown_cases();
        rows.extend(cases.filter_map(|(_, case)| of_stage(summary, case, *stage, unit)));
    }
    let tables = bench::tables(summary);
    let is_one = tables.len() == 1;
    for table in tables {
        let kind = table.kind.name();
        rows.extend(table.rows.into_iter().map(|row| {
            let name = bench::series_name(row.one);
            let name = if is_one { name } else { format!("{kind} {name}") };
            of_series(name, row.case, row.one, row.unit)
        }));
    }
    rows
}

fn of_stage<'a>(
    summary: &'a Summary,
    case: &'a CaseSummary,
    stage: Stage,
    unit: Unit,
) -> Option<Row<'a>> {
    let main = case.stage(stage, case.main_view())?;
    let together = summary.seeds.iter().find(|one| case.seed_of.as_ref() == Some(&one.case));
    let seeds = together.and_then(|one| one.stage(stage, main.view));
    let of_seed = |one: &&CaseSummary| one.stage(stage, main.view).map_or(0, lost);
    let lost = summary.seeds_like(case).iter().map(of_seed).sum();
    let values = seeds.map_or_else(|| stage_values(main, lost), |seeds| seed_values(seeds, lost));
    let worst_ns = match seeds {
        Some(seeds) => seeds.max_ns.map(|max| max.highest_ns),
        None => main.max_ns.map(|ns| ns as f64),
    };
    let name = stage.name().to_owned();
    let (case, of, stage) = (case.any_seed(), case, Some(stage));
    Some(Row { name, stage, case, of, seeds, unit, values, said: Vec::new(), worst_ns })
}

fn lost(stage: &StageSummary) -> u64 {
    stage.missing + stage.coalesced
}

fn of_series<'a>(name: String, of: &'a CaseSummary, one: &'a SeriesSummary, unit: Unit) -> Row<'a> {
    let said = bench::COLUMNS.into_iter().zip(bench::figures(one, unit)).collect();
    let beyond = one.beyond.map(|beyond| beyond.from_ns);
    let worst_ns = one.max_ns.or(beyond).map(|ns| ns as f64);
    let (values, case) = (series_values(one), of.case.as_str());
    Row { name, stage: None, case, of, seeds: None, unit, values, said, worst_ns }
}

fn values(of: impl Fn(Field) -> Option<f64>) -> Values {
    Field::ALL.map(of)
}

/// Takes a figure that stages, their seeds and series have by the same name; the others depend on
/// what they are of.
macro_rules! common {
    ($one:expr, $field:expr, $ns:expr) => {
        match $field {
            Field::Count => Some($one.count as f64),
            Field::Min => $ns($one.min_ns),
            Field::P5 => $ns($one.p5_ns),
            Field::P50 => $ns($one.p50_ns),
            Field::P95 => $ns($one.p95_ns),
            Field::P99 => $ns($one.p99_ns),
            Field::P99_9 => $ns($one.p99_9_ns),
            Field::P99_99 => $ns($one.p99_99_ns),
            Field::P99_999 => $ns($one.p99_999_ns),
            Field::Max => $ns($one.max_ns),
            Field::Stage | Field::Case | Field::Mean | Field::Stddev | Field::Lost | Field::Hit => {
                None
            }
        }
    };
}

fn float(ns: Option<i64>) -> Option<f64> {
    ns.map(|ns| ns as f64)
}

fn stage_values(one: &StageSummary, lost: u64) -> Values {
    values(|field| match field {
        Field::Mean => one.mean_ns,
        Field::Stddev => one.stddev_ns,
        Field::Lost => Some(lost as f64),
        Field::Hit => Some(one.hit as f64),
        field => common!(one, field, float),
    })
}

/// Takes the means over the seeds, as the wide table does.
fn seed_values(one: &StageSeeds, lost: u64) -> Values {
    let mean = |figure: Option<OverSeeds>| figure.map(|figure| figure.mean_ns);
    values(|field| match field {
        Field::Mean => mean(one.mean_ns),
        Field::Lost => Some(lost as f64),
        Field::Hit => Some(one.hit as f64),
        field => common!(one, field, mean),
    })
}

fn series_values(one: &SeriesSummary) -> Values {
    values(|field| match field {
        Field::Mean => one.mean_ns,
        Field::Stddev => one.stddev_ns,
        Field::Lost => Some((one.skipped + one.dropped) as f64),
        field => common!(one, field, float),
    })
}
