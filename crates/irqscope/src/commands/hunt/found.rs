// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The find of a hunt, as a text and as JSON.

use irqscope_hunt::{Culprit, Pool};
use serde::Serialize;

use super::super::probing::figure;
use super::range::{Range, Way, number};

/// Culprits that the text shows.
const SHOWN: usize = 10;

/// A culprit, and loads under which it held a response up for longest.
#[derive(Serialize)]
pub struct Longest {
    pub culprit: String,
    pub latency_ns: u64,
    pub loads: Vec<String>,
    /// A scenario that repeats it; it is not reduced.
    pub scenario: String,
}

#[derive(Serialize)]
pub struct Found {
    pub stage: &'static str,
    /// Which of the latest responses counted, from 1 on.
    pub nth: usize,
    /// The number of its trigger.
    pub seq: u64,
    pub latency_ns: u64,
    /// Responses to the scenario that was found.
    pub answered: usize,
    /// How many of them took longer than half of the latency.
    pub longer_than_half: usize,
    /// The longest latency after that one.
    pub next_ns: u64,
    pub measured: usize,
    pub failed: Vec<(String, String)>,
    pub failures: usize,
    pub scenario: String,
    pub run: String,
    /// Functions of the worst response with the instructions that they took.
    pub functions: Vec<(String, u64)>,
    /// How many functions held responses up, or called what did.
    pub functions_met: usize,
    /// Those of the search with a record, that of the longest latency first.
    pub culprits: Vec<Longest>,
}

impl Longest {
    pub fn of(culprit: &Culprit, range: &Range, pool: &Pool) -> Self {
        let Culprit { longest, mixture } = culprit;
        let loads = mixture.parts.iter().map(|part| pool.sources[part.source].name());
        Self {
            culprit: longest.whole.clone(),
            latency_ns: longest.latency,
            loads: loads.collect(),
            scenario: range.scenario(mixture, pool, &longest.whole, Way::Explained),
        }
    }
}

impl Found {
    pub fn report(&self, text: &str) -> String {
        let Self { stage, latency_ns, measured, failures, scenario, run, .. } = self;
        let mut all = format!(
            "The {} response of stage {stage} in {measured} mixtures of loads is {}\n\
             ({failures} could not be measured). This scenario repeats it:\n\n{text}\n\
             {} of {} responses took longer than half of that, the one after it {}.\n",
            number(self.nth),
            figure(*latency_ns),
            self.longer_than_half,
            self.answered,
            figure(self.next_ns)
        );
        if self.longer_than_half == 1 {
            all += "More triggers show whether it comes again, and --nth 2 looks for what does:\n";
            all += &format!(
                "  irqscope run {scenario} --allow-commands --set trigger.count={}\n",
                10 * self.answered
            );
        }
        all.push('\n');
        if !self.functions.is_empty() {
            all += "Most of its instructions were executed by\n";
            for (name, own) in &self.functions {
                all += &format!("  {own:>9}  {name}\n");
            }
            all.push('\n');
        }
        all += &self.culprits();
        all + &format!(
            "scenario  {scenario}\nrun       {run}\nnext      irqscope path {run} --stage {stage} --at {}\n",
            self.seq
        )
    }

    fn culprits(&self) -> String {
        if self.culprits.is_empty() {
            return String::new();
        }
        let mut all = "The longest latency that each culprit held up, where that was recorded, and the loads\n".to_owned();
        for one in self.culprits.iter().take(SHOWN) {
            let loads = one.loads.join(", ");
            all += &format!("  {:>12}  {}  [{loads}]\n", figure(one.latency_ns), one.culprit);
        }
        if let Some(more @ 1..) = self.culprits.len().checked_sub(SHOWN) {
            all += &format!("  and {more} more: --json has them all, each with its scenario\n");
        }
        all.push('\n');
        all
    }
}
