// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The tables of docs/comparing.md.

#[allow(dead_code, reason = "a benchmark takes a part of it")]
#[path = "../tests/simulated/mod.rs"]
mod simulated;

use std::time::Instant;

use simulated::Process;
use simulated::coverage::{SCALE, alarms, coverage};
use simulated::tails::{KNOWN, simulate};

const SIMULATIONS: u32 = 1_000;

/// Runs all of them, or those that are named: `-- comparison few tail`.
fn main() {
    let all: [(&str, fn()); 3] = [("comparison", comparison), ("few", few), ("tail", tail)];
    let asked: Vec<String> = std::env::args().collect();
    let is_asked = |name: &str| asked.iter().any(|arg| arg == name);
    let is_any = all.iter().any(|(name, _)| is_asked(name));
    for (name, table) in all {
        if is_asked(name) || !is_any {
            table();
            println!();
        }
    }
}

fn comparison() {
    let begin = Instant::now();
    println!("| samples are | p50 | p90 | p99 | p99.9 | max | false alarms | 10 % found |");
    println!("| --- | --- | --- | --- | --- | --- | --- | --- |");
    let processes = [
        Process::Independent,
        Process::Autoregressive(0.9),
        Process::Autoregressive(0.95),
        Process::Bursts,
        Process::HeavyTail,
        Process::Ties(10),
        Process::Ties(1_000),
    ];
    for process in processes {
        let rates = coverage(process, [50_000; 2], SIMULATIONS, &[500, 900, 990, 999, 1000]);
        let cell = |rate: &simulated::coverage::Rate| match rate.known {
            100.0 => format!("{:.1}", rate.held),
            known => format!("{:.1} (of {known:.1} %)", rate.held),
        };
        let cells: Vec<String> = rates.iter().map(cell).collect();
        let alarm = alarms(process, 5_000, SIMULATIONS, 1.0);
        let found = alarms(process, 5_000, SIMULATIONS / 5, SCALE);
        println!("| {} | {} | {alarm:.1} | {found:.0} |", process.name(), cells.join(" | "));
    }
    println!("{:.0?}", begin.elapsed());
}

/// Simulates hardly enough samples for an interval.
fn few() {
    println!("p99 of 5,000 samples:");
    for process in [Process::Autoregressive(0.95), Process::Bursts] {
        let rate = coverage(process, [5_000; 2], SIMULATIONS, &[990])[0];
        println!("{}: {:.1} (of {:.1} %)", process.name(), rate.held, rate.known);
    }
}

fn tail() {
    let begin = Instant::now();
    println!(
        "| values are | true shape | found | level over the true one | interval held it | refused |"
    );
    println!("| --- | --- | --- | --- | --- | --- |");
    for known in KNOWN {
        let found = simulate(known, 20_000, 300);
        let (shape, ratio) = (found.shape, found.ratio);
        let (held, refused) = (found.held, found.refused);
        println!(
            "| {} | {} | {shape:+.2} | {ratio:.2} | {held:.1} | {refused:.1} |",
            known.name, known.shape
        );
    }
    println!("{:.0?}", begin.elapsed());
}
