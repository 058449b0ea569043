// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A case that is measured again and again without a log: from the state in which its loads have settled
//! with its only trigger at another instant each time, or from its boot with other loads.

use std::path::Path;

use irqscope_rig::{Event, Job, Rig, RigError, Stop, Stream, rig};
use irqscope_scenario::{Case, Scenario};
use irqscope_wire::{Answer, Cycles, Message, Packet, Plan};

use crate::CaseData;
use crate::execute::source;

/// A prepared case.
pub struct Probe {
    rig: Box<dyn Rig>,
    cases: Vec<Case>,
}

impl Probe {
    /// Prepares the first case of a scenario.
    ///
    /// # Errors
    /// Something is missing, or the case asks for what the rig cannot do.
    pub fn prepare(scenario: &Scenario, say: &dyn Fn(&str), stop: &Stop) -> Result<Self, RigError> {
        let mut cases: Vec<Case> = scenario.cases().iter().take(1).cloned().collect();
        let mut rig = rig(scenario);
        rig.prepare(&mut cases, say, stop)?;
        Ok(Self { rig, cases })
    }

    /// Measures a plan, and returns all that was received, as if a log of it had been read. The plan is
    /// one of the prepared case, but for its state and its triggers.
    ///
    /// # Errors
    /// The case did not come to its end.
    pub fn measure(&self, plan: &Plan, console: &Path, stop: &Stop) -> Result<CaseData, RigError> {
        let mut data = CaseData::of_plan(plan);
        let job = Job { index: 0, plan, console, stop, first: None };
        self.rig.run_case(&job, &mut |event| {
            if let Event::Frame { stream, frame, .. } = event {
                data.take_frame(source(stream), frame.clone());
            }
            Ok(())
        })?;
        Ok(data.finished())
    }

    /// Returns the latency of the first line that answers to a trigger at this instant, ns from the
    /// start of the measurement; `None`: there was no answer.
    ///
    /// # Errors
    /// The case did not come to its trigger.
    pub fn at(&self, first: u64, console: &Path, stop: &Stop) -> Result<Option<u64>, RigError> {
        let mut seen = None;
        let job = Job { index: 0, plan: &self.cases[0].plan, console, stop, first: Some(first) };
        let ran = self.rig.run_case(&job, &mut |event| match answer(&event) {
            Some(answer) => {
                seen = Some(answer);
                // Nothing that comes later is asked for.
                Err(RigError::Interrupted)
            }
            None => Ok(()),
        });
        match (seen, ran) {
            (Some(answer), _) => Ok(answer),
            (None, Err(error)) => Err(error),
            (None, Ok(())) => Ok(None),
        }
    }
}

/// Returns the answer to the trigger, once it is there.
fn answer(event: &Event<'_>) -> Option<Option<u64>> {
    let Event::Frame { stream: Stream::Generator, frame, .. } = event else { return None };
    let Message::Packet(Packet { samples, .. }) = &frame.message else { return None };
    // A line of a stage that was not asked does not answer.
    let latency = |answer: &Answer| match answer {
        Answer::Prompt(Cycles(ns)) | Answer::Late(Cycles(ns)) => Some(*ns),
        _ => None,
    };
    samples.first().map(|sample| sample.answers.iter().find_map(latency))
}
