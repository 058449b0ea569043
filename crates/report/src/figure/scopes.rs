// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The scope view of the report: one for each case that has bursts or execution
//! times.

use irqscope_analysis::{Align, Persistence, Slope, Summary, Wave, Waves};
use irqscope_run::{CaseData, RunDir};

use super::layout::Layout;
use super::scope;
use crate::Result;

/// The edge that sweeps begin at.
const ALIGN: &str = "where trigger rises";

/// One case's lines: the first burst or trigger by itself, and all sweeps.
pub struct Scope {
    pub case: String,
    waves: Waves,
    zero: i64,
    window: [i64; 2],
    /// By layout.
    seen: [Option<Persistence>; 2],
    caveat: Option<String>,
}

/// Makes the scopes in the manifest's order.
///
/// # Errors
/// The disk's.
pub fn scopes(run: &RunDir, summary: &Summary) -> Result<Vec<Scope>> {
    let mut all = Vec::new();
    let cases = (0..).zip(&run.manifest().cases);
    let has_pulses =
        |asked: &irqscope_wire::StagePlan| asked.burst.is_some() || asked.execution.is_some();
    let shown: Vec<u16> = cases
        .filter(|(_, case)| case.asked().is_some_and(has_pulses))
        .filter(|(number, _)| summary.is_first_seed(usize::from(*number)))
        .map(|(number, _)| number)
        .collect();
    if shown.is_empty() {
        return Ok(all);
    }
    let index = run.index()?;
    for number in shown {
        all.extend(Scope::of(&run.case(&index, number)?, summary.caveat()));
    }
    Ok(all)
}

impl Scope {
    fn of(data: &CaseData, caveat: Option<String>) -> Option<Self> {
        let waves = Waves::of(data)?;
        let zero = waves.line(Wave::TRIGGER)?.changes.first()?.at;
        let window = [0, window(data, &waves)?];
        let align = Align { line: Wave::TRIGGER.to_owned(), slope: Slope::Rising };
        let seen = Layout::ALL
            .map(|layout| Persistence::of(&waves, &align, window, scope::columns(layout)));
        Some(Self { case: data.case.clone(), waves, zero, window, seen, caveat })
    }

    pub fn single(&self, layout: Layout, alone: bool) -> String {
        scope::single(&self.waves, self.zero, self.window, layout, self.file(alone))
    }

    pub fn single_title(&self) -> String {
        scope::single_title(&self.waves)
    }

    pub fn persistent(&self, layout: Layout, alone: bool) -> Option<String> {
        let seen = self.seen[layout as usize].as_ref()?;
        Some(scope::persistent(&self.waves, seen, ALIGN, layout, self.file(alone)))
    }

    pub fn persistent_title(&self) -> String {
        let seen = self.seen[Layout::Wide as usize].as_ref();
        seen.map_or_else(String::new, |seen| scope::persistent_title(&self.waves, seen, ALIGN))
    }

    fn file(&self, alone: bool) -> scope::File<'_> {
        scope::File { alone, caveat: self.caveat.as_deref() }
    }

    /// Returns a part of a file's name.
    pub fn file_name(&self) -> String {
        self.case.replace('/', "-")
    }
}

/// Returns the window: a burst, and as long as 99 % of the responses take until they end: one that
/// is later by far would make all others a line.
fn window(data: &CaseData, waves: &Waves) -> Option<i64> {
    let rows = data.rows.iter().filter(|row| row.view == waves.view);
    let mut ends: Vec<i64> = rows
        .filter_map(|row| Some(row.latency?.0 + row.execution.map_or(0, |execution| execution.0)))
        .collect();
    let place = ends.len().checked_sub(1)? * 99 / 100;
    let (_, end, _) = ends.select_nth_unstable(place);
    let burst = data.asked()?.burst;
    let burst = burst.map_or(0, |burst| u64::from(burst.triggers - 1) * burst.interval_ns);
    // Beside a hog that may be a second, in which a burst cannot be seen.
    let end = if burst > 0 { (*end).min(burst.cast_signed()) } else { *end };
    Some((end + burst.cast_signed()) * 11 / 10 + 1)
}
