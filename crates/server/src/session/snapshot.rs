// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The state at one moment; docs/dashboard-api.md says what each field means.

use std::sync::Arc;

use irqscope_analysis::{Capture, LiveFigures, LiveLines, Reason};
use irqscope_wire::{Stage, SystemState, View};
use serde::Serialize;
use tokio::sync::watch;

use super::generator::GeneratorState;
use super::measurement::{Source, State};
use crate::error::Trouble;

/// The newest snapshot, and word of each that follows.
pub type Snapshots = watch::Receiver<Arc<Snapshot>>;

/// The state at one moment.
#[allow(missing_docs, reason = "docs/dashboard-api.md says what each field means")]
#[derive(Clone, Debug, Default, Serialize)]
pub struct Snapshot {
    pub sequence: u64,
    pub generator: Option<GeneratorState>,
    pub measurement: Option<Measurement>,
}

/// The measurement at one moment.
#[allow(missing_docs, reason = "docs/dashboard-api.md says what each field means")]
#[derive(Clone, Debug, Serialize)]
pub struct Measurement {
    pub run: Option<String>,
    pub source: Source,
    pub scenario: Option<String>,
    pub rig: String,
    pub state: State,
    /// It has not ended.
    pub active: bool,
    pub what: String,
    pub error: Option<Trouble>,
    pub started_utc: String,
    pub elapsed_ms: u64,
    pub shown: Option<String>,
    pub cases: Vec<CaseSnapshot>,
}

/// One case at one moment.
#[allow(missing_docs, reason = "docs/dashboard-api.md says what each field means")]
#[derive(Clone, Debug, Serialize)]
pub struct CaseSnapshot {
    pub case: String,
    pub kernel: String,
    pub state: SystemState,
    pub twin: bool,
    pub phase: String,
    pub ended: bool,
    pub failure: Option<Trouble>,
    pub planned: u64,
    pub rate_millihertz: Option<u64>,
    #[serde(flatten)]
    pub figures: Arc<LiveFigures>,
}

/// The part of a snapshot that one viewer wants.
#[derive(Clone, Debug, Default)]
pub struct Narrow {
    /// The case whose pictures are wanted; else the one that received samples last.
    pub case: Option<String>,
    /// Histograms and courses of these series; of all, where none is named.
    pub series: Option<Vec<(Stage, View)>>,
    /// The newest triggers' lines.
    pub lines: bool,
    /// The lines of this capture.
    pub capture: Option<(Reason, Stage, View)>,
}

impl Snapshot {
    /// Narrows it to histograms, courses, longest latencies and lines of one case only, and of that
    /// to what is wanted.
    pub fn narrowed(&self, wanted: &Narrow) -> Self {
        let series = wanted.series.as_deref();
        let mut narrow = self.clone();
        if let Some(measurement) = &mut narrow.measurement {
            let known = |name: &&str| measurement.cases.iter().any(|case| case.case == **name);
            if let Some(name) = wanted.case.as_deref().filter(known) {
                measurement.shown = Some(name.to_owned());
            }
            let shown = measurement.shown.clone();
            for case in &mut measurement.cases {
                let is_shown = shown.as_ref() == Some(&case.case);
                let draws = |stage, view| {
                    is_shown && series.is_none_or(|some| some.contains(&(stage, view)))
                };
                let lines = case.figures.lines.as_ref().filter(|_| is_shown);
                let lines = lines.and_then(|lines| narrowed_lines(lines, wanted));
                let figures = without(&case.figures, draws, is_shown);
                case.figures = Arc::new(LiveFigures { lines, ..figures });
            }
        }
        narrow
    }
}

/// Returns the lines that are wanted; `None` for those who look at none.
fn narrowed_lines(lines: &Arc<LiveLines>, wanted: &Narrow) -> Option<Arc<LiveLines>> {
    if !wanted.lines {
        return None;
    }
    let capture = |one: &Capture| {
        let is_wanted = wanted.capture == Some((one.reason, one.stage, one.view));
        let lines = if is_wanted { one.lines.clone() } else { Vec::new() };
        Capture { lines, ..*one }
    };
    let captures = lines.captures.iter().map(capture).collect();
    let (recent, above_ns) = (lines.recent.clone(), lines.above_ns.clone());
    Some(Arc::new(LiveLines { recent, captures, above_ns, triggers: lines.triggers }))
}

fn without(
    figures: &LiveFigures,
    wanted: impl Fn(Stage, View) -> bool,
    with_worst: bool,
) -> LiveFigures {
    let mut figures = LiveFigures { lines: None, ..figures.clone() };
    for one in &mut figures.series {
        if !wanted(one.stage, one.view) {
            (one.histogram, one.course) = (None, None);
        }
    }
    if !with_worst {
        figures.worst.clear();
    }
    figures
}
