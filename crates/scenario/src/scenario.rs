// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What a scenario means: its cases, each with a complete plan.

use std::path::Path;

use irqscope_wire::{
    Delay, DelayedLocking, Inside, Jitter, JitterKind, Load, Outside, Plan, Stage, StagePlan,
    SystemState, View, Work,
};

use crate::bench;
use crate::board::Board;
use crate::bundled::bundled;
use crate::error::ScenarioError;
use crate::execution;
use crate::faults;
use crate::kind::{Kernels, RigKind};
use crate::locks::LocksText;
use crate::nearest::suggestion;
use crate::outside;
use crate::rig::{stages_of, twin_clock};
use crate::sweep::{Sweep, SweepError};
use crate::text::{Ssh, StateText, Text, TriggerText, Twin, Vm};
use crate::value::{Duration, Named};

/// What nobody says of a target that is not reached: its kernel, its state.
pub const UNKNOWN: &str = "unknown";

/// States that every scenario knows.
const STATES: [(&str, &[Load]); 11] = [
    ("idle", &[]),
    ("one", &[Load::Busy]),
    ("many", &[Load::Busy256]),
    ("tcp", &[Load::Tcp]),
    ("copy", &[Load::Copy]),
    ("exec", &[Load::Exec]),
    ("memory", &[Load::Memory]),
    ("hog", &[Load::Hog]),
    ("hackbench", &[Load::Hackbench]),
    ("stress-ng", &[Load::StressNg]),
    ("files", &[Load::Files]),
];

/// Triggers of one case: sequence numbers of 32 bits.
const COUNT: std::ops::RangeInclusive<u64> = 1..=1 << 32;
pub(crate) const PERIOD_NS: std::ops::RangeInclusive<u64> = 10_000..=3_600_000_000_000;

/// A scenario that was checked.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// The name of its file.
    pub name: String,
    /// One line about it.
    pub about: String,
    /// The file's text, kept for the manifest.
    pub text: String,
    /// The rig.
    pub rig: RigKind,
    /// The kernels to measure.
    pub kernels: Vec<String>,
    /// The system states to measure.
    pub states: Vec<SystemState>,
    /// The settings of rig `twin`.
    pub twin: Twin,
    /// The settings of rig `vm`.
    pub vm: Vm,
    /// The settings of rig `ssh`.
    pub ssh: Ssh,
    /// The settings of a generator board.
    pub board: Board,
    pub(crate) observer_effect: bool,
    pub(crate) explain_effect: bool,
    /// Else all of them, or as many as a board has lines.
    pub(crate) names_stages: bool,
    pub(crate) template: Plan,
    /// Each case once for each of them, where there are any.
    locks: Vec<DelayedLocking>,
    /// For a generator on a spare CPU, where the rig has one.
    pub(crate) spare_cpu: Option<Outside>,
    sweep: Option<Sweep>,
}

/// One kernel in one state, at one trigger frequency.
#[derive(Clone, Debug)]
pub struct Case {
    /// The kernel.
    pub kernel: String,
    /// The plan.
    pub plan: Plan,
    /// The case that this is one step of, in a sweep.
    pub step_of: Option<String>,
}

impl Scenario {
    /// Loads a bundled scenario by name or a file by path (`*.toml`).
    ///
    /// # Errors
    /// There is no such file or scenario, or it does not make sense.
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
    ///
    /// # Errors
    /// The text does not make sense; the error has the line.
    pub fn parse(name: &str, file: &str, source: &str) -> Result<Self, ScenarioError> {
        let text: Text = toml::from_str(source).map_err(|error| {
            let offset = error.span().map_or(0, |span| span.start);
            ScenarioError::at(file, source, offset, error.message().to_owned())
        })?;
        Reader { name, file, source }.scenario(text)
    }

    /// Kernels by states, in the order of the file; where an effect of measuring
    /// is asked for, each once more without the view from inside, or with events.
    /// In a sweep each of these at every frequency.
    pub fn cases(&self) -> Vec<Case> {
        let mut cases = Vec::new();
        for kernel in &self.kernels {
            for state in &self.states {
                for case in self.in_every_mode(self.case(kernel, state)) {
                    let like = |plan| Case { plan, ..case.clone() };
                    let blind = self.observer_effect.then(|| like(case.plan.without_inside()));
                    let explained = self.explain_effect.then(|| like(case.plan.explained()));
                    cases.push(case.clone());
                    cases.extend(blind.into_iter().chain(explained));
                }
            }
        }
        match &self.sweep {
            Some(sweep) => sweep.over(cases),
            None => cases,
        }
    }

    fn case(&self, kernel: &str, state: &SystemState) -> Case {
        let mut plan = Plan {
            case: format!("{kernel}/{}", state.name),
            state: state.clone(),
            ..self.template.clone()
        };
        let wires = self.rig.wires(kernel).filter(|_| plan.outside().is_some());
        if let (Some(asked), Some(wires)) = (plan.stages_mut(), wires) {
            asked.line = wires;
        }
        Case { kernel: kernel.to_owned(), plan, step_of: None }
    }

