// SPDX-License-Identifier: Apache-2.0 OR MIT
//! manifest.json: what was measured where, how and by what.

use std::collections::BTreeMap;
use std::path::Path;

use irqscope_quantity::Limit;
use irqscope_wire::{
    Counters, Failure, Message, Note, Plan, Severity, Stage, StageCost, StagePlan, Started,
    SystemState,
};
use serde::{Deserialize, Serialize};

use crate::calibration::GeneratorFacts;
use crate::derived::replace;
use crate::{CaseData, Host, OutsideData, Result, RunError, read_own};

/// The manifest's format.
///
/// 1: first. 2: a plan has stages or benchmarks, each with what they alone need. 3: a plan
/// has the settings that a generator alone has as the table of settings does.
pub const VERSION: u32 = 3;

pub(crate) const FILE: &str = "manifest.json";

/// Facts that are known before the first trigger.
#[derive(Clone, Debug, Default)]
pub struct ManifestDraft {
    /// The version of this program.
    pub tool_version: String,
    /// The scenario's name.
    pub scenario: String,
    /// The scenario's full text, as it was run.
    pub scenario_toml: String,
    /// The keys that were set outside it, one `KEY=VALUE` each.
    pub overrides: Vec<String>,
    /// The limits that it sets.
    pub limits: Vec<Limit>,
    /// The rig.
    pub rig: String,
    /// The command line.
    pub args: Vec<String>,
    /// The host.
    pub host: Host,
    /// The log refers to cases by their position here.
    pub cases: Vec<CaseManifest>,
}

/// `manifest.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// The format's version.
    pub version: u32,
    /// Every case ran to its end and has a result.
    pub complete: bool,
    /// The version of this program.
    pub tool_version: String,
    /// The scenario's name.
    pub scenario: String,
    /// The scenario's text.
    pub scenario_toml: String,
    /// The keys that were set outside it, one `KEY=VALUE` each, as `irqscope run --set`
    /// takes them.
    #[serde(default)]
    pub overrides: Vec<String>,
    /// The limits that the scenario sets.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub limits: Vec<Limit>,
    /// The rig.
    pub rig: String,
    /// The command line.
    pub args: Vec<String>,
    /// The beginning, by the host's clock.
    pub started_utc: String,
    /// None while the run goes on, and for ever if it was killed.
    pub finished_utc: Option<String>,
    /// How many records the log had when the run was finished.
    #[serde(default)]
    pub records: Option<u64>,
    /// The host.
    pub host: Host,
    /// The cases, in the order of their numbers.
    pub cases: Vec<CaseManifest>,
}

/// One case in the manifest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CaseManifest {
    /// `kernel/state`, unique in its run; at a level of an axis `kernel/state/preempt-full`, in a sweep
    /// `kernel/state/frequency`, with one of several seeds `kernel/state/seed-7`.
    pub case: String,
    /// The case that this is one step of, in a sweep.
    #[serde(default)]
    pub step_of: Option<String>,
    /// The only stage that this step is about, in a sweep of one stage after the other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step_stage: Option<Stage>,
    /// The case that this is with one of several seeds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed_of: Option<String>,
    /// The kernel's name in the scenario; its release is in `target`.
    pub kernel: String,
    /// The packages or files of a kernel that was booted, with their digests.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kernel_origin: Vec<String>,
    /// The files, packages and modules that the scenario brought, with their digests.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub payload_origin: Vec<String>,
    /// The kernel parameters that the scenario asked for; the whole command line is in `target`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub boot: String,
    /// The level that this is of each of the scenario's axes, by the axis.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub levels: BTreeMap<String, String>,
    /// The system state.
    pub state: SystemState,
    /// The plan.
    pub plan: Option<Plan>,
    /// The settings that the target really took.
    pub target: Option<Started>,
    /// The cost of stamping, by stage.
    pub costs: Vec<StageCost>,
    /// The driver's counters.
    pub counters: Option<Counters>,
    /// Warnings that only the executor knows.
    pub warnings: Vec<String>,
    /// The console's log, relative to the run directory.
    pub console_log: Option<String>,
    /// Why it failed, if it did.
    pub failure: Option<Failure>,
    /// Nothing on the target takes part: a generator at an address, whose own
    /// account is the case's.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub without_agent: bool,
    /// The observer outside, and its known errors.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generator: Option<GeneratorFacts>,
}

