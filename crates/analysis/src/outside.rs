// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The account of the view from outside, and what it shows beyond latencies: how
//! far an edge lies behind its stamp, and what the inside view costs.

use std::collections::BTreeMap;

use irqscope_run::{CaseData, FLAG_WINDOW, GeneratorFacts, SampleRow};
use irqscope_wire::{Account, Plan, RunState, Stage, Totals, View};
use serde::{Deserialize, Serialize};

use crate::{Statistics, Violation};

/// The generator's counts; see docs/protocol.md for the terms.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OutsideAccount {
    /// The kind of generator: `twin`, `vm`, `cpu` or `board`.
    pub generator: String,
    /// From trigger to trigger, as the generator really set it, without jitter; 0 if it never sent
    /// its settings.
    pub period_ns: i64,
    /// How long the interrupt line stays high at each trigger; 0 if it never sent its settings.
    pub high_ns: i64,
    /// Triggers that it sent.
    pub triggers: u64,
    /// Triggers that were followed by an edge on every line.
    pub complete: u64,
    /// Triggers that lack an edge on some line, for no known reason.
    pub missing: u64,
    /// Triggers of which the target reported that a line's answer was merged with an earlier one.
    pub coalesced: u64,
    /// Triggers whose sample was not kept: the generator had no memory left, or the host did not
    /// read.
    pub dropped: u64,
    /// Points of the time grid without a trigger: a sample was open (closed pacing), or the
    /// generator was late.
    pub skipped: u64,
    /// Changes of the response lines, of pulses the rising edges only; `answers` and `extra` add up
    /// to it.
    pub edges: u64,
    /// Edges that the generator paired with a trigger.
    pub answers: u64,
    /// Edges that it could not pair, also those that no packet had room to list.
    pub extra: u64,
    /// Triggers whose interrupt never reached the handler: it was raised while
    /// an earlier one was pending. Known where the target kept a record.
    pub lost_interrupts: Option<u64>,
    /// Answers whose trigger is not certain; their latencies are upper bounds.
    pub unsure: u64,
    /// Extra edges that remain when the views are joined.
    pub unexplained_extra: u64,
    /// Answers that were looked for in every cycle of the generator's clock.
    #[serde(default)]
    pub window: u64,
    /// The known errors of the generator itself.
    #[serde(default)]
    pub facts: Option<GeneratorFacts>,
}

impl OutsideAccount {
    pub(crate) fn of(data: &CaseData) -> Option<Self> {
        let outside = data.outside.as_ref()?;
        let hello = outside.hello.as_ref()?;
        let Totals { triggers, complete, missing, coalesced, dropped, skipped, .. } =
            outside.totals();
        let Totals { edges, answers, extra, .. } = outside.totals();
        let settings = outside.status.as_ref().map(|status| status.settings);
        let ns = |ticks| hello.nanoseconds(ticks).0;
        let target = data.counters.filter(|_| !data.without_agent);
        let handled = target.map(|counters| counters.triggers);
        Some(Self {
            generator: hello.kind.to_string(),
            period_ns: settings.map_or(0, |settings| ns(settings.period)),
            high_ns: settings.map_or(0, |settings| ns(settings.high)),
            triggers,
            complete,
            missing,
            coalesced,
            dropped,
            skipped,
            edges,
            answers,
            extra,
            lost_interrupts: handled.map(|handled| triggers.saturating_sub(handled)),
            unsure: data.fit.unsure,
            unexplained_extra: data.fit.extra,
            window: data.rows.iter().filter(|row| row.flags & FLAG_WINDOW != 0).count() as u64,
            facts: outside.facts(),
        })
    }
}

/// Returns the account as seen from where triggers are sent: a trigger whose interrupt was lost in
/// an earlier one is a coalesced one. In a case that was cut short, triggers without a record are
/// only not recorded. With inside off the generator's account is the only one.
pub(crate) fn account(data: &CaseData, target: Account) -> Account {
    let Some(outside) = &data.outside else { return target };
    let sent = Account::from(outside.totals());
    if data.plan.as_ref().is_some_and(|plan| !plan.has_view(View::Inside)) {
        return sent;
    }
    let Account { triggers, skipped, .. } = sent;
    let without = triggers.saturating_sub(target.triggers);
    let (lost, unrecorded) = if data.counters.is_some() { (without, 0) } else { (0, without) };
    let coalesced = target.coalesced.saturating_add(lost);
    Account { triggers, coalesced, unrecorded, skipped, ..target }
}

