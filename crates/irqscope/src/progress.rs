// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Progress on a terminal; plain lines where standard error is not one.

use std::io::IsTerminal;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use irqscope_rig::RigError;
use irqscope_run::{CaseManifest, Watch};

use crate::console::shown;

pub struct Progress {
    lines: MultiProgress,
    terminal: bool,
    preparing: ProgressBar,
    cases: Mutex<Vec<ProgressBar>>,
}

impl Progress {
    pub fn new() -> Self {
        let lines = MultiProgress::new();
        let preparing = lines.add(bar("preparing", 0));
        Self {
            lines,
            terminal: std::io::stderr().is_terminal(),
            preparing,
            cases: Mutex::default(),
        }
    }

    fn case(&self, index: usize) -> Option<ProgressBar> {
        self.cases.lock().unwrap_or_else(PoisonError::into_inner).get(index).cloned()
    }
}

impl Watch for Progress {
    fn preparing(&self, what: &str) {
        if self.terminal {
            self.preparing.enable_steady_tick(Duration::from_millis(120));
            self.preparing.set_message(shown(what).into_owned());
        } else {
            eprintln!("irqscope: {what}");
        }
    }

    fn begun(&self, cases: &[CaseManifest]) {
        self.preparing.finish_and_clear();
        let count =
            |case: &CaseManifest| case.plan.as_ref().map_or(0, irqscope_wire::Plan::samples);
        let bars = cases.iter().map(|case| self.lines.add(bar(&case.case, count(case)))).collect();
        *self.cases.lock().unwrap_or_else(PoisonError::into_inner) = bars;
    }

    fn phase(&self, case: usize, phase: &str) {
        if let Some(bar) = self.case(case) {
            if bar.message().is_empty() {
                bar.reset_elapsed(); // it has waited for its turn
            }
            bar.enable_steady_tick(Duration::from_millis(120));
            bar.set_message(shown(phase).into_owned());
        }
    }

    fn samples(&self, case: usize, more: u64) {
        if let Some(bar) = self.case(case) {
            bar.set_message("receiving samples");
            bar.inc(more);
        }
    }

    fn ended(&self, case: usize, result: &Result<(), RigError>) {
        let Some(bar) = self.case(case) else { return };
        let word = if result.is_ok() { "done" } else { "failed" };
        bar.finish_with_message(word);
        if !self.terminal {
            eprintln!("irqscope: {} {word} ({:.1} s)", bar.prefix(), bar.elapsed().as_secs_f64());
        }
    }
}

fn bar(name: &str, length: u64) -> ProgressBar {
    let style = ProgressStyle::with_template("{spinner} {prefix:20} {bar:24} {elapsed:>4} {msg}")
        .unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(length).with_style(style).with_prefix(shown(name).into_owned())
}
