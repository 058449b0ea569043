// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Scenarios: TOML files that say how a target is reached, loaded, triggered
//! and watched. A run of a scenario is reproducible from the file alone.
//!
//! `text` is what the file may hold, `scenario` what it means, `sweep` its cases at
//! one frequency after the other, `bundled` the ones that come with the program,
//! `nearest` the hint for a misspelt name.
#![forbid(unsafe_code)]

mod bundled;
mod error;
mod nearest;
mod outside;
mod scenario;
mod sweep;
mod text;
mod value;

pub use bundled::{Bundled, bundled};
pub use error::ScenarioError;
pub use nearest::{nearest, suggestion};
pub use scenario::{Case, Scenario};
pub use sweep::{Sweep, SweepError};
pub use text::{RigKind, Ssh, Twin, Vm};
