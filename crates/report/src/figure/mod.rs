// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Figures. Each is drawn twice for the page, wide and narrow, and once more
//! as a file.

mod axis;
mod histogram;
mod knees;
mod overview;
mod sweep;
mod tail;

use irqscope_analysis::{Axis, Distribution, Histogram, StageSummary, Summary};
use irqscope_wire::{Stage, Tick, View};

use crate::svg::{Ink, Svg, Type};
use crate::table::stage_name;

/// The two widths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    Wide,
    Narrow,
}

impl Layout {
    pub const fn width(self) -> f64 {
        match self {
            Self::Wide => 760.0,
            Self::Narrow => 350.0,
        }
    }

    const fn pick(self, wide: f64, narrow: f64) -> f64 {
        match self {
            Self::Wide => wide,
            Self::Narrow => narrow,
        }
    }
}

/// One stage of one case, ready to be drawn.
pub struct Panel<'a> {
    /// Position of the case in the summary: decides its colour.
    pub index: usize,
    pub case: &'a str,
    pub kernel: &'a str,
    pub summary: &'a StageSummary,
    pub distribution: Distribution,
    pub histogram: Option<Histogram>,
}

/// One stage in one view, with all its cases.
pub struct StageFigure<'a> {
    pub stage: Stage,
    pub view: View,
    /// None if no case has a single latency.
    pub axis: Option<Axis>,
    /// Stands below a figure that leaves the page, if the twin made it.
    pub caveat: Option<String>,
    pub panels: Vec<Panel<'a>>,
}

impl StageFigure<'_> {
    pub fn title(&self) -> String {
        stage_name(self.stage, self.view)
    }

    /// What its files are called: `softirq`, `softirq-outside`.
    pub fn file_name(&self) -> String {
        match self.view {
            View::Inside => self.stage.name().into(),
            View::Outside => format!("{}-outside", self.stage),
        }
    }

    pub fn histogram(&self, layout: Layout, alone: bool) -> Option<String> {
        Some(histogram::draw(self, self.axis?, layout, alone))
    }

    pub fn tail(&self, layout: Layout, alone: bool) -> Option<String> {
        self.axis?;
        Some(tail::draw(self, layout, alone))
    }
}

/// All stages of a run, each with its common axis.
pub fn stages(summary: &Summary, distributions: Vec<Distribution>) -> Vec<StageFigure<'_>> {
    let mut distributions = distributions;
    distributions.retain(|one| is_shown(summary, one));
    let one = |(stage, view)| {
        let of_stage = |one: &mut Distribution| one.stage == stage && one.view == view;
        let mine: Vec<Distribution> = distributions.extract_if(.., of_stage).collect();
        let axis = Axis::common(&mine.iter().collect::<Vec<_>>(), tick(summary));
        let panels = mine.into_iter().filter_map(|one| panel(summary, one, axis)).collect();
        StageFigure { stage, view, axis, caveat: summary.caveat(), panels }
    };
    summary.shown_stages().into_iter().map(one).collect()
}

pub use knees::draw as knees;
pub use overview::draw as overview;
pub use sweep::{StageSweep, stages as sweep_stages};

/// A last line; gives the new height.
fn caveat(svg: &mut Svg, caveat: Option<String>, bottom: f64) -> f64 {
    let Some(caveat) = caveat else { return bottom };
    svg.text((12.0, bottom + 6.0), &format!("twin: {caveat}"), Type::new(Ink::Muted, 9.5));
    bottom + 16.0
}

/// Each case is drawn once, in its main view.
fn is_shown(summary: &Summary, one: &Distribution) -> bool {
    let mut shown = summary.shown_cases();
    shown.any(|(index, case)| index == usize::from(one.case) && case.main_view() == one.view)
}

fn panel<'a>(
    summary: &'a Summary,
    distribution: Distribution,
    axis: Option<Axis>,
) -> Option<Panel<'a>> {
    let index = usize::from(distribution.case);
    let case = summary.cases.get(index)?;
    Some(Panel {
        index,
        case: &case.case,
        kernel: &case.kernel,
        summary: case.stage(distribution.stage, distribution.view)?,
        histogram: axis.map(|axis| Histogram::new(&distribution, axis)),
        distribution,
    })
}

/// The coarsest step that latencies come in: bins must not be narrower.
fn tick(summary: &Summary) -> Option<Tick> {
    let steps = |case: &irqscope_analysis::CaseSummary| {
        case.instruction_femtoseconds.max(case.tick_femtoseconds)
    };
    let ticks = summary.cases.iter().filter_map(steps);
    ticks.max().map(|femtoseconds| Tick { femtoseconds })
}
