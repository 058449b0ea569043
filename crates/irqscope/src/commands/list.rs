// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `irqscope list`: what can be run.

use irqscope_scenario::{RigKind, Scenario, bundled};
use irqscope_wire::{BenchmarkKind, Load, Stage};

use super::Done;
use crate::exit::Exit;

pub fn list() -> Done {
    println!("Scenarios");
    for scenario in bundled() {
        let parsed = Scenario::load(scenario.name)?;
        let cases: Vec<String> = parsed.cases().into_iter().map(|case| case.plan.case).collect();
        println!("  {:10} {}", scenario.name, parsed.about);
        println!("  {:10}   {}", "", cases.join(", "));
    }
    println!("\nStages   {}", Stage::NAMES.join(", "));
    println!("Bench    {} (irqscope bench)", BenchmarkKind::NAMES.join(", "));
    println!("Loads    {}", Load::NAMES.join(", "));
    println!("Rigs     {}", RigKind::ALL.map(RigKind::name).join(", "));
    println!("Kernels  {} (irqscope kernel list)", irqscope_rig::TESTED.join(", "));
    Ok(Exit::Fine)
}
