// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Scenarios: TOML files that say how a target is reached, loaded, triggered
//! and watched. A run of a scenario is reproducible from the file alone.
//!
//! A file and what was set outside it (`overrides`) become one table of TOML keys
//! (`table`), which is changed for another rig (`adapt`), read (`raw`), checked once
//! (`check`) and turned into the plans of its cases (`plan`): `scenario` puts this
//! together. Beside it: `kind` says what each rig is, `kernel` which kernel a name
//! means, `arch` which machine it asks for, `boot` which parameters a kernel may be given, `devices` which hardware a
//! guest has, `sweep` steps through frequencies, `bundled` has the scenarios that come with
//! the program, `payload` collects what goes
//! along to the target, `request` makes one of a command line, `setting` reads a
//! setting of a generator as people write it, `nearest` is the hint for a
//! misspelt name.
#![forbid(unsafe_code)]
#![warn(missing_docs, clippy::missing_errors_doc)]

mod adapt;
mod arch;
mod boot;
mod bundled;
mod check;
mod confined;
mod devices;
mod error;
mod kernel;
mod kind;
mod nearest;
mod overrides;
mod payload;
mod plan;
mod raw;
mod request;
mod scenario;
mod schema;
mod setting;
mod sweep;
mod table;

pub use arch::Arch;
pub use boot::{BootError, missing_parameters};
pub use bundled::{Bundled, bundled, template};
pub use check::Rule;
pub use confined::{Unconfined, confined};
pub use devices::{Card, Devices, Disk};
pub use error::{Flaw, Place, ScenarioError, Wrong};
pub use kernel::{
    DebianSource, KernelCommit, KernelFiles, KernelName, KernelNameError, KernelSource,
};
pub use kind::{Kernels, RigFacts, RigKind};
pub use nearest::{nearest, suggestion};
pub use overrides::Overrides;
pub use payload::{LoadFiles, Module, ModuleSource, Payload};
pub use raw::{Board, Gpio, Ssh, Twin, Vm};
pub use request::{BenchKey, BenchRequest};
pub use scenario::{Case, Level, RUNNING, Scenario, ScenarioFile, UNKNOWN};
pub use schema::schema;
pub use setting::parse_setting;
pub use sweep::SweepError;
