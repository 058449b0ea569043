// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `irqscope scenario`: list, show, check and write scenarios.

use std::path::Path;

use irqscope_quantity::{Column, aligned, grouped};
use irqscope_scenario::{
    Overrides, RigKind, Scenario, ScenarioError, ScenarioFile, bundled, schema, template,
};
use irqscope_wire::{BenchmarkKind, Load, Stage};

use super::{Done, write_new};
use crate::cli::{Execution, Scenario as Options};
use crate::exit::{Exit, Trouble};

pub fn scenario(options: &Options) -> Done {
    match options {
        Options::List => list(),
        Options::Show(execution) => show(execution),
        Options::Check { scenarios } => check(scenarios),
        Options::New { file } => new(file),
        Options::Schema => {
            print!("{}", schema());
            Ok(Exit::Fine)
        }
    }
}

pub fn list() -> Done {
    println!("Scenarios");
    let mut rows = Vec::new();
    for scenario in bundled() {
        let parsed = Scenario::load(scenario.name)?;
        let cases: Vec<String> = parsed.cases().iter().map(|case| case.plan.case.clone()).collect();
        rows.push([format!("  {}", scenario.name), parsed.about.clone()]);
        rows.push([String::new(), format!("  {}", cases.join(", "))]);
    }
    print!("{}", aligned(&rows, &[Column::Words]));
    println!("\nStages   {}", Stage::NAMES.join(", "));
    println!("Bench    {} (irqscope bench)", BenchmarkKind::NAMES.join(", "));
    println!("Loads    {}", Load::NAMES.join(", "));
    println!("Rigs     {}", RigKind::ALL.map(RigKind::name).join(", "));
    println!("Kernels  {} (irqscope kernel list)", irqscope_rig::TESTED.join(", "));
    Ok(Exit::Fine)
}

/// Prints what is in effect: the keys as a scenario, and the cases.
fn show(execution: &Execution) -> Done {
    let file = ScenarioFile::load(&execution.scenario)?;
    let mut overrides = execution.overrides();
    overrides.allow_commands(); // nothing is run
    let scenario = Scenario::resolve(&file, &overrides)?;
    print!("{}", scenario.to_toml());
    println!("\n# Cases:");
    for case in scenario.cases() {
        println!("#   {}: {}", case.plan.case, samples(case.plan.samples()));
    }
    Ok(Exit::Fine)
}

fn samples(count: u64) -> String {
    match count {
        0 => "as many samples as its time allows".to_owned(),
        1 => "1 sample".to_owned(),
        count => format!("{} samples", grouped(count)),
    }
}

fn check(names: &[String]) -> Done {
    let mut wrong = Vec::new();
    for name in names {
        match checked(name) {
            Ok(scenario) => println!("{name}: fine, {} cases", scenario.cases().len()),
            Err(error) => wrong.push(error.to_string()),
        }
    }
    if wrong.is_empty() { Ok(Exit::Fine) } else { Err(Trouble::new(Exit::Usage, wrong.join("\n"))) }
}

/// Resolves a scenario with its commands and paths, of which nothing is run or read.
pub(super) fn checked(name: &str) -> Result<Scenario, ScenarioError> {
    let mut overrides = Overrides::default();
    overrides.allow_commands();
    Scenario::resolve(&ScenarioFile::load(name)?, &overrides)
}

fn new(file: &Path) -> Done {
    if file.extension().is_none_or(|extension| extension != "toml") {
        let text = format!("{}: the name of a scenario's file ends in .toml", file.display());
        return Err(Trouble::new(Exit::Usage, text));
    }
    write_new(file, template())?;
    println!("wrote {}; irqscope scenario check {0} checks it", file.display());
    Ok(Exit::Fine)
}
