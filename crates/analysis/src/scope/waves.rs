// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Lines over time.

use irqscope_run::{CaseData, SampleRow};
use irqscope_wire::{Nanoseconds, Shape, Stage, View};

/// The level of a line from an instant on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// In nanoseconds of the view's clock.
    pub at: i64,
    /// The level from then on.
    pub high: bool,
}

/// One line.
///
/// Useful invariant: levels alternate, beginning with high, and instants do not
/// descend. Two changes at one instant are a pulse whose end was not seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wave {
    /// Its name.
    pub name: String,
    /// None: the interrupt line.
    pub stage: Option<Stage>,
    /// Its changes, in order.
    pub changes: Vec<Change>,
}

/// All lines of one case in one view, the interrupt line first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waves {
    /// The case.
    pub case: String,
    /// The view.
    pub view: View,
    /// How lines show responses.
    pub shape: Shape,
    /// The lines.
    pub lines: Vec<Wave>,
}

/// The looks of a case's lines in one view, whichever rows are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Form {
    /// How response lines show responses.
    pub shape: Shape,
    /// How long the interrupt line is high; 0 where a trigger is an instant.
    pub high: Nanoseconds,
}

impl Form {
    /// Returns that of a case; `None` where no stages were asked.
    pub fn of(data: &CaseData, view: View) -> Option<Self> {
        let asked = data.asked()?;
        let executes = |row: &SampleRow| row.view == view && row.execution.is_some();
        let shape = if data.rows.iter().any(executes) { Shape::Pulse } else { Shape::Toggle };
        let high = data.outside.as_ref().and_then(|outside| {
            let (hello, status) = (outside.hello.as_ref()?, outside.status?);
            Some(hello.nanoseconds(status.settings.high))
        });
        let seen = asked.outside.is_some() && view == View::Outside;
        Some(Self { shape, high: high.filter(|_| seen).unwrap_or(Nanoseconds(0)) })
    }
}

impl Wave {
    /// The name of the interrupt line.
    pub const TRIGGER: &'static str = "trigger";

    /// Makes a wave; `pulses`: from and to, in order of from.
    fn of_pulses(name: &str, stage: Option<Stage>, pulses: &[(i64, i64)]) -> Self {
        let mut changes: Vec<Change> = Vec::with_capacity(2 * pulses.len());
        for (from, to) in pulses {
            // A pulse that lasts until the next one is cut there.
            if let Some(last) = changes.last_mut() {
                last.at = last.at.min(*from);
            }
            changes.push(Change { at: *from, high: true });
            changes.push(Change { at: (*to).max(*from), high: false });
        }
        Self { name: name.to_owned(), stage, changes }
    }

    fn of_toggles(stage: Stage, instants: &[i64]) -> Self {
        let changes = instants.iter().enumerate();
        let changes = changes.map(|(n, at)| Change { at: *at, high: n % 2 == 0 }).collect();
        Self { name: stage.to_string(), stage: Some(stage), changes }
    }

    /// Returns the changes in a span, both ends included.
    pub fn within(&self, from: i64, to: i64) -> &[Change] {
        let first = self.changes.partition_point(|change| change.at < from);
        let end = self.changes.partition_point(|change| change.at <= to);
        self.changes.get(first..end.max(first)).unwrap_or_default()
    }

    /// Returns the level before what changes at that instant.
    pub fn is_high_before(&self, at: i64) -> bool {
        let next = self.changes.partition_point(|change| change.at < at);
        next > 0 && self.changes[next - 1].high
    }
}

impl Waves {
    /// Makes the waves of the view whose figures come first; `None` if nothing was recorded.
    pub fn of(data: &CaseData) -> Option<Self> {
        let view = if data.outside.is_some() { View::Outside } else { View::Inside };
        let rows: Vec<&SampleRow> = data.rows.iter().filter(|row| row.view == view).collect();
        Self::of_rows(&data.case, view, Form::of(data, view)?, &rows)
    }

