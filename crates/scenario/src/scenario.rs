// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The meaning of a scenario: its cases, each with a complete plan.

use std::path::Path;

use irqscope_quantity::Limit;
use irqscope_wire::{Plan, Stage, SystemState, Trigger};

use crate::adapt::adapt;
use crate::bundled::bundled;
use crate::check::check;
use crate::devices::Devices;
use crate::error::ScenarioError;
use crate::kernel::KernelName;
use crate::kind::RigKind;
use crate::nearest::suggestion;
use crate::overrides::Overrides;
use crate::payload::Payload;
use crate::plan;
use crate::raw::{Board, Ssh, Text, Twin, Vm};
use crate::table::{Table, dir_of};

/// Stands for what is not known of a target that is not reached: its kernel, its state.
pub const UNKNOWN: &str = "unknown";
/// Stands for the kernel that a target runs, before it is asked for its release.
pub const RUNNING: &str = "running";

/// A scenario's text, and where it is from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScenarioFile {
    /// The scenario's name.
    pub name: String,
    /// The file's name, for errors.
    pub file: String,
    /// Its text.
    pub text: String,
}

/// A scenario that was resolved: nothing of it changes any more.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// The name of its file.
    pub name: String,
    /// One line about it.
    pub about: String,
    /// The file's text as it is, kept for the manifest.
    pub text: String,
    /// Keys that were set outside the file, kept for the manifest.
    pub overrides: Overrides,
    /// The rig.
    pub rig: RigKind,
    /// The kernels to measure.
    pub kernels: Vec<KernelName>,
    /// The system states to measure.
    pub states: Vec<SystemState>,
    /// The limits that its cases are held against.
    pub limits: Vec<Limit>,
    /// The devices of guests.
    pub devices: Devices,
    /// The settings of rig `twin`.
    pub twin: Twin,
    /// The settings of rig `vm`.
    pub vm: Vm,
    /// The settings of rig `ssh`.
    pub ssh: Ssh,
    /// The settings of a generator board.
    pub board: Board,
    /// The files, packages and modules that it brings.
    pub payload: Payload,
    resolved: String,
    cases: Vec<Case>,
}

/// One kernel in one state, at one trigger frequency.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// The kernel.
    pub kernel: KernelName,
    /// The kernel's packages or files with their digests, once a rig has it.
    pub origin: Vec<String>,
    /// The files, packages and modules that go along, with their digests, once a rig has them.
    pub payload_origin: Vec<String>,
    /// The plan.
    pub plan: Plan,
    /// Kernel parameters besides the rig's own, where the rig boots the kernel.
    pub boot: String,
    /// The level that it is of each axis, in the order of their names.
    pub levels: Vec<Level>,
    /// The case that this is one step of, in a sweep.
    pub step_of: Option<String>,
    /// The only stage that this step is about, in a sweep of one stage after the other.
    pub step_stage: Option<Stage>,
    /// The case that this is with one of several seeds.
    pub seed_of: Option<String>,
}

impl Case {
    /// Makes the only case of a kernel in a state.
    pub fn new(kernel: KernelName, plan: Plan) -> Self {
        Self {
            kernel,
            origin: Vec::new(),
            payload_origin: Vec::new(),
            plan,
            boot: String::new(),
            levels: Vec::new(),
            step_of: None,
            step_stage: None,
            seed_of: None,
        }
    }
}

/// A level of an axis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Level {
    /// The axis.
    pub axis: String,
    /// The level's name.
    pub level: String,
}

impl ScenarioFile {
    /// Takes a text, and the name of its file for errors.
    pub fn new(name: impl Into<String>, file: impl Into<String>, text: impl Into<String>) -> Self {
        Self { name: name.into(), file: file.into(), text: text.into() }
    }

    /// Loads a bundled scenario by name or a file by path (`*.toml`).
    ///
    /// # Errors
    /// There is no such scenario, or its file cannot be read.
    pub fn load(name: &str) -> Result<Self, ScenarioError> {
        if name.ends_with(".toml") {
            let path = Path::new(name);
            let text = std::fs::read_to_string(path)
                .map_err(|source| ScenarioError::Read { path: path.into(), source })?;
            let stem = path.file_stem().unwrap_or_default().to_string_lossy();
            return Ok(Self::new(stem, name, text));
        }
        match bundled().iter().find(|scenario| scenario.name == name) {
            Some(found) => Ok(Self::new(name, format!("scenarios/{name}.toml"), found.text)),
            None => {
                let names: Vec<&str> = bundled().iter().map(|scenario| scenario.name).collect();
                let message = suggestion("scenario", name, &names);
                Err(ScenarioError::Unknown(format!("{message}; or give a path that ends in .toml")))
            }
        }
    }
}

impl Scenario {
    /// Loads a scenario as it is; see [`ScenarioFile::load`].
    ///
    /// # Errors
    /// There is no such scenario, or it is wrong.
    pub fn load(name: &str) -> Result<Self, ScenarioError> {
        Self::resolve(&ScenarioFile::load(name)?, &Overrides::default())
    }

    /// Parses the text of `file`, which is only named in errors.
    ///
    /// # Errors
    /// It is wrong.
    pub fn parse(name: &str, file: &str, text: &str) -> Result<Self, ScenarioError> {
        Self::resolve(&ScenarioFile::new(name, file, text), &Overrides::default())
    }

    /// Resolves a file with what was set outside it: the keys are merged, changed for
    /// another rig if one is chosen, and then checked once.
    ///
    /// # Errors
    /// Everything that is wrong, each with its place.
    pub fn resolve(file: &ScenarioFile, overrides: &Overrides) -> Result<Self, ScenarioError> {
        let wrong = ScenarioError::Wrong;
        let mut table = Table::merged(&file.file, &file.text, overrides).map_err(wrong)?;
        if let (Some(from), Some(to)) = (file.rig(), rig_of(&table)) {
            adapt(&mut table, from, to);
        }
        let text: Text = table.read().map_err(wrong)?;
        check(&text, &table).map_err(wrong)?;
        let kernels = plan::kernels(&text, overrides.running_kernel());
        Ok(Self {
            cases: plan::cases(&text, &kernels),
            resolved: table.to_toml(),
            payload: Payload::of(&text, dir_of(&file.file)),
            name: file.name.clone(),
            text: file.text.clone(),
            overrides: overrides.clone(),
            rig: text.rig,
            kernels,
            states: plan::states::of(&text),
            about: text.about,
            limits: text.limits,
            devices: text.devices,
            twin: text.twin,
            vm: text.vm,
            ssh: text.ssh,
            board: text.board,
        })
    }

    /// Returns the cases, in the order in which they are run.
    pub fn cases(&self) -> &[Case] {
        &self.cases
    }

    /// Returns the keys that are in effect, as a scenario of their own.
    pub fn to_toml(&self) -> &str {
        &self.resolved
    }

    /// Returns whether a generator at an address triggers.
    pub fn needs_board(&self) -> bool {
        let by_wire =
            |case: &Case| case.plan.stages().is_some_and(|asked| asked.trigger == Trigger::Line);
        !self.rig.boots() && self.cases.first().is_some_and(by_wire)
    }
}

impl ScenarioFile {
    /// Returns the rig that the file names; none if it is no such file.
    fn rig(&self) -> Option<RigKind> {
        let alone = Overrides::default();
        rig_of(&Table::merged(&self.file, &self.text, &alone).ok()?)
    }
}

/// Returns the rig that a table names, or the one where none is named.
fn rig_of(table: &Table<'_>) -> Option<RigKind> {
    table.text("rig").map_or(Some(RigKind::Twin), |name| name.parse().ok())
}
