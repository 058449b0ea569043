// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A connected generator as people see it: times in nanoseconds.

use irqscope_rig::board::default_stages;
use irqscope_rig::generator::Client;
use irqscope_wire::{GeneratorHello, GeneratorKind, Message, RunState, Stage, Status, Totals};
use serde::Serialize;
use serde_json::{Map, Value};

use super::settings;
use crate::error::{SessionError, Trouble};

/// The connected generator.
#[allow(missing_docs, reason = "docs/dashboard-api.md says what each field means")]
#[derive(Clone, Debug, Serialize)]
pub struct GeneratorState {
    pub address: String,
    pub connected: bool,
    pub error: Option<Trouble>,
    pub kind: GeneratorKind,
    pub tool_version: String,
    pub tick_femtoseconds: u64,
    pub lines: u8,
    pub default_stages: Vec<Stage>,
    pub limits: Map<String, Value>,
    pub status: GeneratorStatus,
    #[serde(skip)]
    pub hello: GeneratorHello,
}

#[derive(Clone, Debug, Serialize)]
pub struct GeneratorStatus {
    pub run: u32,
    pub state: RunState,
    pub settings: Map<String, Value>,
    pub totals: Totals,
    pub identity_holds: bool,
}

impl GeneratorState {
    /// Makes the state of a generator that has just been connected to.
    pub fn new(address: &str, client: &Client) -> Self {
        let (hello, status) = (client.hello(), client.first_status());
        Self {
            address: address.to_owned(),
            connected: true,
            error: None,
            kind: hello.kind,
            tool_version: hello.tool_version.clone(),
            tick_femtoseconds: hello.tick.femtoseconds,
            lines: hello.lines,
            default_stages: default_stages(status.settings.lines),
            limits: settings::limits(hello),
            status: GeneratorStatus::of(hello, status),
            hello: hello.clone(),
        }
    }

    /// Takes a status.
    pub fn learn(&mut self, status: &Status) {
        if usize::from(status.settings.lines) != self.default_stages.len() {
            self.default_stages = default_stages(status.settings.lines);
        }
        self.status = GeneratorStatus::of(&self.hello, status);
    }

    /// Takes what a generator says about itself.
    pub fn hear(&mut self, message: &Message) {
        match message {
            Message::Status(status) => self.learn(status),
            Message::Reply(reply) => reply.result.iter().for_each(|status| self.learn(status)),
            Message::Packet(packet) => {
                self.status.totals = packet.totals;
                self.status.identity_holds = packet.totals.identity_holds();
            }
            _ => {}
        }
    }

    /// Checks that there are as many stages as lines in use, each once.
    ///
    /// # Errors
    /// There are more stages than lines, or one twice.
    pub fn check_stages(&self, stages: &[Stage]) -> Result<(), SessionError> {
        let mut known = stages.to_vec();
        known.sort_unstable();
        known.dedup();
        if known.len() == stages.len() && stages.len() == self.default_stages.len() {
            return Ok(());
        }
        Err(SessionError::Stages { lines: self.default_stages.len(), named: stages.len() })
    }
}

impl GeneratorStatus {
    fn of(hello: &GeneratorHello, status: &Status) -> Self {
        let Status { run, state, settings, totals, .. } = *status;
        let settings = settings::settings(hello, &settings);
        Self { run, state, settings, totals, identity_holds: totals.identity_holds() }
    }
}