impl CaseManifest {
    /// Makes a case that has not begun.
    pub fn new(kernel: &str, plan: Plan) -> Self {
        Self {
            case: plan.case.clone(),
            step_of: None,
            step_stage: None,
            seed_of: None,
            kernel: kernel.into(),
            kernel_origin: Vec::new(),
            payload_origin: Vec::new(),
            boot: String::new(),
            levels: BTreeMap::new(),
            state: plan.state.clone(),
            plan: Some(plan),
            target: None,
            costs: Vec::new(),
            counters: None,
            warnings: Vec::new(),
            console_log: None,
            failure: None,
            without_agent: false,
            generator: None,
        }
    }

    /// Takes over what a message of this case says. `RunDir::finish` does it
    /// for everything in the log.
    pub fn observe(&mut self, message: &Message) {
        match message {
            Message::Plan(plan) => self.plan = Some((**plan).clone()),
            Message::Started(started) => self.target = Some(started.clone()),
            Message::Cost(costs) => self.costs.clone_from(costs),
            Message::Note(note) => self.warn(note),
            Message::Finished(counters) => self.counters = Some(*counters),
            Message::Failed(failure) => self.failure = Some(failure.clone()),
            _ => {}
        }
    }

    /// Returns what the plan asks of stages, if it asks any.
    pub fn asked(&self) -> Option<&StagePlan> {
        self.plan.as_ref()?.stages()
    }

    /// Returns whether the case ran to its end.
    pub fn has_result(&self) -> bool {
        self.counters.is_some() && self.failure.is_none()
    }

    fn warn(&mut self, note: &Note) {
        if note.severity == Severity::Warning && !self.warnings.contains(&note.text) {
            self.warnings.push(note.text.clone());
        }
    }

    /// Completes what the caller left open from the log. The plan is what the
    /// target repeated, which the rig may have had to change.
    pub(crate) fn complete_from(&mut self, data: &CaseData) {
        self.plan = data.plan.clone().or_else(|| self.plan.take());
        self.target = self.target.take().or_else(|| data.started.clone());
        if self.costs.is_empty() {
            self.costs.clone_from(&data.costs);
        }
        self.counters = self.counters.or(data.counters);
        self.failure = self.failure.take().or_else(|| data.failure.clone());
        self.generator = data.outside.as_ref().and_then(OutsideData::facts);
        data.notes.iter().for_each(|note| self.warn(note));
    }
}

impl Manifest {
    pub(crate) fn begin(draft: &ManifestDraft, started_utc: String) -> Self {
        let draft = draft.clone();
        Self {
            version: VERSION,
            complete: false,
            tool_version: draft.tool_version,
            scenario: draft.scenario,
            scenario_toml: draft.scenario_toml,
            overrides: draft.overrides,
            limits: draft.limits,
            rig: draft.rig,
            args: draft.args,
            started_utc,
            finished_utc: None,
            records: None,
            host: draft.host,
            cases: draft.cases,
        }
    }

    pub(crate) fn read(dir: &Path) -> Result<Self> {
        let path = dir.join(FILE);
        let text = read_own(&path).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => RunError::NotARun { path: dir.to_owned() },
            _ => RunError::io("read", &path, error),
        })?;
        let json = |source| RunError::Manifest { path: path.clone(), source };
        // The version alone first: another version may have other fields.
        let Version { version: found } = serde_json::from_str(&text).map_err(json)?;
        if found != VERSION {
            return Err(RunError::Version { path, found, known: VERSION });
        }
        serde_json::from_str(&text).map_err(json)
    }

    /// Writes it so that a reader sees the old manifest or the new one, never half of one.
    pub(crate) fn write(&self, dir: &Path) -> Result<()> {
        let path = dir.join(FILE);
        let mut text = serde_json::to_string_pretty(self)
            .map_err(|source| RunError::Manifest { path: path.clone(), source })?;
        text.push('\n');
        replace(&path, text.as_bytes())
    }
}

#[derive(Deserialize)]
struct Version {
    version: u32,
}
