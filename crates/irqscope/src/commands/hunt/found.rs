// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What a hunt found, as a text and as JSON.

use irqscope_quantity::Span;
use serde::Serialize;

#[derive(Serialize)]
pub struct Found {
    pub stage: &'static str,
    pub latency_ns: u64,
    pub measured: usize,
    pub failed: Vec<(String, String)>,
    pub failures: usize,
    pub scenario: String,
    pub run: String,
    /// Functions of the worst response with the instructions that they took.
    pub functions: Vec<(String, u64)>,
}

impl Found {
    pub fn report(&self, text: &str) -> String {
        let Self { stage, latency_ns, measured, failures, scenario, run, functions, .. } = self;
        let mut all = format!(
            "The latest response of stage {stage} in {measured} mixtures of loads is {}\n\
         ({failures} could not be measured). This scenario repeats it:\n\n{text}\n",
            Span(*latency_ns)
        );
        if !functions.is_empty() {
            all += "Most of its instructions were executed by\n";
            for (name, own) in functions {
                all += &format!("  {own:>9}  {name}\n");
            }
            all.push('\n');
        }
        all + &format!(
            "scenario  {scenario}\nrun       {run}\nnext      irqscope path {run} --stage {stage}\n"
        )
    }
}
