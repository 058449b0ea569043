// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Bursts as tables: what was raised against what ran, and which threads ksoftirqd waited for.

use std::fmt::Write;

use irqscope_analysis::{Burst, BurstStage, Bursts, Handed, Merge};

use irqscope_quantity::{Column, aligned, alone, exact, grouped};

/// Formats every burst of a case, or those that were chosen.
pub fn bursts_table(bursts: &Bursts, chosen: &[&Burst]) -> String {
    let mut text = String::new();
    let Bursts { case, triggers, interval_ns, compensate, .. } = bursts;
    let interval = exact(*interval_ns);
    let _ = writeln!(
        text,
        "{case}: {} bursts of {triggers} triggers, {interval} apart; compensation: {compensate}\n",
        grouped(bursts.bursts.len() as u64)
    );
    text.push_str(&aligned(&totals(bursts), Column::FIGURES));
    for burst in chosen {
        let _ = writeln!(text, "\nburst from trigger {}", grouped(burst.seq));
        text.push_str(&aligned(&rows(burst), Column::FIGURES));
        for stage in &burst.stages {
            if !stage.merged.is_empty() {
                let _ = writeln!(text, "  {}: {}", stage.stage, merged(&stage.merged));
            }
        }
        for handed in &burst.handed {
            let _ = writeln!(text, "  {}", handed_text(handed));
        }
    }
    text
}

const HEAD: [&str; 8] = ["stage", "", "raised", "ran", "merged", "missing", "least", "most"];

fn head() -> Vec<String> {
    HEAD.map(str::to_owned).to_vec()
}

fn row(stage: &BurstStage, of: &str) -> Vec<String> {
    let time = |ns: Option<i64>| ns.map_or("-".to_owned(), alone);
    let counts = [stage.raised, stage.ran, stage.merged.len() as u64, stage.missing];
    let mut row = vec![stage.stage.to_string(), of.to_owned()];
    row.extend(counts.map(grouped));
    row.extend([stage.min_ns, stage.max_ns].map(time));
    row
}

fn rows(burst: &Burst) -> Vec<Vec<String>> {
    let rows = burst.stages.iter().map(|stage| row(stage, ""));
    std::iter::once(head()).chain(rows).collect()
}

/// Sums over all bursts of the case.
fn totals(bursts: &Bursts) -> Vec<Vec<String>> {
    let mut all: Vec<BurstStage> = Vec::new();
    for stage in bursts.bursts.iter().flat_map(|burst| &burst.stages) {
        match all.iter_mut().find(|one| one.stage == stage.stage) {
            Some(sum) => {
                sum.raised += stage.raised;
                sum.ran += stage.ran;
                sum.missing += stage.missing;
                sum.merged.extend(&stage.merged);
                sum.min_ns = sum.min_ns.into_iter().chain(stage.min_ns).min();
                sum.max_ns = sum.max_ns.max(stage.max_ns);
            }
            None => all.push(stage.clone()),
        }
    }
    let asserted = bursts.bursts.iter().map(|burst| burst.asserted).sum();
    let mut rows = vec![head()];
    let mut line = vec!["line".to_owned(), "asserted".to_owned(), grouped(asserted)];
    line.resize(HEAD.len(), String::new());
    rows.push(line);
    rows.extend(all.iter().map(|stage| row(stage, "all")));
    rows
}

/// Formats `3 into 2; 8, 9 into 7`, triggers counted from 1 in their burst.
fn merged(merged: &[Merge]) -> String {
    let mut groups: Vec<(i64, Vec<i64>)> = Vec::new();
    for merge in merged {
        match groups.last_mut().filter(|(into, _)| *into == merge.into) {
            Some((_, triggers)) => triggers.push(merge.trigger),
            None => groups.push((merge.into, vec![merge.trigger])),
        }
    }
    let number = |trigger: i64| (trigger + 1).to_string();
    let group = |(into, triggers): &(i64, Vec<i64>)| {
        let triggers: Vec<String> = triggers.iter().map(|one| number(*one)).collect();
        let into = if *into < 0 { "an earlier burst".to_owned() } else { number(*into) };
        format!("{} into {into}", triggers.join(", "))
    };
    let groups: Vec<String> = groups.iter().map(group).collect();
    format!("merged {}", groups.join("; "))
}

fn handed_text(handed: &Handed) -> String {
    let Handed { at_ns, rounds, rounds_ns, priority, waited_ns, ahead } = handed;
    let after = match rounds {
        0 => "at once".to_owned(),
        _ => format!("after {rounds} rounds in {}", alone(*rounds_ns)),
    };
    let waited = match waited_ns {
        Some(ns) => format!("waited {} for the CPU", alone(*ns)),
        None => "did not get the CPU while a sample was open".to_owned(),
    };
    let ahead: Vec<String> = ahead
        .iter()
        .map(|one| format!("{} ({}) {}", one.thread, one.priority, alone(one.ns)))
        .collect();
    let whom = if ahead.is_empty() { String::new() } else { format!(": {}", ahead.join(", ")) };
    format!("{} ksoftirqd ({priority}) was woken {after}; {waited}{whom}", alone(*at_ns))
}

#[cfg(test)]
mod tests {
    use super::*;
    use irqscope_analysis::Ahead;

    #[test]
    fn merges_are_grouped_by_the_run_they_went_into() {
        let merge = |trigger, into| Merge { trigger, into };
        let text = merged(&[merge(2, 1), merge(7, 6), merge(8, 6), merge(0, -1)]);
        assert_eq!(text, "merged 3 into 2; 8, 9 into 7; 1 into an earlier burst");
    }

    #[test]
    fn what_ksoftirqd_waited_for_reads_as_a_sentence() {
        let ahead =
            Ahead { thread: "hog".into(), priority: "real-time 40".into(), ns: 949_000_000 };
        let handed = Handed {
            at_ns: 730_000,
            rounds: 10,
            rounds_ns: 712_000,
            priority: "nice 0".into(),
            waited_ns: Some(950_000_000),
            ahead: vec![ahead],
        };
        let expected = "730.00 µs ksoftirqd (nice 0) was woken after 10 rounds in 712.00 µs; \
                        waited 950.00 ms for the CPU: hog (real-time 40) 949.00 ms";
        assert_eq!(handed_text(&handed), expected);
    }
}
