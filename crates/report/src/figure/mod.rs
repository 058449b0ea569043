// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Figures. Each is drawn twice for the page, wide and narrow, and once more
//! as a file.

mod axis;
mod benchmarks;
mod histogram;
mod intspect;
mod knees;
mod layout;
mod overlay;
mod overview;
mod panel;
mod scatter;
pub(crate) mod scope;
mod scopes;
mod shift;
mod sweep;
mod tail;
mod timeline;

use irqscope_analysis::{Ascending, Axis, Both, Distribution, Histogram, Parts, Summary};
use irqscope_wire::Tick;

use crate::Result;
use crate::subject::Subject;
use histogram::Bins;

pub use benchmarks::benchmarks;
pub use layout::Layout;
pub use overlay::Overlay;
pub use panel::Panel;
pub use scopes::{Scope, scopes};
pub use timeline::{Timeline, timelines};

/// How histograms are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// Both axes logarithmic, nothing cut off, with quantiles and limits.
    #[default]
    Logarithmic,
    /// A linear axis with the 5 % and 95 % quantiles; what another interrupt hit and what lies beyond
    /// the axis apart, as INTSPECT draws it.
    Intspect,
}

/// One subject with all its cases.
pub struct Figure<'a> {
    pub subject: Subject,
    /// None if no case has a single value.
    pub axis: Option<Axis>,
    /// None if no case has a single value, and where values lie on both sides of zero.
    bins: Option<Bins>,
    /// In which form histograms are drawn.
    pub form: Form,
    /// Limits that its values are held against.
    pub limits_ns: Vec<i64>,
    /// Stands below a figure that leaves the page, if the twin made it.
    pub caveat: Option<String>,
    pub panels: Vec<Panel<'a>>,
}

impl<'a> Figure<'a> {
    fn new(summary: &Summary, subject: Subject, panels: Vec<Panel<'a>>) -> Result<Self> {
        Self::of(subject, panels, tick(summary), summary.caveat())
    }

    /// Makes the figure; `tick`: the coarsest step that values come in.
    fn of(
        subject: Subject,
        mut panels: Vec<Panel<'a>>,
        tick: Option<Tick>,
        caveat: Option<String>,
    ) -> Result<Self> {
        let parts: Vec<Parts<'_>> = panels.iter().map(Panel::parts).collect();
        let axis = Axis::common(&parts, tick)?;
        let limits = Layout::ALL.map(|layout| tail::limits(&panels, layout));
        let bins = if subject.is_signed() { None } else { Bins::around(&panels, tick) };
        for panel in &mut panels {
            panel.bars = bins.as_ref().map_or(Ok(Vec::new()), |bins| bins.count(panel))?;
            let histogram = axis.map(|axis| Histogram::new(panel.parts(), axis));
            panel.histogram = histogram.transpose()?;
            for (tail, limits) in panel.tails.iter_mut().zip(&limits) {
                *tail = Both(&panel.clean, &panel.hit).greater_than(limits)?;
            }
        }
        let (form, limits_ns) = (Form::default(), Vec::new());
        Ok(Self { subject, axis, bins, form, limits_ns, caveat, panels })
    }

    pub fn title(&self) -> String {
        self.subject.title()
    }

    pub fn file_name(&self) -> String {
        self.subject.file_name()
    }

    pub fn histogram(&self, layout: Layout, alone: bool) -> Option<String> {
        match (self.form, &self.bins) {
            (Form::Logarithmic, Some(bins)) => Some(histogram::draw(self, bins, layout, alone)),
            _ => Some(intspect::draw(self, self.axis?, layout, alone)),
        }
    }

    /// Returns whether its histograms are INTSPECT's, with what is set apart.
    pub fn is_intspect(&self) -> bool {
        self.form == Form::Intspect || self.bins.is_none()
    }

    /// Draws the tail; `None` where shares of what came later make no sense.
    pub fn tail(&self, layout: Layout, alone: bool) -> Option<String> {
        self.axis?;
        (!self.subject.is_signed()).then(|| tail::draw(self, layout, alone))
    }

    /// Draws values in the course of time; only of benchmarks.
    pub fn scatter(&self, layout: Layout, alone: bool) -> Option<String> {
        let timed = self.panels.iter().any(|panel| panel.course.is_some());
        timed.then(|| scatter::draw(self, layout, alone))
    }
}

/// Makes all stages of a run, each with its common axis.
pub fn stages(summary: &Summary, mut distributions: Vec<Distribution>) -> Result<Vec<Figure<'_>>> {
    distributions.retain(|one| is_shown(summary, one));
    let one = |(stage, view)| {
        let of_stage = |one: &mut Distribution| one.stage == stage && one.view == view;
        let mine = distributions.extract_if(.., of_stage);
        let panels = mine.filter_map(|one| stage_panel(summary, one)).collect();
        Figure::new(summary, Subject::Stage(stage, view), panels)
    };
    summary.shown_stages().into_iter().map(one).collect()
}

pub use knees::draw as knees;
pub use overview::{compared as compared_overview, draw as overview};
pub use sweep::{StageSweep, stages as sweep_stages};

/// Returns whether a distribution is drawn: each case is drawn once, in its main view.
pub(crate) fn is_shown(summary: &Summary, one: &Distribution) -> bool {
    let mut shown = summary.shown_cases();
    shown.any(|(index, case)| index == usize::from(one.case) && case.main_view() == one.view)
}

fn stage_panel(summary: &Summary, one: Distribution) -> Option<Panel<'_>> {
    let index = usize::from(one.case);
    let case = summary.cases.get(index)?;
    Some(Panel {
        index,
        case: &case.case,
        kernel: &case.kernel,
        figures: case.stage(one.stage, one.view)?.into(),
        clean: one.clean,
        hit: one.hit,
        histogram: None,
        bars: Vec::new(),
        tails: Default::default(),
        course: None,
    })
}

/// Returns the coarsest step that latencies come in: bins must not be narrower.
fn tick(summary: &Summary) -> Option<Tick> {
    let steps = |case: &irqscope_analysis::CaseSummary| {
        case.instruction_femtoseconds.max(case.tick_femtoseconds)
    };
    let ticks = summary.cases.iter().filter_map(steps);
    ticks.max().map(|femtoseconds| Tick { femtoseconds })
}
