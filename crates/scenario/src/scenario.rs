// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What a scenario means: its cases, each with a complete plan.

use std::path::Path;

use irqscope_wire::{
    Delay, Jitter, JitterKind, Load, Plan, Policy, Scheduling, Stage, SystemState, Tick,
};

use crate::bundled::bundled;
use crate::error::ScenarioError;
use crate::nearest::suggestion;
use crate::text::{RigKind, Ssh, StateText, Text, Twin};

/// States that every scenario knows.
const STATES: [(&str, &[Load]); 9] = [
    ("idle", &[]),
    ("one", &[Load::Busy]),
    ("many", &[Load::Busy256]),
    ("tcp", &[Load::Tcp]),
    ("copy", &[Load::Copy]),
    ("exec", &[Load::Exec]),
    ("memory", &[Load::Memory]),
    ("hackbench", &[Load::Hackbench]),
    ("stress-ng", &[Load::StressNg]),
];

/// The most triggers one case may have: sequence numbers of 32 bits.
const MAX_COUNT: u64 = 1 << 32;

#[derive(Clone, Debug)]
pub struct Scenario {
    pub name: String,
    pub about: String,
    /// The file's text, kept for the manifest.
    pub text: String,
    pub rig: RigKind,
    pub kernels: Vec<String>,
    pub states: Vec<SystemState>,
    pub twin: Twin,
    pub ssh: Ssh,
    template: Plan,
}

/// One kernel in one state.
#[derive(Clone, Debug)]
pub struct Case {
    pub kernel: String,
    pub plan: Plan,
}

impl Scenario {
    /// Loads a bundled scenario by name or a file by path (`*.toml`).
    pub fn load(name: &str) -> Result<Self, ScenarioError> {
        if name.ends_with(".toml") {
            let path = Path::new(name);
            let text = std::fs::read_to_string(path)
                .map_err(|source| ScenarioError::Read { path: path.into(), source })?;
            let stem = path.file_stem().unwrap_or_default().to_string_lossy();
            return Self::parse(&stem, name, &text);
        }
        match bundled().iter().find(|scenario| scenario.name == name) {
            Some(found) => Self::parse(found.name, &format!("scenarios/{name}.toml"), found.text),
            None => {
                let names: Vec<&str> = bundled().iter().map(|scenario| scenario.name).collect();
                let message = suggestion("scenario", name, &names);
                Err(ScenarioError::Unknown(format!("{message}; or give a path that ends in .toml")))
            }
        }
    }

    /// Parses the text of `file`, which is only named in errors.
    pub fn parse(name: &str, file: &str, source: &str) -> Result<Self, ScenarioError> {
        let text: Text = toml::from_str(source).map_err(|error| {
            let offset = error.span().map_or(0, |span| span.start);
            ScenarioError::at(file, source, offset, error.message().to_owned())
        })?;
        Reader { name, file, source }.scenario(text)
    }

    /// Kernels by states, in the order of the file.
    pub fn cases(&self) -> Vec<Case> {
        let plan_for = |kernel: &String, state: &SystemState| Case {
            kernel: kernel.clone(),
            plan: Plan {
                case: format!("{kernel}/{}", state.name),
                state: state.clone(),
                ..self.template.clone()
            },
        };
        self.kernels
            .iter()
            .flat_map(|kernel| self.states.iter().map(move |state| plan_for(kernel, state)))
            .collect()
    }

    /// Changes the rig; only the twin's counter has a tick known beforehand.
    pub fn set_rig(&mut self, rig: RigKind) {
        self.rig = rig;
        (self.template.tick, self.template.instruction) = twin_clock(rig, self.twin);
    }
}

/// The ticks of the counter and of one instruction. QEMU's counter counts
/// virtual nanoseconds, whatever an instruction takes (`icount_get()`).
fn twin_clock(rig: RigKind, twin: Twin) -> (Option<Tick>, Option<Tick>) {
    const NANOSECOND: u64 = 1_000_000;
    let tick = |femtoseconds| (rig == RigKind::Twin).then_some(Tick { femtoseconds });
    (tick(NANOSECOND), tick(NANOSECOND << twin.shift))
}

/// Checks what types cannot, with the file's name and text for errors.
struct Reader<'a> {
    name: &'a str,
    file: &'a str,
    source: &'a str,
}

