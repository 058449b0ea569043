// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Critical sections as a table and as distributions.

use std::fmt::Write;

use irqscope_analysis::{HoldTimes, LockSource, Locks};

use irqscope_quantity::Column::{Numbers, Words};
use irqscope_quantity::{Unit, aligned, alone, exact, grouped};

/// Columns that a distribution's longest bar takes.
const BAR: u64 = 40;

/// Formats every case, with its longest `most` sites; of the longest `drawn` the distribution.
pub fn locks_text(all: &[Locks], most: usize, drawn: usize) -> String {
    let mut text = String::new();
    for locks in all {
        head(&mut text, locks);
        let shown = &locks.sites[..locks.sites.len().min(most)];
        if !shown.is_empty() {
            let _ = writeln!(text, "{}", table(shown));
        }
        if locks.sites.len() > shown.len() {
            let _ = writeln!(text, "{} more sites are shorter\n", locks.sites.len() - shown.len());
        }
        shown.iter().take(drawn).for_each(|site| distribution(&mut text, site));
        foot(&mut text, locks);
    }
    text
}

/// Says where figures come from.
pub fn source(locks: &Locks) -> &'static str {
    match locks.source {
        LockSource::Monitor => "hold times of every section, by the kernel's monitor",
        LockSource::Interference => {
            "no monitor in this kernel: what was left, after a trigger, of sections that delayed \
             it, by its events"
        }
        LockSource::Loads => "no section was recorded; the work of the loads alone",
        LockSource::Instructions => {
            "every section from its first instruction to its last, as the twin executed it"
        }
        LockSource::Tracepoints => {
            "every section that the kernel has a tracepoint of; a short one by the function that disabled, a long one \
             by the function that the stack showed at its end"
        }
    }
}

fn head(text: &mut String, locks: &Locks) {
    let _ = writeln!(text, "{}  {}", locks.case, source(locks));
    if let Some(settings) = locks.settings {
        let _ = writeln!(
            text,
            "mode {}, policy {}, forced after {} refusals, short periods: {}",
            settings.mode, settings.policy, settings.max_refusals, settings.short_period
        );
    }
    text.push('\n');
}

fn table(sites: &[HoldTimes]) -> String {
    let (rows, unit) = rows(sites);
    format!("{}times in {}\n", aligned(&rows, &[Words, Words, Words, Numbers]), unit.name())
}

/// Returns the cells of all sites below the names of columns, of which the first three are words, and
/// the unit of their times.
pub fn rows(sites: &[HoldTimes]) -> (Vec<Vec<String>>, Unit) {
    let unit = Unit::for_largest(sites.iter().map(|site| signed(site.max_ns)).max().unwrap_or(0));
    let decided = sites.iter().any(|site| site.manager.is_some());
    let held_against = sites.iter().any(|site| site.collision.is_some());
    // The monitor has it, with the policy that needs it.
    let averaged = sites.iter().any(|site| site.average_ns.is_some());
    let mut head = vec!["section", "place", "kind", "count", "mean"];
    if averaged {
        head.push("average");
    }
    head.extend(["99 % below", "max"]);
    if held_against {
        head.push("would wait");
    }
    if decided {
        head.extend(["refused", "forced", "cannot wait", "longest delay"]);
    }
    let mut rows = vec![head.into_iter().map(str::to_owned).collect::<Vec<_>>()];
    for site in sites {
        let figure = |ns: Option<f64>| ns.map_or_else(|| "-".to_owned(), |ns| unit.figure(ns));
        let whole = |ns: Option<u64>| figure(ns.map(|ns| ns as f64));
        let mut row = vec![site.function.clone(), site.place.clone(), site.kind.clone()];
        row.extend([grouped(site.count), figure(site.mean_ns())]);
        if averaged {
            row.push(whole(site.average_ns));
        }
        row.extend([whole(site.below_ns(990)), whole(Some(site.max_ns))]);
        if held_against {
            row.push(would_wait(site));
        }
        if decided {
            let manager = site.manager.unwrap_or_default();
            row.extend([manager.refused, manager.forced, manager.cannot_wait].map(grouped));
            row.push(whole(Some(manager.delay_max_ns)));
        }
        rows.push(row);
    }
    (rows, unit)
}

