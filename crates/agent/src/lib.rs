// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The agent on the target: configures the driver, is the user stage, runs the
//! loads, and turns the driver's ring into frames. PID 1 in the twin, a command
//! on a real machine.
#![warn(missing_docs, clippy::missing_errors_doc)]

pub mod bench;
pub mod case;
pub mod cli;
pub mod clock;
pub mod contention;
pub mod context;
pub mod counter;
pub mod driver;
mod entropy;
pub mod error;
pub mod events;
pub mod facts;
pub mod faults;
pub mod generator;
pub mod init;
pub mod kernel_log;
pub mod load;
pub mod loads;
mod locks;
pub mod modules;
mod network;
pub mod noop;
pub mod notes;
pub mod page_faults;
pub mod parameters;
pub mod plan;
pub mod port;
pub mod ring;
pub mod run;
pub mod scheduling;
pub mod settings;
pub mod sink;
mod snapshot;
mod stat;
pub mod stop;
pub mod symbols;
pub mod sync;
mod sysctls;
pub mod tally;
pub mod threads;
#[allow(missing_docs, reason = "a mirror of irqscope.h, which describes it")]
pub mod uapi;
pub mod user_edge;
pub mod user_stage;
pub mod watch;
