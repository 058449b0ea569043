// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Finding a figure among those of the experiments: in their summaries, in what explains their
//! responses, and in their critical sections.

use std::collections::BTreeMap;

use irqscope_analysis::{Above, AnalysisError, Explanation, Locks, Summary, derive};
use irqscope_quantity::Quantile;
use irqscope_run::RunDir;
use serde_json::{Value, json};

use super::Quantity;

/// As `irqscope explain` has it where nothing else is said.
const LATE: Above = Above::Quantile(Quantile::P99);

/// All figures of a run: its summary, and with each case what the summary has not.
#[derive(Clone, Debug)]
pub struct Figures(Value);

/// The figures of the experiments that were run, and why the others were not, by name.
#[derive(Clone, Debug, Default)]
pub struct Summaries(BTreeMap<String, Result<Value, String>>);

impl Figures {
    /// Derives the figures of a run.
    ///
    /// # Errors
    /// The run cannot be read.
    pub fn of(run: &RunDir) -> Result<Self, AnalysisError> {
        let mut figures = Self::of_summary(&derive(run)?);
        let plans = run.manifest().cases.iter().filter_map(|case| case.plan.as_ref());
        // Nothing else is in the log of others, which may be long.
        if plans.into_iter().any(|plan| plan.explains() || plan.delayed_locking.is_some()) {
            for data in run.cases()? {
                let data = data?;
                let explained = data.explained.is_some();
                let explanations =
                    if explained { Explanation::of_case(&data, LATE).0 } else { Vec::new() };
                figures.add(&data.case, &explanations, Locks::of_case(&data, None).as_ref());
            }
        }
        Ok(figures)
    }

    pub(super) fn of_summary(summary: &Summary) -> Self {
        Self(serde_json::to_value(summary).unwrap_or_default())
    }

    /// Adds what explains a case's responses, and its critical sections.
    fn add(&mut self, case: &str, explanations: &[Explanation], locks: Option<&Locks>) {
        let cases = self.0["cases"].as_array_mut().into_iter().flatten();
        for of in cases.filter(|of| of["case"] == case) {
            of["parts"] = explanations.iter().flat_map(parts).collect();
            of["rows"] = explanations.iter().flat_map(rows).collect();
            of["sections"] = locks.map_or(Value::Null, sections);
            of["work"] = locks.map_or(Value::Null, |locks| json!(locks.work));
        }
    }
}

fn parts(one: &Explanation) -> Vec<Value> {
    let with_stage = |part| {
        let mut value = json!(part);
        value["stage"] = json!(one.stage);
        value
    };
    one.parts.iter().map(with_stage).collect()
}

/// Returns the rows of an explained stage, those of one kind of cause as one.
fn rows(one: &Explanation) -> Vec<Value> {
    let mut kinds: BTreeMap<&str, (usize, i64, i64)> = BTreeMap::new();
    for row in &one.rows.rows {
        let name = match row.kind {
            Some(kind) => kind.name(),
            None if row.name.is_empty() => "undisturbed",
            None => continue,
        };
        let (count, least, max) = kinds.entry(name).or_insert((0, i64::MAX, 0));
        *count += row.count;
        *least = (*least).min(row.p50_ns);
        *max = (*max).max(row.max_ns);
    }
    let value = |(row, (count, least, max)): (&str, (usize, i64, i64))| {
        json!({ "stage": one.stage, "row": row, "count": count,
                "least_p50_ns": least, "max_ns": max })
    };
    kinds.into_iter().map(value).collect()
}

/// Returns a case's critical sections by function, those of one function as one.
fn sections(locks: &Locks) -> Value {
    let mut functions: BTreeMap<&str, (u64, u64, u64)> = BTreeMap::new();
    for site in &locks.sites {
        let (count, total, max) = functions.entry(&site.function).or_default();
        *count += site.count;
        *total += site.total_ns;
        *max = (*max).max(site.max_ns);
    }
    let value = |(section, (count, total, max)): (&str, (u64, u64, u64))| {
        json!({ "section": section, "count": count, "max_ns": max,
                "mean_ns": (count > 0).then(|| total as f64 / count as f64) })
    };
    functions.into_iter().map(value).collect()
}

impl Summaries {
    /// Adds an experiment's figures, or the reason for which there are none.
    pub fn add(&mut self, experiment: &str, figures: Result<Figures, String>) {
        self.0.insert(experiment.to_owned(), figures.map(|Figures(value)| value));
    }

