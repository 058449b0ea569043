// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The figures of the five references beside those of our own runs.
//!
//! `entries` has each reference's results as data: what they showed and where, the experiment that
//! repeats them, and where in that experiment's figures ours are. `verdict.rs` compares sign and order,
//! which another machine and another kernel have to agree in, and the size of the effect, which they
//! need not. `page.rs` shows it.

mod figure;
mod page;
mod verdict;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use figure::{Figures, Summaries};
pub use page::{listing, markdown, text};
pub use verdict::{Outcome, Size, Verdict};

/// The experiments, and the entries of each reference.
const FILES: [&str; 6] = [
    include_str!("entries/experiments.toml"),
    include_str!("entries/1-thesis.toml"),
    include_str!("entries/2-rt-patch.toml"),
    include_str!("entries/3-intspect.toml"),
    include_str!("entries/4-not-real-time.toml"),
    include_str!("entries/5-delayed-locking.toml"),
];

/// All experiments and entries.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Collection {
    /// The experiments by name, which each several entries may need.
    #[serde(rename = "experiment")]
    pub experiments: BTreeMap<String, Experiment>,
    /// In the order of the references.
    #[serde(rename = "entry")]
    pub entries: Vec<Entry>,
}

/// A scenario to run: a bundled one with some keys set, or a text.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Experiment {
    /// The bundled scenario's name.
    pub scenario: Option<String>,
    /// Keys of the scenario and their values, as `irqscope run --set` takes them.
    #[serde(default)]
    pub set: BTreeMap<String, toml::Value>,
    /// The scenario itself.
    pub text: Option<String>,
}

/// One figure or table of a reference.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// Its name on the command line.
    pub id: String,
    /// The reference's number.
    pub reference: u8,
    /// The figure, table or section.
    pub place: String,
    /// The result, in a sentence.
    pub shows: String,
    /// The unit of the reference's numbers and of ours.
    pub unit: Unit,
    /// The claim about the quantities.
    pub claim: Claim,
    /// In the reference's order where it has no numbers: ascending.
    #[serde(default, rename = "quantity", skip_serializing_if = "Vec::is_empty")]
    pub quantities: Vec<Quantity>,
    /// A remark on the experiment, whatever the verdict.
    pub note: Option<String>,
    /// Why today's kernels or this machine differ, where they do.
    pub because: Option<String>,
    /// The part of this program that is missing to repeat it.
    pub lacks: Option<String>,
}

/// The reference's claim about an entry's quantities.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Claim {
    /// They are in this order: of the reference's numbers, or as they are listed.
    Order,
    /// They are equal, to 10 %.
    Equal,
    /// All of them are there, and take time.
    Present,
}

/// A unit of the figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    /// Microseconds.
    Us,
    /// Milliseconds.
    Ms,
    /// No unit.
    Count,
}

impl Unit {
    fn of_time(self) -> Option<irqscope_quantity::Unit> {
        match self {
            Self::Us => Some(irqscope_quantity::Unit::Us),
            Self::Ms => Some(irqscope_quantity::Unit::Ms),
            Self::Count => None,
        }
    }
}

/// A figure of the reference and the place of ours.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Quantity {
    /// The name of its subject.
    pub name: String,
    /// The reference's number, if it gives one.
    pub theirs: Option<f64>,
    /// The experiment.
    #[serde(rename = "in")]
    pub experiment: String,
    /// The case of its run.
    pub case: String,
    /// The stage, or none of a benchmark.
    pub stage: Option<String>,
    /// The view of a stage's latencies.
    pub view: Option<String>,
    /// Of an explained stage, a part of its responses.
    pub part: Option<String>,
    /// Of an explained stage, the responses that this kind of cause held up the most; `undisturbed`
    /// of those that none did.
    pub row: Option<String>,
    /// The function of a critical section, or the softirq.
    pub section: Option<String>,
    /// The load whose work is meant.
    pub load: Option<String>,
    /// The benchmark.
    pub benchmark: Option<String>,
    /// Its variant.
    pub variant: Option<String>,
    /// Its series.
    pub series: Option<String>,
    /// The figure's name in `summary.json`, or where else it is from; `execution.max_ns` of an object
    /// in it.
    pub figure: String,
}

impl Quantity {
    /// Returns the list of a case's figures that it is in; none if it names too much or too little.
    pub(crate) fn list(&self) -> Option<&'static str> {
        let asked = [&self.stage, &self.view, &self.part, &self.row];
        let [stage, view, part, row] = asked.map(Option::is_some);
        let [benchmark, section, load] =
            [&self.benchmark, &self.section, &self.load].map(Option::is_some);
        match (stage, view, part, row, benchmark, section, load) {
            (true, true, false, false, false, false, false) => Some("stages"),
            (true, false, true, false, false, false, false) => Some("parts"),
            (true, false, false, true, false, false, false) => Some("rows"),
            (false, false, false, false, true, false, false) => Some("benchmarks"),
            (false, false, false, false, false, true, false) => Some("sections"),
            (false, false, false, false, false, false, true) => Some("work"),
            _ => None,
        }
    }
}

impl Collection {
    /// Returns the bundled entries.
    ///
    /// # Errors
    /// They do not parse, or name an experiment that there is not: a fault of this program, which
    /// its tests find.
    pub fn bundled() -> Result<Self, String> {
        let all: Self = toml::from_str(&FILES.concat()).map_err(|error| error.to_string())?;
        for entry in &all.entries {
            let missing = entry
                .quantities
                .iter()
                .find(|quantity| !all.experiments.contains_key(&quantity.experiment));
            if let Some(quantity) = missing {
                return Err(format!("{}: no experiment {}", entry.id, quantity.experiment));
            }
        }
        Ok(all)
    }

    /// Returns the entries of these names; all where none is given.
    ///
    /// # Errors
    /// The first name that no entry has.
    pub fn chosen(&self, ids: &[String]) -> Result<Vec<&Entry>, String> {
        if ids.is_empty() {
            return Ok(self.entries.iter().collect());
        }
        let find = |id: &String| {
            self.entries.iter().find(|entry| entry.id == *id).ok_or_else(|| id.clone())
        };
        ids.iter().map(find).collect()
    }

    /// Returns the names of the experiments that entries need, each once, in order.
    pub fn experiments_of(&self, entries: &[&Entry]) -> Vec<&str> {
        let needed = |name: &&String| {
            entries.iter().any(|entry| entry.quantities.iter().any(|one| one.experiment == **name))
        };
        self.experiments.keys().filter(needed).map(String::as_str).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_says_where_and_what_and_can_be_compared() {
        let all = Collection::bundled().unwrap();
        for (place, entry) in all.entries.iter().enumerate() {
            assert!(all.entries[..place].iter().all(|other| other.id != entry.id), "{}", entry.id);
            assert!((1..=5).contains(&entry.reference), "{}", entry.id);
            let enough = entry.quantities.len() >= 2 || entry.lacks.is_some();
            assert!(enough, "{} compares nothing", entry.id);
            for one in &entry.quantities {
                assert!(one.list().is_some(), "{}: {}", entry.id, one.name);
            }
            let numbers = entry.quantities.iter().filter(|one| one.theirs.is_some()).count();
            assert!(numbers == 0 || numbers == entry.quantities.len(), "{}", entry.id);
        }
        for (name, experiment) in &all.experiments {
            assert!(experiment.scenario.is_some() != experiment.text.is_some(), "{name}");
        }
        let references: std::collections::BTreeSet<u8> =
            all.entries.iter().map(|entry| entry.reference).collect();
        assert_eq!(references.len(), 5);
    }
}
