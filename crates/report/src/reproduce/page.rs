// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The outcomes as text for a terminal and as a Markdown page.

use std::fmt::Write;

use irqscope_quantity::{Column, aligned};

use super::{Claim, Entry, Outcome, Size, Verdict};

const TITLES: [&str; 5] = [
    "Unintrusive Linux kernel real-time performance measurement",
    "Internals of the RT patch",
    "INTSPECT",
    "Linux: not real-time",
    "Delayed locking",
];

/// Formats the entries with what each shows, a line each.
pub fn listing(entries: &[&Entry]) -> String {
    let row = |entry: &&Entry| vec![entry.id.clone(), place(entry), entry.shows.clone()];
    let rows: Vec<Vec<String>> = entries.iter().map(row).collect();
    aligned(&rows, &[Column::Words])
}

fn place(entry: &Entry) -> String {
    format!("{}, {}", entry.reference, entry.place)
}

/// Formats the outcomes for a terminal: a table, then what differs and why.
pub fn text(outcomes: &[Outcome<'_>]) -> String {
    let head = ["entry", "place", "verdict", "theirs", "ours", "effect"].map(String::from).to_vec();
    let row = |one: &Outcome<'_>| {
        let verdict = word(&one.verdict).to_owned();
        vec![one.entry.id.clone(), place(one.entry), verdict, theirs(one), ours(one), effect(one)]
    };
    let rows: Vec<Vec<String>> = std::iter::once(head).chain(outcomes.iter().map(row)).collect();
    let mut text = aligned(&rows, &[Column::Words]);
    text.push('\n');
    for one in outcomes {
        if let Some(why) = reason(one) {
            let _ = writeln!(text, "{}: {why}", one.entry.id);
        }
    }
    let _ = writeln!(text, "\n{}", sum(outcomes));
    text
}

/// Formats the outcomes as a Markdown page.
pub fn markdown(outcomes: &[Outcome<'_>]) -> String {
    let mut text = String::from(
        "# The references' figures, repeated\n\n\
         `irqscope reproduce` runs the references' experiments and compares sign and order, in \
         which another machine and another kernel have to agree. The effect is the last figure by \
         the first; its size need not agree, and is called alike within a factor of two. `irqscope \
         reproduce --markdown FILE` writes this page.\n\n",
    );
    let _ = writeln!(text, "{}", sum(outcomes));
    for (number, title) in (1..).zip(TITLES) {
        let of: Vec<_> = outcomes.iter().filter(|one| one.entry.reference == number).collect();
        if of.is_empty() {
            continue;
        }
        let _ = writeln!(text, "\n## {number}. {title}\n");
        let _ = writeln!(text, "| what it showed | where | theirs | ours | effect | verdict |");
        let _ = writeln!(text, "| --- | --- | --- | --- | --- | --- |");
        for one in &of {
            let _ = writeln!(
                text,
                "| {} (`{}`) | {} | {} | {} | {} | {} |",
                one.entry.shows,
                one.entry.id,
                one.entry.place,
                theirs(one),
                ours(one),
                effect(one),
                word(&one.verdict)
            );
        }
        for one in of {
            if let Some(why) = reason(one) {
                let _ = writeln!(text, "\n`{}`: {why}", one.entry.id);
            }
        }
    }
    text
}

fn sum(outcomes: &[Outcome<'_>]) -> String {
    let count = |verdict: &str| outcomes.iter().filter(|one| word(&one.verdict) == verdict).count();
    format!(
        "{} of {} entries agree in sign and order, {} differ, {} are missing.",
        count("agrees"),
        outcomes.len(),
        count("differs"),
        count("missing")
    )
}

fn word(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Agrees => "agrees",
        Verdict::Differs => "differs",
        Verdict::Missing(_) => "missing",
    }
}

/// Returns why it differs or is missing, and what has to be known of it.
fn reason(one: &Outcome<'_>) -> Option<String> {
    let why = match &one.verdict {
        Verdict::Agrees => None,
        Verdict::Differs => {
            Some(one.entry.because.clone().unwrap_or_else(|| "no reason is known".into()))
        }
        Verdict::Missing(why) => Some(why.clone()),
    };
    let all: Vec<String> = why.into_iter().chain(one.entry.note.clone()).collect();
    (!all.is_empty()).then(|| all.join("; "))
}

/// Formats the reference's numbers, or only their order.
fn theirs(one: &Outcome<'_>) -> String {
    let numbers: Vec<f64> = one.entry.quantities.iter().filter_map(|it| it.theirs).collect();
    if numbers.is_empty() {
        let sign = match one.entry.claim {
            Claim::Order => " < ",
            Claim::Equal => " = ",
            Claim::Present => ", ",
        };
        let names: Vec<_> = one.entry.quantities.iter().map(|it| it.name.as_str()).collect();
        return names.join(sign);
    }
    listed(one, &numbers)
}

fn ours(one: &Outcome<'_>) -> String {
    if one.ours.is_empty() { "-".into() } else { listed(one, &one.ours) }
}

fn listed(one: &Outcome<'_>, figures: &[f64]) -> String {
    let names = one.entry.quantities.iter().map(|it| it.name.as_str());
    let each = names.zip(figures).map(|(name, figure)| format!("{name} {}", significant(*figure)));
    let all = each.collect::<Vec<_>>().join(", ");
    one.entry.unit.of_time().map_or(all.clone(), |unit| format!("{all} {}", unit.name()))
}

fn effect(one: &Outcome<'_>) -> String {
    let ratio = |ratio: Option<f64>| ratio.map_or_else(|| "-".into(), significant);
    let size = match one.size {
        Some(Size::Alike) => ": alike",
        Some(Size::Smaller) => ": smaller",
        Some(Size::Larger) => ": larger",
        None => "",
    };
    match (one.their_ratio, one.our_ratio) {
        (None, None) => "-".into(),
        (None, ours) => format!("{} here", ratio(ours)),
        (theirs, ours) => format!("{} there, {} here{size}", ratio(theirs), ratio(ours)),
    }
}

/// Formats a number to three significant digits.
fn significant(number: f64) -> String {
    if number == 0.0 || !number.is_finite() {
        return format!("{number}");
    }
    let decimals = (2 - number.abs().log10().floor() as i32).clamp(0, 6) as usize;
    let text = format!("{number:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').into() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_digits() {
        let all = [0.0, 0.0528, 12.345, 232.6, 1_408.0, 0.25].map(significant);
        assert_eq!(all, ["0", "0.0528", "12.3", "233", "1408", "0.25"]);
    }
}