/// Returns what cannot be in a sound measurement with a generator. A case that was cut short is
/// unfinished, which is a warning; only its sums are checked.
pub(crate) fn violations(data: &CaseData) -> Vec<Violation> {
    let Some(outside) = &data.outside else { return missing_view(data) };
    let totals = outside.totals();
    let sums = (!totals.identity_holds()).then_some(Violation::OutsideIdentity(totals));
    let Some(target) = data.counters else { return sums.into_iter().collect() };
    let mut violations: Vec<Violation> = sums.into_iter().collect();
    if outside.status.as_ref().is_none_or(|status| status.state != RunState::Done) {
        violations.push(Violation::OutsideUnfinished);
    }
    let asked = data.asked().map_or(0, |asked| asked.count);
    match totals.triggers {
        0 => violations.push(Violation::NeverArmed),
        sent if sent < asked => violations.push(Violation::FewerTriggers { asked, sent }),
        _ => {}
    }
    let received = outside.samples.len() as u64;
    let sent = totals.triggers.saturating_sub(totals.dropped).saturating_sub(totals.open);
    if received != sent {
        violations.push(Violation::OutsideRecount { generator: sent, counted: received });
    }
    if let Some((lines, stages)) = data.fit.other_lines {
        violations.push(Violation::OtherLines { lines, stages });
    }
    if target.triggers > totals.triggers {
        let (sent, handled) = (totals.triggers, target.triggers);
        violations.push(Violation::MoreHandled { sent, handled });
    }
    violations
}

fn missing_view(data: &CaseData) -> Vec<Violation> {
    let asked = data.asked().is_some_and(|asked| asked.outside.is_some());
    let missing = asked && data.counters.is_some();
    missing.then_some(Violation::NoOutside).into_iter().collect()
}

/// How far a stage's edge lies behind its stamp, over all samples in which both
/// views have an answer: instructions of the driver's own, in the twin.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EdgeOffset {
    /// The stage whose edge it is.
    pub stage: Stage,
    /// Samples in which both views have an answer of this stage.
    pub count: u64,
    /// The smallest difference, outside minus inside.
    pub min_ns: i64,
    /// The median difference, by nearest rank: that of `at_p50` samples.
    pub p50_ns: i64,
    /// The largest difference, outside minus inside.
    pub max_ns: i64,
    /// How many samples have exactly the median.
    pub at_p50: u64,
}

/// Returns offsets only where both views count from the same instant.
pub(crate) fn edge_offsets(data: &CaseData) -> Vec<EdgeOffset> {
    if !data.plan.as_ref().is_some_and(Plan::shares_clock) {
        return Vec::new();
    }
    let mut offsets: BTreeMap<Stage, Vec<i64>> = BTreeMap::new();
    // Rows are in order of trigger, stage and view, outside first.
    for pair in data.rows.windows(2) {
        if let Some(offset) = offset(&pair[0], &pair[1]) {
            offsets.entry(pair[0].stage).or_default().push(offset);
        }
    }
    offsets.into_iter().filter_map(|(stage, offsets)| edge_offset(stage, offsets)).collect()
}

fn offset(outside: &SampleRow, inside: &SampleRow) -> Option<i64> {
    let same = outside.seq == inside.seq && outside.stage == inside.stage;
    let views = outside.view == View::Outside && inside.view == View::Inside;
    (same && views).then(|| outside.latency?.0.checked_sub(inside.latency?.0))?
}

fn edge_offset(stage: Stage, mut offsets: Vec<i64>) -> Option<EdgeOffset> {
    offsets.sort_unstable();
    let figures = Statistics::of(&offsets);
    let p50 = figures.p50?;
    Some(EdgeOffset {
        stage,
        count: figures.count,
        min_ns: figures.min?,
        p50_ns: p50,
        max_ns: figures.max?,
        at_p50: offsets.iter().filter(|offset| **offset == p50).count() as u64,
    })
}
