// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The state at one moment; docs/dashboard-api.md says what each field means.

use std::sync::Arc;

use irqscope_analysis::LiveFigures;
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

impl Snapshot {
    /// Narrows it to histograms, courses and longest latencies of one case only, and of that of
    /// these series only, where some are named.
    pub fn narrowed(&self, case: Option<&str>, series: Option<&[(Stage, View)]>) -> Self {
        let mut narrow = self.clone();
        if let Some(measurement) = &mut narrow.measurement {
            let known = |name: &&str| measurement.cases.iter().any(|case| case.case == **name);
            if let Some(name) = case.filter(known) {
                measurement.shown = Some(name.to_owned());
            }
            let shown = measurement.shown.clone();
            for case in &mut measurement.cases {
                let wanted = |stage, view| {
                    shown.as_ref() == Some(&case.case)
                        && series.is_none_or(|some| some.contains(&(stage, view)))
                };
                case.figures =
                    Arc::new(without(&case.figures, wanted, shown.as_ref() == Some(&case.case)));
            }
        }
        narrow
    }
}

fn without(
    figures: &LiveFigures,
    wanted: impl Fn(Stage, View) -> bool,
    with_worst: bool,
) -> LiveFigures {
    let mut figures = figures.clone();
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
