// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A request to stop, shared by everything that waits.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::{Result, RigError};

/// A request to end, shared by all threads that have to follow it.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Requests the end.
    pub fn request(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Returns whether the end was requested.
    pub fn requested(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Returns the flag itself, for a signal handler to set.
    pub fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.0)
    }

    pub(crate) fn check(&self) -> Result<()> {
        if self.requested() { Err(RigError::Interrupted) } else { Ok(()) }
    }
}