fn would_wait(site: &HoldTimes) -> String {
    match site.collision {
        Some(collision) if collision.starves => "always".to_owned(),
        Some(collision) => format!("{:.2} %", collision.refused_per_cent),
        None => "-".to_owned(),
    }
}

fn distribution(text: &mut String, site: &HoldTimes) {
    let most = site.histogram.iter().copied().max().unwrap_or(0);
    if most == 0 {
        return;
    }
    let names = [&site.function, &site.place, &site.kind].map(String::as_str);
    let named: Vec<&str> = names.into_iter().filter(|name| !name.is_empty()).collect();
    let _ = writeln!(text, "{}", named.join("  "));
    let used = |count: &u64| *count > 0;
    let first = site.histogram.iter().position(used).unwrap_or(0);
    let last = site.histogram.iter().rposition(used).unwrap_or(0);
    for bin in first..=last {
        let count = site.histogram[bin];
        let bar = "█".repeat((count * BAR).div_ceil(most) as usize);
        let from = alone(1i64 << bin);
        let _ = writeln!(text, "  from {from:>10}  {:>12}  {bar}", grouped(count));
    }
    text.push('\n');
}

fn foot(text: &mut String, locks: &Locks) {
    let decisions: Vec<String> = locks
        .decisions
        .iter()
        .map(|(name, value)| match name.strip_suffix("_ns") {
            Some(name) => format!("{} {}", name.replace('_', " "), alone(signed(*value))),
            None => format!("{} {}", name.replace('_', " "), grouped(*value)),
        })
        .collect();
    if !decisions.is_empty() {
        let _ = writeln!(text, "decisions: {}", decisions.join(", "));
    }
    if let Some(period) = locks.safe_period_ns.filter(|period| *period > 0) {
        let _ = writeln!(text, "shortest safe period: {}", exact(period));
    }
    if locks.others > 0 {
        let (others, longest) = (grouped(locks.others), alone(signed(locks.longest_other_ns)));
        let _ = writeln!(text, "{others} sections at still other places, {longest} at most");
    }
    for task in &locks.tasks {
        let [longest, sum] = [task.delay_max_ns, task.delay_ns].map(|ns| alone(signed(ns)));
        let _ = writeln!(
            text,
            "delayed: {} ({}), {} times, {longest} at most, {sum} in all, forced {}",
            task.name,
            task.pid,
            grouped(task.delays),
            grouped(task.forced)
        );
    }
    for work in &locks.work {
        let each = work.ns_per.map_or_else(|| "none".to_owned(), |ns| alone(ns.round() as i64));
        let (load, per) = (work.load, work.per);
        let _ = writeln!(text, "load {load}: {each} per {per}, over {}", alone(signed(work.ns)));
    }
    text.push('\n');
}

fn signed(ns: u64) -> i64 {
    i64::try_from(ns).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_without_a_place_are_counted_with_the_longest() {
        let locks = Locks {
            case: "6.1/idle".into(),
            source: LockSource::Instructions,
            settings: None,
            sites: Vec::new(),
            decisions: Vec::new(),
            tasks: Vec::new(),
            safe_period_ns: None,
            work: Vec::new(),
            others: 1_234,
            longest_other_ns: 56_000,
        };
        let text = locks_text(std::slice::from_ref(&locks), 20, 3);
        assert!(text.contains("1,234 sections at still other places, 56.00 µs at most"), "{text}");
        let none = locks_text(&[Locks { others: 0, ..locks }], 20, 3);
        assert!(!none.contains("other places"), "{none}");
    }
}
