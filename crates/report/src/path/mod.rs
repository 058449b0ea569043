// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The instructions of one latency: tables of functions for the terminal, and a flame graph.

mod flame;

use irqscope_analysis::{CallTree, Difference, PathCheck, PathSample};

use irqscope_quantity::Column::{self, Numbers, Words};
use irqscope_quantity::{aligned, alone, grouped};

pub use flame::flame;

/// Says how far a path of the twin is to be believed.
pub const PATH_CAVEAT: &str = "twin: instructions of an emulated CPU, one after the other; it knows \
                               nothing of caches, buses or firmware";

/// Functions that a table lists; JSON has all.
const LISTED: usize = 30;
const FUNCTIONS: &[Column] = &[Numbers, Numbers, Numbers, Words];

/// Formats `6.1/idle, stage softirq, trigger 17: 2,792 instructions in 5,584 ns`.
pub fn path_title(case: &str, sample: &PathSample) -> String {
    let PathSample { seq, stage, latency_ns, instructions, .. } = sample;
    let latency = alone(*latency_ns);
    let slept = if sample.slept { ", asleep in between" } else { "" };
    let instructions = grouped(*instructions);
    format!("{case}, stage {stage}, trigger {seq}: {instructions} instructions, {latency}{slept}")
}

/// Functions by instructions of their own.
pub fn path_table(tree: &CallTree) -> String {
    let functions = tree.functions();
    let mut rows = vec![["own", "", "total", "function"].map(str::to_owned)];
    for one in functions.iter().take(LISTED) {
        let share = share(one.own, tree.instructions());
        let (own, total) = (grouped(one.own), grouped(one.total));
        rows.push([own, share, total, one.function.clone()]);
    }
    let rest = functions.get(LISTED..).unwrap_or_default();
    if !rest.is_empty() {
        let own = grouped(rest.iter().map(|one| one.own).sum());
        rows.push([own, String::new(), String::new(), format!("in {} more", rest.len())]);
    }
    aligned(&rows, FUNCTIONS)
}

/// Formats what the second path has more, function by function.
pub fn difference_table(difference: &Difference) -> String {
    let (word, count) = more_or_fewer(difference.more());
    let text = format!(
        "the second executes {count} instructions {word}: {} instead of {}\n",
        grouped(difference.after),
        grouped(difference.before)
    );
    let mut rows = vec![["first", "second", "more", "function"].map(str::to_owned)];
    for one in difference.functions.iter().take(LISTED) {
        let (before, after, more) = (grouped(one.before), grouped(one.after), signed(one.more()));
        rows.push([before, after, more, one.function.clone()]);
    }
    let rest = difference.functions.get(LISTED..).unwrap_or_default();
    if !rest.is_empty() {
        let more = signed(rest.iter().map(|one| one.more()).sum());
        rows.push([String::new(), String::new(), more, format!("in {} others", rest.len())]);
    }
    text + &aligned(&rows, FUNCTIONS)
}

/// Says whether every traced sample's instructions are its latency.
pub fn check_line(check: &PathCheck) -> String {
    let PathCheck { samples, equal, slept, faults, mismatches, cut_off } = check;
    let mut line = format!(
        "traced    {} latencies; the instructions are the latency in {}",
        grouped(*samples),
        grouped(*equal)
    );
    if *faults > 0 {
        line.push_str(&format!(", with {} faults", grouped(*faults)));
    }
    if *slept > 0 {
        line.push_str(&format!("; the CPU slept in {}", grouped(*slept)));
    }
    if *cut_off > 0 {
        line.push_str(&format!("; the path of {} is not whole", grouped(*cut_off)));
    }
    if let Some(worst) = mismatches.first() {
        line.push_str(&format!(
            "\nwarning   {} do not agree, the first is trigger {}, stage {}: {} for {}",
            grouped(mismatches.len() as u64),
            worst.seq,
            worst.stage,
            alone(worst.executed_ns + worst.others_ns),
            alone(worst.latency_ns)
        ));
    }
    line
}

fn share(part: u64, whole: u64) -> String {
    format!("{:.1}%", part as f64 * 100.0 / whole.max(1) as f64)
}

fn more_or_fewer(more: i64) -> (&'static str, String) {
    (if more < 0 { "fewer" } else { "more" }, grouped(more.unsigned_abs()))
}

fn signed(count: i64) -> String {
    let sign = if count < 0 { "-" } else { "+" };
    format!("{sign}{}", grouped(count.unsigned_abs()))
}
