// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A measurement with a generator at an address: one case, from outside only, in a
//! run directory like any other.

use std::path::Path;
use std::sync::mpsc::Receiver;

use irqscope_rig::board::{self, Ask};
use irqscope_rig::generator::Client;
use irqscope_rig::{Event, RigError, Stop};
use irqscope_scenario::UNKNOWN;
use irqscope_wire::{GeneratorKind, Note, Plan, Severity, Stage, StartAt, Status};

use crate::execute::{Recorder, failure};
use crate::{CaseManifest, ExecuteError, Host, ManifestDraft, RunDir, Watch};

/// The rig's name in the manifest.
const RIG: &str = "board";

/// The measurement, and where to leave it.
pub struct BoardRequest<'a> {
    /// The run directory; it must not exist.
    pub out: &'a Path,
    /// The command line, for the manifest.
    pub args: Vec<String>,
    /// The version of this program, for the manifest.
    pub tool_version: &'a str,
    /// Of the generator's lines, in their order.
    pub stages: &'a [Stage],
    /// When the generator starts.
    pub at: StartAt,
    /// The demands on the generator meanwhile.
    pub asks: &'a Receiver<Ask>,
    /// Ends the measurement early.
    pub stop: Stop,
}

/// Measures with a generator that is set and idle, as `status` says.
///
/// # Errors
/// The generator's or the disk's. Frames that were received are kept.
pub fn measure(
    client: Client,
    status: &Status,
    request: &BoardRequest<'_>,
    watch: &dyn Watch,
) -> Result<RunDir, ExecuteError> {
    let plan = board::plan(client.hello(), status, request.stages);
    let is_twin = client.hello().kind == GeneratorKind::Twin;
    let mut run = RunDir::create(request.out, &draft(request, &plan))?;
    watch.begun(&run.manifest().cases);
    let mut recorder = Recorder::new(run.log(), 0, watch, &plan);
    let mut sent = 0;
    let mut events = |event: Event<'_>| {
        if let Event::Frame { frame, .. } = &event {
            sent = triggers(&frame.message).unwrap_or(sent);
        }
        recorder.record(event)
    };
    let virtual_time = if is_twin { events(Event::Note(caveat())) } else { Ok(()) };
    let result = virtual_time.and_then(|()| {
        board::run_case(client, &plan, request.at, request.asks, &request.stop, &mut events)
    });
    watch.ended(0, &result);
    run.finish(manifests(&run, result.as_ref().err(), sent))?;
    match result {
        Ok(()) => Ok(run),
        Err(source) => Err(ExecuteError::Case { case: plan.case, source }),
    }
}

fn caveat() -> Note {
    let text = "the generator is a twin's: its nanoseconds are virtual, executed instructions; \
                the figures show the structure of a latency, not a hardware latency";
    Note { severity: Severity::Warning, text: text.into() }
}

fn draft(request: &BoardRequest<'_>, plan: &Plan) -> ManifestDraft {
    let case = CaseManifest { without_agent: true, ..CaseManifest::new(UNKNOWN, plan.clone()) };
    ManifestDraft {
        tool_version: request.tool_version.to_owned(),
        scenario: RIG.to_owned(),
        scenario_toml: String::new(),
        limits: Vec::new(),
        overrides: Vec::new(),
        rig: RIG.to_owned(),
        args: request.args.clone(),
        host: Host::current(),
        cases: vec![case],
    }
}

/// Returns the manifests. Their count is the triggers finally requested: an early stop lowers it to
/// those sent.
fn manifests(run: &RunDir, failed: Option<&RigError>, sent: u64) -> Vec<CaseManifest> {
    let mut cases = run.manifest().cases.clone();
    for case in &mut cases {
        case.failure = failed.map(failure);
        let asked = case.plan.as_mut().and_then(Plan::stages_mut);
        if let Some(asked) = asked.filter(|asked| failed.is_none() && sent < asked.count) {
            case.warnings.push(format!("stopped after {sent} of {} triggers", asked.count));
            asked.count = sent;
        }
    }
    cases
}

const fn triggers(message: &irqscope_wire::Message) -> Option<u64> {
    match message {
        irqscope_wire::Message::Status(status) => Some(status.totals.triggers),
        irqscope_wire::Message::Packet(packet) => Some(packet.totals.triggers),
        _ => None,
    }
}
