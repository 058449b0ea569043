// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Which further results a case has: each is what a subcommand prints of a finished run.

use irqscope_analysis::{CaseSummary, Locks, StageSummary};
use irqscope_run::{CaseStream, LogIndex, RunDir};
use irqscope_wire::Plan;
use serde::Serialize;

/// A subcommand whose results the case has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ResultKind {
    Tail,
    Gate,
    Path,
    Bursts,
    Sweep,
    Locks,
    Isolate,
}

/// Returns the kinds of which the case has data, in the order of the page.
pub fn results(
    run: &RunDir,
    (index, number): (&LogIndex, u16),
    stream: &CaseStream<'_>,
    summary: &CaseSummary,
) -> Vec<ResultKind> {
    let data = stream.data();
    let measured = !measured(summary).is_empty();
    // Names of functions come with a trace and with events; without them there is nothing to look for.
    let traced =
        || !data.symbols.is_empty() && run.stretches(index, number).any(|stretch| stretch.is_ok());
    let has = [
        (ResultKind::Tail, measured),
        (ResultKind::Gate, measured),
        (ResultKind::Path, measured && traced()),
        (ResultKind::Bursts, data.asked().is_some_and(|asked| asked.burst.is_some())),
        (ResultKind::Sweep, summary.step_of.is_some()),
        (ResultKind::Locks, Locks::source_of(data).is_some()),
        (ResultKind::Isolate, data.plan.as_ref().is_some_and(Plan::isolates)),
    ];
    has.into_iter().filter_map(|(kind, has)| has.then_some(kind)).collect()
}

/// Returns the names of what was measured, as `irqscope tail` and `irqscope gate` take them.
pub fn measured(summary: &CaseSummary) -> Vec<String> {
    let view = summary.main_view();
    let answered = |one: &&StageSummary| one.view == view && one.count > 0;
    let stages = summary.stages.iter().filter(answered).map(|one| one.stage.to_string());
    let benchmarks = summary.benchmarks.iter().filter(|one| one.count > 0);
    let benchmarks =
        benchmarks.map(|one| format!("{} {} {}", one.benchmark, one.variant, one.series));
    stages.chain(benchmarks).collect()
}
