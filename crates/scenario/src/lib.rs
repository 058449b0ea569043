// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Scenarios: TOML files that say how a target is reached, loaded, triggered
//! and watched. A run of a scenario is reproducible from the file alone.
//!
//! `text`, `bench` and `board` are what the file may hold, `scenario` what it means,
//! `kind` what each rig is, `rig` what becomes of it on another rig, `sweep` its cases at one frequency after
//! the other, `arch` the machine that a kernel's name asks for, `bundled` the ones that
//! come with the program, `request` one made from a command line, `setting` one of a generator as
//! people write it, `nearest` the hint for a misspelt name.
#![forbid(unsafe_code)]
#![warn(missing_docs, clippy::missing_errors_doc)]

mod arch;
mod bench;
mod board;
mod bundled;
mod error;
mod execution;
mod faults;
mod kind;
mod locks;
mod nearest;
mod outside;
mod request;
mod rig;
mod scenario;
mod setting;
mod sweep;
mod text;
mod value;

pub use arch::Arch;
pub use board::{Board, Gpio};
pub use bundled::{Bundled, bundled};
pub use error::ScenarioError;
pub use kind::{Kernels, RigFacts, RigKind};
pub use nearest::{nearest, suggestion};
pub use request::{BenchKey, BenchRequest};
pub use scenario::{Case, Scenario, UNKNOWN};
pub use setting::parse_setting;
pub use sweep::{Sweep, SweepError};
pub use text::{Ssh, Twin, Vm};
