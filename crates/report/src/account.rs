// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The account of every trigger, and the warnings, in words.

use std::fmt::Write;

use irqscope_analysis::{CaseSummary, OutsideAccount, Summary};
use irqscope_quantity::{Column, aligned, grouped};
use irqscope_wire::Account;

use crate::bench;
use crate::generator::footnotes;
use crate::table::has_rows;

/// Formats `2,000 = 2,000 complete + 0 missing + 0 coalesced + 0 dropped`, or what is known of an
/// unfinished case.
fn identity_text(case: &CaseSummary) -> String {
    bench::account(case).unwrap_or_else(|| identity_of(&case.account()))
}

/// Formats the identity; the terms that only a log that was cut off has where it has them.
pub fn identity_of(account: &Account) -> String {
    let terms = account.terms().into_iter().enumerate();
    let shown = terms.filter(|(place, (count, _))| *place < 4 || *count > 0);
    let terms: Vec<String> =
        shown.map(|(_, (count, name))| format!("{} {name}", grouped(count))).collect();
    format!("{} = {}", grouped(account.triggers), terms.join(" + "))
}

/// Names what the terms of a case's identity count.
fn case_unit(case: &CaseSummary) -> &'static str {
    if case.benchmarks.is_empty() { "triggers" } else { "samples" }
}

/// Says whether the identity holds.
fn identity_mark(case: &CaseSummary) -> &'static str {
    match (case.identity_holds, case.finished) {
        (true, _) => "✓",
        (false, true) => "✗ INVALID",
        (false, false) => "unfinished",
    }
}

/// The account of a case, or of all its seeds together.
pub struct Accounted<'a> {
    pub case: &'a str,
    pub holds: bool,
    /// It holds, and each trigger or sample is complete.
    pub is_full: bool,
    pub text: String,
    pub mark: &'static str,
    /// The words of its generator.
    pub outside: Vec<String>,
}

/// Returns the account of every case; one for all seeds of a case.
pub fn accounts(summary: &Summary) -> Vec<Accounted<'_>> {
    let first = summary.cases.iter().enumerate().filter(|(place, _)| summary.is_first_seed(*place));
    first.map(|(_, case)| account(case, &summary.seeds_like(case))).collect()
}

/// Makes the account of a case with all its seeds; of it alone, if it has one seed only.
fn account<'a>(case: &'a CaseSummary, seeds: &[&CaseSummary]) -> Accounted<'a> {
    let worst = seeds.iter().find(|case| !case.identity_holds).unwrap_or(&case);
    let what = case_unit(case);
    let text = match &case.seed_of {
        None => format!("{what} {}", identity_text(case)),
        Some(_) => {
            let all = seeds.iter().fold(Account::default(), |all, case| all.with(&case.account()));
            format!("{} seeds, {what} {}", seeds.len(), identity_of(&all))
        }
    };
    let footnotes = seeds.iter().flat_map(|case| case.outside.iter().flat_map(footnotes));
    Accounted {
        case: case.any_seed(),
        holds: worst.identity_holds,
        is_full: worst.identity_holds && seeds.iter().all(|case| is_full(case)),
        text,
        mark: identity_mark(worst),
        outside: outside_text(seeds).into_iter().chain(footnotes).collect(),
    }
}

fn is_full(case: &CaseSummary) -> bool {
    let all_taken = case.benchmarks.iter().all(|one| one.skipped == 0 && one.dropped == 0);
    match case.benchmarks.is_empty() {
        true => case.complete == case.triggers,
        false => all_taken,
    }
}

/// Says in one sentence what became of the triggers or samples of all cases, and whether every
/// account holds; `None` where there is no case.
pub(crate) fn account_sentence(summary: &Summary) -> Option<(String, bool)> {
    let all = accounts(summary);
    let short = |one: &&Accounted<'_>| !one.holds;
    if let Some(first) = all.iter().find(short) {
        let count = all.iter().filter(short).count();
        let text = format!(
            "The accounts of {count} of {} cases do not hold or have no end, the first is {}.",
            all.len(),
            first.case
        );
        return Some((text, false));
    }
    if !has_rows(summary) {
        return None;
    }
    let what = case_unit(summary.cases.first()?);
    let identity = match summary.cases.iter().all(|case| case.benchmarks.is_empty()) {
        true => {
            let sum = |all: Account, case: &CaseSummary| all.with(&case.account());
            identity_of(&summary.cases.iter().fold(Account::default(), sum))
        }
        false => bench::account_of(&summary.cases),
    };
    let (total, terms) = identity.split_once(" = ")?;
    Some((format!("All {total} {what} are accounted for: {terms}."), true))
}

/// Writes every case's identity, and what its generator says.
pub fn identity(summary: &Summary, text: &mut String) {
    let accounts = accounts(summary);
    let sums =
        accounts.iter().map(|one| [one.case.to_owned(), format!("{}  {}", one.text, one.mark)]);
    let outside = accounts
        .iter()
        .flat_map(|one| one.outside.iter().map(|line| [one.case.to_owned(), line.clone()]));
    text.push_str(&aligned(&sums.chain(outside).collect::<Vec<_>>(), &[Column::Words]));
}

/// Formats the generator's own account.
fn outside_text(seeds: &[&CaseSummary]) -> Option<String> {
    let generator = &seeds.iter().find_map(|case| case.outside.as_ref())?.generator;
    let sum = |of: fn(&OutsideAccount) -> u64| {
        grouped(seeds.iter().filter_map(|case| case.outside.as_ref()).map(of).sum())
    };
    let [edges, answers, extra, dropped] = [
        sum(|outside| outside.edges),
        sum(|outside| outside.answers),
        sum(|outside| outside.extra),
        sum(|outside| outside.dropped),
    ];
    Some(format!(
        "edges {edges} = {answers} answers + {extra} extra, {dropped} samples dropped (generator {generator})"
    ))
}

/// Writes what there is to be warned of.
pub fn warnings(summary: &Summary, text: &mut String) {
    for warning in &summary.warnings {
        let _ = writeln!(text, "warning: {warning}");
    }
    for (cases, violation) in summary.told(|case| &case.violations) {
        let _ = writeln!(text, "invalid: {cases}: {violation}");
    }
    for (cases, warning) in summary.told(|case| &case.warnings) {
        let _ = writeln!(text, "warning: {cases}: {warning}");
    }
}
