// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Figures by the levels of an axis: kernels, states, or one of a scenario's own. Cases that are alike but for the
//! level stand in one row.

use irqscope_analysis::Summary;
use irqscope_quantity::{Column, aligned};
use irqscope_run::{CaseManifest, Manifest};

use super::rows::{Row, rows};
use super::{Field, Line};

/// The figures of a row.
const FIELDS: [Field; 3] = [Field::P50, Field::P99, Field::Max];
/// Axes that each run has.
const KERNEL: &str = "kernel";
const STATE: &str = "state";

/// Figures by the levels of one axis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ByAxis {
    /// The axis.
    pub axis: String,
    /// Its levels, in the order of the cases.
    pub levels: Vec<String>,
    /// The unit of stages' figures, those of benchmarks have their own in their names; in words.
    pub legend: String,
    /// By stage or series, by case, by figure.
    pub rows: Vec<AxisRow>,
}

/// One figure at each level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AxisRow {
    /// The stage, or the series with its unit.
    pub name: String,
    /// All else that the cases have in common: kernel, state and levels of other axes.
    pub case: String,
    /// The figure's name.
    pub figure: &'static str,
    /// At each level; a dash where it was not measured or there are too few samples.
    pub cells: Vec<String>,
    /// How many times the least of them the greatest is; `-` where that says nothing.
    pub factor: String,
}

/// Rows that are alike but for the level.
struct Group<'a> {
    name: String,
    case: String,
    /// By level.
    at: Vec<Option<Row<'a>>>,
}

/// Returns the axes of a run that have two levels or more; kernels and states behind the scenario's own.
pub fn axes(manifest: &Manifest) -> Vec<String> {
    let own = manifest.cases.iter().flat_map(|case| case.levels.keys().cloned());
    let mut all: Vec<String> = own.chain([KERNEL.to_owned(), STATE.to_owned()]).collect();
    let mut seen = Vec::new();
    all.retain(|axis| {
        let new = !seen.contains(axis);
        seen.push(axis.clone());
        new && levels(manifest, axis).len() > 1
    });
    all
}

/// Returns a run's figures by the levels of an axis; `None` where it has no such axis.
pub fn by_axis(manifest: &Manifest, summary: &Summary, axis: &str) -> Option<ByAxis> {
    let levels = levels(manifest, axis);
    if levels.len() < 2 {
        return None;
    }
    // Rows that differ in their level alone, in the order of the first of each.
    let mut groups: Vec<Group<'_>> = Vec::new();
    let mut unit = None;
    for row in rows(summary) {
        let case = manifest.cases.iter().find(|case| case.case == row.of.case);
        let Some((case, level)) = case.and_then(|case| Some((case, level(case, axis)?))) else {
            continue;
        };
        let Some(place) = levels.iter().position(|one| one == level) else { continue };
        unit = unit.or(row.stage.map(|_| row.unit.name()));
        let (name, case) = (row.cell(Field::Stage), rest(case, axis));
        let is_it = |group: &Group<'_>| (&group.name, &group.case) == (&name, &case);
        let group = groups.iter().position(is_it).unwrap_or_else(|| {
            groups.push(Group { name, case, at: levels.iter().map(|_| None).collect() });
            groups.len() - 1
        });
        groups[group].at[place].get_or_insert(row);
    }
    let rows = groups.iter().flat_map(|Group { name, case, at }| {
        FIELDS.map(|field| AxisRow {
            name: name.clone(),
            case: case.clone(),
            figure: field.name(),
            cells: at
                .iter()
                .map(|row| row.as_ref().map_or_else(|| "-".to_owned(), |row| row.cell(field)))
                .collect(),
            factor: factor(at, field),
        })
    });
    let unit = unit.map_or_else(String::new, |unit| format!("latencies in {unit}; "));
    let legend = format!("{unit}x: the greatest figure of a row by the least");
    Some(ByAxis { axis: axis.to_owned(), levels, legend, rows: rows.collect() })
}

/// Formats them as a table.
pub fn axis_screen(by: &ByAxis, width: usize) -> Vec<Line> {
    let head = ["stage", "case", ""].map(str::to_owned).into_iter().chain(by.levels.clone());
    let mut table = vec![head.chain(["x".to_owned()]).collect::<Vec<String>>()];
    let mut before = None;
    for row in &by.rows {
        let key = (&row.name, &row.case);
        let is_next = before == Some(key);
        before = Some(key);
        let [name, case] =
            [&row.name, &row.case].map(|text| if is_next { String::new() } else { text.clone() });
        let start = [name, case, row.figure.to_owned()];
        let cells = start.into_iter().chain(row.cells.iter().cloned());
        table.push(cells.chain([row.factor.clone()]).collect());
    }
    let mut columns = vec![Column::Words; 3];
    columns.resize(by.levels.len() + 4, Column::Numbers);
    let text = aligned(&table, &columns);
    let mut lines: Vec<Line> = vec![Line::plain(format!("By {}", by.axis))];
    lines.extend(text.lines().map(|line| Line::plain(line.trim_end().to_owned())));
    lines.push(Line::plain(String::new()));
    lines.extend(Line::wrapped(&by.legend, width, 0, false));
    lines
}

fn level<'a>(case: &'a CaseManifest, axis: &str) -> Option<&'a str> {
    match axis {
        KERNEL => Some(&case.kernel),
        STATE => Some(&case.state.name),
        _ => case.levels.get(axis).map(String::as_str),
    }
}

fn levels(manifest: &Manifest, axis: &str) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for level in manifest.cases.iter().filter_map(|case| level(case, axis)) {
        if !all.iter().any(|one| one == level) {
            all.push(level.to_owned());
        }
    }
    all
}

/// Names all but the level.
fn rest(case: &CaseManifest, axis: &str) -> String {
    let ground = [(KERNEL, &case.kernel), (STATE, &case.state.name)];
    let ground = ground.into_iter().filter(|(name, _)| *name != axis).map(|(_, is)| is.clone());
    let others = case.levels.iter().filter(|(name, _)| *name != axis);
    let others = others.map(|(name, level)| format!("{name}-{level}"));
    ground.chain(others).collect::<Vec<_>>().join("/")
}

fn factor(at: &[Option<Row<'_>>], field: Field) -> String {
    let values: Vec<f64> = at.iter().flatten().filter_map(|row| row.value(field)).collect();
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    let most = values.iter().copied().fold(0.0, f64::max);
    if values.len() > 1 && least > 0.0 { format!("{:.2}", most / least) } else { "-".to_owned() }
}
