// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Lines of some triggers as a page draws them, in both views.

use std::collections::BTreeSet;

use irqscope_run::{CaseData, SampleRow};
use irqscope_wire::{Shape, Stage, View};
use serde::Serialize;

use super::waves::{Form, Wave, Waves};

/// The lines of some triggers in one view.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ViewLines {
    /// The view.
    pub view: View,
    /// `pulse`: a response line is high while its stage executes. `toggle`: each change is a response.
    pub shape: Shape,
    /// The first trigger's instant, on the view's own clock.
    pub start_ns: i64,
    /// The triggers' numbers, ascending.
    pub seq: Vec<u64>,
    /// By trigger, its instant since `start_ns`.
    pub trigger_ns: Vec<i64>,
    /// The interrupt line, then the stages in their order.
    pub lines: Vec<LineEdges>,
}

/// One line.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LineEdges {
    /// None: the interrupt line.
    pub stage: Option<Stage>,
    /// Instants since `start_ns` at which the level changes, ascending: high, low, high and so on.
    /// Two at one instant are a pulse whose end was not seen.
    pub at_ns: Vec<i64>,
    /// By trigger, its latency; `None` where it has no answer of its own. Empty of the interrupt line.
    pub latency_ns: Vec<Option<i64>>,
    /// The places, among the triggers, of those that asked the stage and have no answer of its own; the
    /// other ones without a latency did not ask it.
    pub unanswered: Vec<usize>,
}

/// A case's lines in one view: their looks, and the stages that have one, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Look {
    /// Their looks.
    pub form: Form,
    /// Also those that no trigger of a part asks.
    pub stages: Vec<Stage>,
}

impl Look {
    /// Returns that of a case; `None` where no stages were asked.
    pub fn of(data: &CaseData, view: View) -> Option<Self> {
        let of_view = data.rows.iter().filter(|row| row.view == view);
        let stages: BTreeSet<Stage> = of_view.map(|row| row.stage).collect();
        Some(Self { form: Form::of(data, view)?, stages: stages.into_iter().collect() })
    }
}

impl ViewLines {
    /// Makes the lines of some rows, in order of trigger, stage and view; a view without rows has none.
    pub fn of<'a>(rows: &[SampleRow], look: impl Fn(View) -> &'a Look) -> Vec<Self> {
        let of = |view: &View| Self::of_view(rows, *view, look(*view));
        View::ALL.iter().filter_map(of).collect()
    }

    fn of_view(rows: &[SampleRow], view: View, look: &Look) -> Option<Self> {
        let rows: Vec<&SampleRow> = rows.iter().filter(|row| row.view == view).collect();
        let waves = Waves::of_rows("", view, look.form, &rows)?;
        let mut triggers: Vec<(u64, i64)> =
            rows.iter().map(|row| (row.seq, row.trigger.0)).collect();
        triggers.dedup_by_key(|(seq, _)| *seq);
        let start = triggers.first()?.1;
        let edges = |wave: &Wave| wave.changes.iter().map(|change| change.at - start).collect();
        let of_stage = |stage: &Stage| {
            let wave = waves.lines.iter().find(|wave| wave.stage == Some(*stage));
            let (latency_ns, unanswered) = answers(&rows, *stage, &triggers);
            let at_ns = wave.map(edges).unwrap_or_default();
            LineEdges { stage: Some(*stage), at_ns, latency_ns, unanswered }
        };
        let mut lines = vec![LineEdges {
            stage: None,
            at_ns: waves.line(Wave::TRIGGER).map(edges).unwrap_or_default(),
            latency_ns: Vec::new(),
            unanswered: Vec::new(),
        }];
        lines.extend(look.stages.iter().map(of_stage));
        Some(Self {
            view,
            shape: waves.shape,
            start_ns: start,
            lines,
            seq: triggers.iter().map(|(seq, _)| *seq).collect(),
            trigger_ns: triggers.iter().map(|(_, at)| at - start).collect(),
        })
    }
}

fn answers(
    rows: &[&SampleRow],
    stage: Stage,
    triggers: &[(u64, i64)],
) -> (Vec<Option<i64>>, Vec<usize>) {
    let mut mine = rows.iter().filter(|row| row.stage == stage).peekable();
    let mut unanswered = Vec::new();
    let of = |(place, (seq, _)): (usize, &(u64, i64))| {
        let latency = mine.next_if(|row| row.seq == *seq)?.latency;
        unanswered.extend(latency.is_none().then_some(place));
        latency.map(|latency| latency.0)
    };
    let latencies = triggers.iter().enumerate().map(of).collect();
    (latencies, unanswered)
}

#[cfg(test)]
mod tests {
    use super::*;
    use irqscope_wire::Nanoseconds;

    fn row(seq: u64, stage: Stage, view: View, latency: Option<i64>) -> SampleRow {
        SampleRow {
            seq,
            trigger: Nanoseconds(5_000 + seq.cast_signed() * 1_000),
            latency: latency.map(Nanoseconds),
            stage,
            view,
            cpu: None,
            flags: 0,
            interrupts: 0,
            execution: None,
        }
    }

    #[test]
    fn instants_count_from_the_first_trigger_and_an_answer_that_is_missing_is_none() {
        let rows = [
            row(7, Stage::Irq, View::Outside, Some(300)),
            row(7, Stage::User, View::Outside, None),
            row(8, Stage::Irq, View::Outside, Some(310)),
            row(8, Stage::User, View::Outside, Some(700)),
            row(8, Stage::User, View::Inside, Some(690)),
        ];
        let high = Nanoseconds(250);
        let stages = vec![Stage::Irq, Stage::Work, Stage::User];
        let look = Look { form: Form { shape: Shape::Toggle, high }, stages };
        let lines = ViewLines::of(&rows, |_| &look);
        let [outside, inside] = &lines[..] else { panic!("{lines:?}") };
        assert_eq!((outside.start_ns, &outside.seq[..]), (12_000, &[7, 8][..]));
        assert_eq!(outside.trigger_ns, [0, 1_000]);
        assert_eq!(outside.lines[0].at_ns, [0, 250, 1_000, 1_250]);
        assert_eq!(outside.lines[1].at_ns, [300, 1_310]);
        assert_eq!(outside.lines[3].at_ns, [1_700]);
        assert_eq!(outside.lines[3].latency_ns, [None, Some(700)]);
        assert_eq!(outside.lines[3].unanswered, [0]);
        // A stage that no trigger asked has a line, and no answer is missing of it.
        let not_asked = &outside.lines[2];
        assert_eq!((not_asked.stage, &not_asked.at_ns[..]), (Some(Stage::Work), &[][..]));
        assert_eq!((&not_asked.latency_ns[..], not_asked.unanswered.len()), (&[None, None][..], 0));
        assert_eq!((inside.start_ns, &inside.seq[..]), (13_000, &[8][..]));
    }
}
