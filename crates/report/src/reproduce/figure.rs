// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Finding a figure in the summaries of the experiments.

use std::collections::BTreeMap;

use irqscope_analysis::Summary;
use serde_json::Value;

use super::Quantity;

/// The summaries of the experiments that were run, and why the others were not, by name.
#[derive(Clone, Debug, Default)]
pub struct Summaries(BTreeMap<String, Result<Value, String>>);

impl Summaries {
    /// Adds an experiment's summary, or the reason for which there is none.
    pub fn add(&mut self, experiment: &str, summary: Result<Summary, String>) {
        let value = summary
            .and_then(|summary| serde_json::to_value(summary).map_err(|error| error.to_string()));
        self.0.insert(experiment.to_owned(), value);
    }

    /// Returns a figure in the units of `summary.json`.
    ///
    /// # Errors
    /// The reason for which there is none.
    pub(super) fn figure(&self, at: &Quantity) -> Result<f64, String> {
        let summary = match self.0.get(&at.experiment) {
            Some(Ok(summary)) => summary,
            Some(Err(why)) => return Err(why.clone()),
            None => return Err(format!("{} was not run", at.experiment)),
        };
        let is = |value: &Value, key: &str, wanted: &Option<String>| {
            wanted.as_deref().is_none_or(|wanted| value[key] == wanted)
        };
        let case = items(summary, "cases").find(|case| case["case"] == at.case.as_str());
        let case = case.ok_or_else(|| format!("{} has no case {}", at.experiment, at.case))?;
        let is_sound = case["violations"].as_array().is_some_and(Vec::is_empty);
        if !is_sound {
            return Err(format!("{} of {} is invalid", at.case, at.experiment));
        }
        let list = if at.stage.is_some() { "stages" } else { "benchmarks" };
        let mut rows = items(case, list).filter(|row| {
            is(row, "stage", &at.stage)
                && is(row, "view", &at.view)
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