    /// Returns a figure in the units of `summary.json`.
    ///
    /// # Errors
    /// The reason for which there is none.
    pub(super) fn figure(&self, at: &Quantity) -> Result<f64, String> {
        let figures = match self.0.get(&at.experiment) {
            Some(Ok(figures)) => figures,
            Some(Err(why)) => return Err(why.clone()),
            None => return Err(format!("{} was not run", at.experiment)),
        };
        let is = |value: &Value, key: &str, wanted: &Option<String>| {
            wanted.as_deref().is_none_or(|wanted| value[key] == wanted)
        };
        let case = items(figures, "cases").find(|case| case["case"] == at.case.as_str());
        let case = case.ok_or_else(|| format!("{} has no case {}", at.experiment, at.case))?;
        let is_sound = case["violations"].as_array().is_some_and(Vec::is_empty);
        if !is_sound {
            return Err(format!("{} of {} is invalid", at.case, at.experiment));
        }
        let list = at.list().ok_or_else(|| format!("{} names no figure", at.name))?;
        let mut rows = items(case, list).filter(|row| {
            is(row, "stage", &at.stage)
                && is(row, "view", &at.view)
                && is(row, "part", &at.part)
                && is(row, "row", &at.row)
                && is(row, "section", &at.section)
                && is(row, "load", &at.load)
                && is(row, "benchmark", &at.benchmark)
                && is(row, "variant", &at.variant)
                && is(row, "series", &at.series)
        });
        let (Some(row), None) = (rows.next(), rows.next()) else {
            return Err(format!(
                "{} of {} has not exactly one {}",
                at.case, at.experiment, at.name
            ));
        };
        let value = at.figure.split('.').fold(row, |value, key| &value[key]);
        value.as_f64().ok_or_else(|| format!("{} has no {}", at.name, at.figure))
    }
}

fn items<'a>(value: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> {
    value[key].as_array().into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use irqscope_analysis::{HoldTimes, LockSource};

    fn site(function: &str, count: u64, total_ns: u64, max_ns: u64) -> HoldTimes {
        HoldTimes {
            function: function.into(),
            place: String::new(),
            kind: "bh".into(),
            count,
            total_ns,
            max_ns,
            average_ns: None,
            histogram: Vec::new(),
            manager: None,
            collision: None,
        }
    }

    fn locks() -> Locks {
        Locks {
            case: "k/s".into(),
            source: LockSource::Monitor,
            settings: None,
            sites: vec![site("sends", 2, 30, 20), site("sends", 1, 60, 60), site("gets", 0, 0, 0)],
            decisions: Vec::new(),
            tasks: Vec::new(),
            safe_period_ns: None,
            others: 0,
            longest_other_ns: 0,
            work: Vec::new(),
        }
    }

    fn quantity(section: &str, figure: &str) -> Quantity {
        let text = format!(
            "name = \"x\"\nin = \"e\"\ncase = \"k/s\"\nsection = \"{section}\"\nfigure = \"{figure}\""
        );
        toml::from_str(&text).unwrap()
    }

    #[test]
    fn places_of_one_function_are_one_section_of_its_case() {
        let empty = json!({ "cases": [{ "case": "k/s", "violations": [] }] });
        let mut figures = Figures(empty.clone());
        figures.add("another", &[], Some(&locks()));
        assert_eq!(figures.0, empty);
        figures.add("k/s", &[], Some(&locks()));
        let mut summaries = Summaries::default();
        summaries.add("e", Ok(figures));
        let figure = |section, figure| summaries.figure(&quantity(section, figure));
        assert_eq!(figure("sends", "mean_ns"), Ok(30.0));
        assert_eq!(figure("sends", "max_ns"), Ok(60.0));
        assert_eq!(figure("gets", "mean_ns"), Err("x has no mean_ns".into()));
        assert_eq!(figure("forgets", "max_ns"), Err("k/s of e has not exactly one x".into()));
    }

    #[test]
    fn a_quantity_names_one_kind_of_figure() {
        let mut one = quantity("sends", "max_ns");
        assert_eq!(one.list(), Some("sections"));
        one.stage = Some("irq".into());
        assert_eq!(one.list(), None, "a stage has no sections");
        (one.section, one.part) = (None, Some("interrupt-latency".into()));
        assert_eq!(one.list(), Some("parts"));
        one.part = None;
        assert_eq!(one.list(), None, "a stage's latency needs a view");
    }
}