impl Reader<'_> {
    fn scenario(&self, text: Text) -> Result<Scenario, ScenarioError> {
        self.check(&text)?;
        let states = text
            .states
            .iter()
            .map(|name| self.state(name, &text.state))
            .collect::<Result<_, _>>()?;
        Ok(Scenario {
            name: self.name.to_owned(),
            about: text.about.clone(),
            text: self.source.to_owned(),
            rig: text.rig,
            kernels: text.kernels.clone(),
            states,
            twin: text.twin,
            ssh: text.ssh.clone(),
            template: template(&text),
        })
    }

    fn check(&self, text: &Text) -> Result<(), ScenarioError> {
        let trigger = &text.trigger;
        if text.version != 1 {
            return Err(self.meaning(format!("version is {}, this program reads 1", text.version)));
        }
        if !(1..=MAX_COUNT).contains(trigger.count.get_ref()) {
            let message = format!("count is 1 to {MAX_COUNT}, not {}", trigger.count.get_ref());
            return Err(self.at(trigger.count.span().start, message));
        }
        if !(10_000..=3_600_000_000_000).contains(&trigger.period.0) {
            return Err(self.meaning("trigger.period is 10us to 1h".to_owned()));
        }
        if (trigger.jitter.0 == JitterKind::None) != (trigger.jitter_amount.0 == 0) {
            return Err(self.meaning(
                "trigger.jitter and trigger.jitter-amount go together: a kind and an amount above 0".to_owned(),
            ));
        }
        if text.twin.shift > 10 || text.twin.memory < 128 {
            return Err(self.meaning("twin.shift is 0 to 10, twin.memory at least 128".to_owned()));
        }
        if text.rig == RigKind::Twin && text.kernels.is_empty() {
            return Err(
                self.meaning("rig twin needs kernels, as in kernels = [\"6.1\"]".to_owned())
            );
        }
        if text.states.is_empty() {
            return Err(
                self.meaning("states is empty; the least is states = [\"idle\"]".to_owned())
            );
        }
        match &text.test {
            Some(test) if test.instructions % 2 != 0 => {
                Err(self.meaning("test.instructions is even: the loop has two".to_owned()))
            }
            _ => Ok(()),
        }
    }

    fn state(
        &self,
        name: &toml::Spanned<String>,
        own: &std::collections::BTreeMap<String, StateText>,
    ) -> Result<SystemState, ScenarioError> {
        let wanted = name.get_ref();
        let loads = match own.get(wanted) {
            Some(text) => text.loads.iter().map(|load| load.0).collect(),
            None => match STATES.iter().find(|(known, _)| known == wanted) {
                Some((_, loads)) => loads.to_vec(),
                None => {
                    let names: Vec<&str> = STATES
                        .iter()
                        .map(|state| state.0)
                        .chain(own.keys().map(String::as_str))
                        .collect();
                    return Err(self.at(name.span().start, suggestion("state", wanted, &names)));
                }
            },
        };
        Ok(SystemState { name: wanted.clone(), loads })
    }

    fn at(&self, offset: usize, message: String) -> ScenarioError {
        ScenarioError::at(self.file, self.source, offset, message)
    }

    fn meaning(&self, message: String) -> ScenarioError {
        ScenarioError::Meaning { file: self.file.to_owned(), message }
    }
}

fn template(text: &Text) -> Plan {
    let trigger = &text.trigger;
    let (tick, instruction) = twin_clock(text.rig, text.twin);
    let fifo = |priority| Scheduling { policy: Policy::Fifo, priority };
    Plan {
        case: String::new(),
        stages: text
            .stages
            .as_ref()
            .map_or(Stage::ALL.to_vec(), |stages| stages.iter().map(|stage| stage.0).collect()),
        trigger: trigger.kind.0,
        line: trigger.line.0,
        irq: trigger.irq,
        mode: trigger.mode.0,
        pacing: trigger.pacing.0,
        period_ns: trigger.period.0,
        count: *trigger.count.get_ref(),
        jitter: Jitter { kind: trigger.jitter.0, ns: trigger.jitter_amount.0 },
        seed: trigger.seed,
        cpu: trigger.cpu,
        timeout_ms: u32::try_from(trigger.timeout.0 / 1_000_000).unwrap_or(u32::MAX).max(1),
        settle_ms: u32::try_from(trigger.settle.0 / 1_000_000).unwrap_or(u32::MAX),
        state: SystemState { name: String::new(), loads: Vec::new() },
        user: text.priority.user.map_or(fifo(80), |priority| priority.0),
        kthread: text.priority.kthread.map_or(fifo(50), |priority| priority.0),
        thread: text.priority.thread.map_or(fifo(50), |priority| priority.0),
        tick,
        instruction,
        delay: text
            .test
            .as_ref()
            .map(|test| Delay { stage: test.stage.0, instructions: test.instructions }),
    }
}
