// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The view: a snapshot, and the position in it.

use std::sync::Arc;

use irqscope_analysis::LiveSeries;
use irqscope_server::{CaseSnapshot, Measurement, Snapshot};
use irqscope_wire::View as Side;

#[derive(Default)]
pub struct View {
    snapshot: Arc<Snapshot>,
    /// The newest one, while the picture is frozen.
    waiting: Option<Arc<Snapshot>>,
    paused: bool,
    leaving: bool,
    ended: bool,
    row: usize,
    /// None: the case that received samples last.
    case: Option<usize>,
    /// None: both.
    side: Option<Side>,
    said: Option<String>,
}

impl View {
    pub fn learn(&mut self, snapshot: &Arc<Snapshot>) {
        match self.paused && !self.leaving {
            true => self.waiting = Some(Arc::clone(snapshot)),
            false => self.snapshot = Arc::clone(snapshot),
        }
        self.row = self.row.min(self.series().len().saturating_sub(1));
    }

    /// Pauses: the picture stands still; the measurement goes on.
    pub fn pause(&mut self) {
        self.paused = !self.paused;
        if let Some(newest) = self.waiting.take() {
            self.snapshot = newest;
        }
    }

    pub fn is_paused(&self) -> bool {
        self.paused
    }

    pub fn leave(&mut self) {
        self.leaving = true;
    }

    pub fn is_leaving(&self) -> bool {
        self.leaving
    }

    /// Ends: nothing more is waited for.
    pub fn end(&mut self) {
        self.ended = true;
    }

    pub fn is_over(&self) -> bool {
        self.ended || self.measurement().is_none_or(|measurement| measurement.state.is_over())
    }

    pub fn say(&mut self, what: Option<String>) {
        self.said = what;
    }

    pub fn said(&self) -> Option<&str> {
        self.said.as_deref()
    }

    pub fn measurement(&self) -> Option<&Measurement> {
        self.snapshot.measurement.as_ref()
    }

    pub fn case(&self) -> Option<&CaseSnapshot> {
        let measurement = self.measurement()?;
        let shown =
            || measurement.cases.iter().position(|c| Some(&c.case) == measurement.shown.as_ref());
        measurement.cases.get(self.case.or_else(shown)?)
    }

    pub fn series(&self) -> Vec<&LiveSeries> {
        let all = self.case().map_or(&[][..], |case| case.figures.series.as_slice());
        all.iter().filter(|one| self.side.is_none_or(|side| side == one.view)).collect()
    }

    pub fn row(&self) -> usize {
        self.row
    }

    pub fn choose(&mut self, step: isize) {
        let last = self.series().len().saturating_sub(1);
        self.row = self.row.saturating_add_signed(step).min(last);
    }

    pub fn next_case(&mut self) {
        let count = self.measurement().map_or(0, |measurement| measurement.cases.len());
        if count > 0 {
            self.case = Some(self.case.map_or(0, |case| (case + 1) % count));
        }
    }

    /// Turns to the next choice of views: both, then each alone.
    pub fn turn(&mut self) {
        self.side = match self.side {
            None => Some(Side::Outside),
            Some(Side::Outside) => Some(Side::Inside),
            Some(Side::Inside) => None,
        };
        self.row = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_paused_picture_stands_still_until_it_goes_on() {
        let numbered = |sequence| Arc::new(Snapshot { sequence, ..Snapshot::default() });
        let mut view = View::default();
        view.learn(&numbered(1));
        view.pause();
        view.learn(&numbered(2));
        assert_eq!(view.snapshot.sequence, 1);
        view.pause();
        assert_eq!(view.snapshot.sequence, 2);
        view.choose(-5);
        view.next_case();
        assert_eq!((view.row(), view.is_over()), (0, true));
    }
}
