// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Many measurements in many places.
//!
//! A [`Plan`] names scenarios, kernels and places; each combination is a [`Job`], and a job is one
//! `irqscope run` in a process of its own. A [`Journal`] in the fleet's directory has what became of
//! each, so that the same command goes on where an earlier one ended, however it ended.
#![warn(missing_docs)]

mod array;
mod cluster;
mod error;
mod job;
mod journal;
mod known;
mod labgrid;
mod lake;
mod plan;
mod pool;
mod process;
mod slurm;

use std::sync::{Mutex, MutexGuard, PoisonError};

pub use error::FleetError;
pub use job::{Job, Trust};
pub use journal::{Directory, Event, Journal, Outcome, What};
pub use lake::Lake;
pub use plan::{Place, Plan, Where};
pub use pool::{Options, Progress, run};

/// Results of this crate.
pub type Result<T> = std::result::Result<T, FleetError>;

/// Locks what a thread that panicked leaves as it is: each write to it is whole.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