    /// The case, or one for each mode of delayed locking.
    fn in_every_mode(&self, case: Case) -> Vec<Case> {
        if self.locks.is_empty() {
            return vec![case];
        }
        let with = |locks: &DelayedLocking| {
            let name = format!("{}/{}", case.plan.case, locks.mode);
            let delayed_locking = Some(*locks);
            Case { plan: Plan { case: name, delayed_locking, ..case.plan.clone() }, ..case.clone() }
        };
        self.locks.iter().map(with).collect()
    }

    /// Another number of triggers in each case.
    ///
    /// # Errors
    /// The count is out of its limits, or goes with no benchmark.
    pub fn set_count(&mut self, count: u64) -> Result<(), ScenarioError> {
        if !COUNT.contains(&count) {
            return Err(ScenarioError::Count { count, limits: COUNT });
        }
        if let Some(asked) = self.template.stages_mut() {
            asked.count = count;
        }
        Ok(())
    }

    /// Records the path of so many triggers of each case. Only with the rig
    /// decided.
    ///
    /// # Errors
    /// The rig has no path trace.
    pub fn set_trace(&mut self, triggers: u64) -> Result<(), ScenarioError> {
        let traceable = self.rig.facts().virtual_clock && self.template.outside().is_some();
        if triggers > 0 && !traceable {
            return Err(ScenarioError::Untraceable { rig: self.rig.name() });
        }
        self.twin.trace = triggers;
        Ok(())
    }

    /// Lets the target record what else the CPU under test does.
    pub fn set_explain(&mut self) {
        if let Some(inside) = self.template.stages_mut().and_then(|asked| asked.inside.as_mut()) {
            inside.explain = true;
        }
    }

    /// Makes a sweep of it. Only with all else decided, the rig above all: it may
    /// be without a generator.
    ///
    /// # Errors
    /// The scenario cannot be swept, and why.
    pub fn set_sweep(&mut self, sweep: Sweep) -> Result<(), SweepError> {
        if self.cases().iter().any(|case| case.plan.outside().is_none()) {
            return Err(SweepError::NoGenerator);
        }
        if self.template.stages().is_some_and(|asked| asked.burst.is_some()) {
            return Err(SweepError::Bursts);
        }
        self.sweep = Some(sweep);
        Ok(())
    }
}

/// Nobody asks a target that is not reached what it runs.
fn kernels(text: &Text) -> Vec<String> {
    match text.rig.facts().kernels {
        Kernels::Unseen if text.kernels.is_empty() => vec![UNKNOWN.to_owned()],
        _ => text.kernels.clone(),
    }
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
            kernels: kernels(&text),
            states,
            twin: text.twin,
            vm: text.vm,
            ssh: text.ssh.clone(),
            board: text.board.clone(),
            names_stages: text.stages.is_some(),
            observer_effect: text.observer_effect,
            explain_effect: text.explain_effect,
            template: template(&text),
            locks: text.locks.as_ref().map(LocksText::settings).unwrap_or_default(),
            spare_cpu: outside::of_spare_cpu(&text),
            sweep: None,
        })
    }

    fn check(&self, text: &Text) -> Result<(), ScenarioError> {
        if text.version != 1 {
            return Err(self.meaning(format!("version is {}, this program reads 1", text.version)));
        }
        match &text.bench {
            Some(bench) => bench::check(bench, text).map_err(|why| self.meaning(why))?,
            None => self.check_trigger(text)?,
        }
        if text.twin.shift > 10 || text.twin.memory < 128 {
            return Err(self.meaning("twin.shift is 0 to 10, twin.memory at least 128".to_owned()));
        }
        if text.twin.trace > 0
            && !(text.rig.facts().virtual_clock && outside::has_view(text, View::Outside))
        {
            let untraceable = ScenarioError::Untraceable { rig: text.rig.name() };
            return Err(self.meaning(untraceable.to_string()));
        }
        if let Some(locks) = &text.locks {
            locks.check().map_err(|why| self.meaning(why))?;
        }
        if text.vm.memory < 128 {
            return Err(self.meaning("vm.memory is at least 128".to_owned()));
        }
        if text.rig.boots() && text.kernels.is_empty() {
            let rig = text.rig.name();
            return Err(self.meaning(format!("rig {rig} needs kernels, as in kernels = [\"6.1\"]")));
        }
        if text.states.is_empty() {
            return Err(
                self.meaning("states is empty; the least is states = [\"idle\"]".to_owned())
            );
        }
        Ok(())
    }

    /// What decides a measurement of stages.
    fn check_trigger(&self, text: &Text) -> Result<(), ScenarioError> {
        let trigger = &text.trigger;
        if !trigger.given {
            return Err(self.meaning(
                "there is neither [trigger], to measure stages, nor [bench.NAME]".to_owned(),
            ));
        }
        let count = *trigger.count.get_ref();
        if !COUNT.contains(&count) {
            let message = ScenarioError::Count { count, limits: COUNT }.to_string();
            return Err(self.at(trigger.count.span().start, message));
        }
        let period_ns = period_ns(trigger).map_err(|why| self.meaning(why))?;
        if !PERIOD_NS.contains(&period_ns) {
            return Err(self.meaning("trigger.period is 10us to 1h".to_owned()));
        }
        execution::check(text, period_ns).map_err(|why| self.meaning(why))?;
        outside::check(text).map_err(|why| self.meaning(why))?;
        self.check_explain(text)?;
        faults::check(text).map_err(|why| self.meaning(why))?;
        if (trigger.jitter.0 == JitterKind::None) != (trigger.jitter_amount.0 == 0) {
            return Err(self.meaning(
                "trigger.jitter and trigger.jitter-amount go together: a kind and an amount above 0".to_owned(),
            ));
        }
        if text.stages.as_ref().is_some_and(Vec::is_empty) {
            return Err(self.meaning("stages is empty; leave it out for all of them".to_owned()));
        }
        match &text.test {
            Some(test) if test.instructions % 2 != 0 => {
                Err(self.meaning("test.instructions is even: the loop has two".to_owned()))
            }
            _ => Ok(()),
        }
    }

    fn check_explain(&self, text: &Text) -> Result<(), ScenarioError> {
        let asked = text.explain || text.explain_effect;
        if asked && !outside::has_view(text, View::Inside) {
            return Err(self.meaning("explain needs the view from inside".to_owned()));
        }
        if text.explain && text.explain_effect {
            let both = "explain-effect has each case without and with explain; leave explain out";
            return Err(self.meaning(both.to_owned()));
        }
        Ok(())
    }

    fn state(
        &self,
        name: &toml::Spanned<String>,
        own: &std::collections::BTreeMap<String, StateText>,
    ) -> Result<SystemState, ScenarioError> {
        let wanted = name.get_ref();
        let hog = own.get(wanted).and_then(|text| text.hog).map(|priority| priority.0);
        let loads: Vec<Load> = match own.get(wanted) {
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
        if hog.is_some() && !loads.contains(&Load::Hog) {
            let message =
                format!("state.{wanted}.hog is the priority of load hog: add it to loads");
            return Err(self.meaning(message));
        }
        Ok(SystemState { name: wanted.clone(), loads, hog })
    }

    fn at(&self, offset: usize, message: String) -> ScenarioError {
        ScenarioError::at(self.file, self.source, offset, message)
    }

    fn meaning(&self, message: String) -> ScenarioError {
        ScenarioError::Meaning { file: self.file.to_owned(), message }
    }
}

