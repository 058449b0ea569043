// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The report of a made-up run: self-contained, escaped, and really drawn.

#[path = "../../run/tests/synthetic/mod.rs"]
mod synthetic;

use irqscope_analysis::derive;
use irqscope_report::{table, write_all};

#[test]
fn the_report_of_a_run_is_written_with_all_its_figures() {
    let parent = tempfile::tempdir().unwrap();
    // To look at the pictures: IRQSCOPE_KEEP=dir cargo test -p irqscope-report
    let path = std::env::var_os("IRQSCOPE_KEEP").map(Into::into);
    let run = synthetic::demo(&path.unwrap_or_else(|| parent.path().join("run")), 2_000);
    let summary = derive(&run).unwrap();
    let html = write_all(&run, &summary).unwrap();
    let page = std::fs::read_to_string(html).unwrap();
    println!("{}", table(&summary));
    assert!(page.contains("<svg"));
}
