// SPDX-License-Identifier: Apache-2.0 OR MIT
//! How fast frames are appended to the run log: one `write(2)` each.
#![expect(clippy::unwrap_used, reason = "a measurement that cannot go on has failed")]

#[path = "../tests/synthetic/mod.rs"]
mod synthetic;

use std::time::Instant;

use irqscope_run::{RunDir, Source};
use irqscope_wire::Stage;

const FRAMES: u32 = 50_000;
const BYTES: usize = 2_000;

fn main() {
    let parent = tempfile::tempdir().unwrap();
    let plan = synthetic::plan("k/s", &[Stage::Irq], 1);
    let run = RunDir::create(parent.path().join("run"), &synthetic::draft(&[plan])).unwrap();
    let (log, frame) = (run.log(), vec![7; BYTES]);
    let begun = Instant::now();
    (0..FRAMES).for_each(|_| log.append(0, Source::Target, &frame).unwrap());
    let rate = f64::from(FRAMES) / begun.elapsed().as_secs_f64();
    println!("frames of {BYTES} bytes: {rate:.0}/s, {:.0} MB/s", rate * BYTES as f64 / 1e6);
}
