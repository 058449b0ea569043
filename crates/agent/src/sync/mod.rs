// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Threads and processes that are measured or do harm, what they wait on, and what they lock.

pub mod event;
pub mod lock;
pub mod process;
pub mod threads;

pub use event::{Event, Futex};
pub use lock::Lock;
pub use process::{Process, Processes};
pub use threads::{Go, ThreadGroup, ThreadSpec, Working};
