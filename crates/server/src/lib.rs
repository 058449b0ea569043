// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The dashboard's server. docs/dashboard-api.md is the contract with the page,
//! docs/dashboard.md says how both are used and what keeps them safe.
//!
//! `desk` is the application's state, without any HTTP: a generator, a measurement, and snapshots
//! of both (`irqscope top` shows the same). `runs` reads finished runs, `routes` says all of it in
//! JSON, `guard` decides which requests may pass, `listen` serves connections that have limits,
//! `page` is what the browser gets.
#![forbid(unsafe_code)]
#![warn(missing_docs, clippy::missing_errors_doc)]

mod desk;
mod error;
mod guard;
mod listen;
mod options;
mod page;
mod routes;
mod runs;
mod token;

pub use desk::{
    CaseSnapshot, Desk, DeskError, Differs, GeneratorState, Measurement, Phase, Snapshot, Start,
    StartScenario, State,
};
pub use listen::Server;
pub use options::{Options, ServeError};
pub use page::Page;
pub use token::Token;
