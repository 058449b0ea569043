// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The account of every trigger, and the warnings, in words.

use std::fmt::Write;

use irqscope_analysis::{CaseSummary, Summary};
use irqscope_quantity::{Column, aligned, grouped};
use irqscope_wire::Account;

use crate::bench;
use crate::generator::footnotes;

/// Formats `2,000 = 2,000 complete + 0 missing + 0 coalesced + 0 dropped`, or what is known of an
/// unfinished case.
pub fn identity_text(case: &CaseSummary) -> String {
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
pub fn case_unit(case: &CaseSummary) -> &'static str {
    if case.benchmarks.is_empty() { "triggers" } else { "samples" }
}

/// Says whether the identity holds.
pub fn identity_mark(case: &CaseSummary) -> &'static str {
    match (case.identity_holds, case.finished) {
        (true, _) => "✓",
        (false, true) => "✗ INVALID",
        (false, false) => "unfinished",
    }
}

/// Writes every case's identity, and what its generator says.
pub fn identity(summary: &Summary, text: &mut String) {
    let sums = summary.cases.iter().map(|case| {
        let (what, sum, mark) = (case_unit(case), identity_text(case), identity_mark(case));
        [case.case.clone(), format!("{what} {sum}  {mark}")]
    });
    let outside = summary.cases.iter().flat_map(|case| {
        let footnotes = case.outside.iter().flat_map(footnotes);
        outside_text(case).into_iter().chain(footnotes).map(|line| [case.case.clone(), line])
    });
    text.push_str(&aligned(&sums.chain(outside).collect::<Vec<_>>(), &[Column::Words]));
}

/// Formats the generator's own account.
pub fn outside_text(case: &CaseSummary) -> Option<String> {
    let outside = case.outside.as_ref()?;
    let [edges, answers, extra, dropped] =
        [outside.edges, outside.answers, outside.extra, outside.dropped].map(grouped);
    Some(format!(
        "edges {edges} = {answers} answers + {extra} extra, {dropped} samples dropped (generator {})",
        outside.generator
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