/// One of `period` and `frequency`.
fn period_ns(trigger: &TriggerText) -> Result<u64, String> {
    match (trigger.period, trigger.frequency) {
        (Some(period), None) => Ok(period.0),
        (None, Some(frequency)) => Ok(frequency.0),
        _ => Err("give trigger.period or trigger.frequency, one of both".to_owned()),
    }
}

fn template(text: &Text) -> Plan {
    let (tick, instruction) = twin_clock(text.rig, text.twin);
    let common = Plan { tick, instruction, idle_states: text.idle_states, ..Plan::default() };
    match &text.bench {
        Some(bench) => bench.plan(common),
        None => stages_plan(text, common),
    }
}

fn milliseconds(duration: Duration) -> u32 {
    u32::try_from(duration.0 / 1_000_000).unwrap_or(u32::MAX)
}

fn stages_plan(text: &Text, common: Plan) -> Plan {
    let trigger = &text.trigger;
    let default = StagePlan::default();
    let stages = |asked: &Vec<Named<Stage>>| asked.iter().map(|stage| stage.0).collect();
    let inside = Inside { explain: text.explain, compensate: text.compensate.0 };
    let asked = StagePlan {
        stages: text
            .stages
            .as_ref()
            .map_or_else(|| stages_of(text.rig, trigger.kind.0, default.stages), stages),
        trigger: trigger.kind.0,
        line: outside::line(text),
        irq: trigger.irq,
        mode: trigger.mode.0,
        pacing: trigger.pacing.0,
        period_ns: period_ns(trigger).unwrap_or(default.period_ns), // was checked
        count: *trigger.count.get_ref(),
        jitter: Jitter { kind: trigger.jitter.0, ns: trigger.jitter_amount.0 },
        burst: execution::burst(text),
        execution: execution::of(text),
        seed: trigger.seed,
        timeout_ms: milliseconds(trigger.timeout).max(1),
        user: text.priority.user.map_or(default.user, |priority| priority.0),
        kthread: text.priority.kthread.map_or(default.kthread, |priority| priority.0),
        thread: text.priority.thread.map_or(default.thread, |priority| priority.0),
        delay: text
            .test
            .as_ref()
            .map(|test| Delay { stage: test.stage.0, instructions: test.instructions }),
        outside: outside::of(text),
        inside: outside::has_view(text, View::Inside).then_some(inside),
        faults: faults::of(text),
    };
    let settle_ms = milliseconds(trigger.settle);
    Plan { cpu: trigger.cpu, settle_ms, work: Work::Stages(asked), ..common }
}
