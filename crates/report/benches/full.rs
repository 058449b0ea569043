// SPDX-License-Identifier: Apache-2.0 OR MIT
//! How long the figures and pictures of a large run take: six cases of 250,000
//! samples, each of stage `irq` and one other.
#![expect(clippy::unwrap_used, reason = "a measurement that cannot go on has failed")]

#[path = "../../run/tests/synthetic/mod.rs"]
mod synthetic;

use std::time::Instant;

use irqscope_analysis::{check, derive};
use irqscope_report::write_all;

fn main() {
    let parent = tempfile::tempdir().unwrap();
    let begun = Instant::now();
    let run = synthetic::isolated(&parent.path().join("run"), 6, 250_000);
    let log = std::fs::metadata(run.path().join("run.log")).unwrap().len();
    println!("logged   {:.1?}: {} MB", begun.elapsed(), log / 1_000_000);
    let begun = Instant::now();
    let summary = derive(&run).unwrap();
    check(&summary).unwrap();
    println!("derived  {:.1?}, at most {} kB of memory", begun.elapsed(), peak_kb());
    let begun = Instant::now();
    let page = write_all(&run, &summary).unwrap();
    let size = std::fs::metadata(page).unwrap().len();
    println!("drawn    {:.1?}: {} kB of page", begun.elapsed(), size / 1_000);
}

/// Returns VmHWM of this process.
fn peak_kb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
    line.trim().trim_end_matches(" kB").parse().unwrap_or_default()
}