    /// Makes the waves of some rows of one view, in order; `None` if there are none.
    pub fn of_rows(case: &str, view: View, form: Form, rows: &[&SampleRow]) -> Option<Self> {
        let Form { shape, high } = form;
        let mut lines = vec![trigger(high, rows)?];
        let mut stages: Vec<Stage> = rows.iter().map(|row| row.stage).collect();
        stages.sort_unstable();
        stages.dedup();
        lines.extend(stages.into_iter().map(|stage| response(stage, shape, rows)));
        Some(Self { case: case.to_owned(), view, shape, lines })
    }

    /// Returns a line by its name.
    pub fn line(&self, name: &str) -> Option<&Wave> {
        self.lines.iter().find(|line| line.name == name)
    }

    /// Returns the first and the last instant at which anything changed.
    pub fn span(&self) -> Option<(i64, i64)> {
        let ends = self
            .lines
            .iter()
            .filter_map(|line| Some((line.changes.first()?.at, line.changes.last()?.at)));
        ends.reduce(|one, other| (one.0.min(other.0), one.1.max(other.1)))
    }
}

/// Makes the trigger's wave, as long as the generator says; a trigger of the driver's own is an
/// instant.
fn trigger(high: Nanoseconds, rows: &[&SampleRow]) -> Option<Wave> {
    let mut instants: Vec<(u64, i64)> = rows.iter().map(|row| (row.seq, row.trigger.0)).collect();
    instants.dedup();
    let pulses: Vec<(i64, i64)> = instants.iter().map(|(_, at)| (*at, at + high.0)).collect();
    (!pulses.is_empty()).then(|| Wave::of_pulses(Wave::TRIGGER, None, &pulses))
}

fn response(stage: Stage, shape: Shape, rows: &[&SampleRow]) -> Wave {
    let mine = rows.iter().filter(|row| row.stage == stage);
    let mut pulses: Vec<(i64, i64)> = mine
        .filter_map(|row| {
            let from = row.trigger.0 + row.latency?.0;
            Some((from, from + row.execution.map_or(0, |execution| execution.0)))
        })
        .collect();
    pulses.sort_unstable();
    match shape {
        Shape::Pulse => Wave::of_pulses(stage.name(), Some(stage), &pulses),
        Shape::Toggle => {
            Wave::of_toggles(stage, &pulses.iter().map(|(from, _)| *from).collect::<Vec<_>>())
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub fn waves(pulses: &[(&str, &[(i64, i64)])]) -> Waves {
        let lines = pulses.iter().map(|(name, pulses)| Wave::of_pulses(name, None, pulses));
        let (case, view, shape) = ("k/s".to_owned(), View::Outside, Shape::Pulse);
        Waves { case, view, shape, lines: lines.collect() }
    }

    #[test]
    fn levels_alternate_even_where_a_pulse_has_no_end() {
        let waves = waves(&[("irq", &[(10, 15), (20, 20), (30, 90), (40, 50)])]);
        let levels: Vec<(i64, bool)> =
            waves.lines[0].changes.iter().map(|change| (change.at, change.high)).collect();
        let expected = [
            (10, true),
            (15, false),
            (20, true),
            (20, false),
            (30, true),
            (40, false),
            (40, true),
            (50, false),
        ];
        assert_eq!(levels, expected);
        assert_eq!(waves.span(), Some((10, 50)));
    }

    #[test]
    fn a_span_has_its_changes_and_the_level_before_it() {
        let waves = waves(&[("irq", &[(10, 15), (30, 40)])]);
        let line = waves.line("irq").unwrap();
        assert_eq!(line.within(15, 30).len(), 2);
        assert!(line.within(41, 20).is_empty());
        let before = [10, 11, 15, 16, 35].map(|at| line.is_high_before(at));
        assert_eq!(before, [false, true, true, false, true]);
    }
}
