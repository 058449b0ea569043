// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The dashboard's server. docs/dashboard-api.md is the contract with the page,
//! docs/dashboard.md says how both are used and what keeps them safe.
//!
//! `error` knows no other module. `runs` reads finished runs. `session` is the application's state,
//! without any HTTP: a generator, a measurement, and snapshots of both (`irqscope top` shows the
//! same). `lake` asks the Python package for the
//! runs of months. `api_error` gives errors the form that the page gets, `routes` says all of it in JSON,
//! `guard` decides which requests may pass, `listen` serves connections that have limits, `page` is
//! what the browser gets.
#![forbid(unsafe_code)]
#![warn(missing_docs, clippy::missing_errors_doc)]

mod api_error;
mod error;
mod guard;
mod lake;
mod listen;
mod options;
mod page;
mod reach;
mod routes;
mod runs;
mod session;
mod token;

pub use error::{DeriveError, SessionError, SettingError, Trouble};
pub use lake::{Lake, LakeError};
pub use listen::Server;
pub use options::{Options, ServeError};
pub use page::Page;
pub use session::{
    CaseSnapshot, Differs, GeneratorState, Measurement, Session, Snapshot, Snapshots, Start,
    StartScenario, State,
};
pub use token::Token;
