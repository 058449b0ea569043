// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The place of a program's temporary files: one directory of its own under `$TMPDIR`, so that
//! one that was killed leaves a single thing behind, which the next one removes.

use crate::cache;
use crate::owned_dir::{OwnedDir, remove_abandoned};

/// The beginning of the directories' names.
const PREFIX: &str = "irqscope-scratch-";

/// The place of this program's temporary files. Dropping it removes them.
#[derive(Debug)]
pub struct Scratch {
    /// None: there is no room for it, and the first file that is needed says so.
    _dir: Option<OwnedDir>,
}

impl Scratch {
    /// Begins a program: removes what killed ones have left, here and in the cache, and lets all
    /// temporary files of this one lie in a directory of its own.
    #[must_use]
    pub fn begin() -> Self {
        let parent = std::env::temp_dir();
        remove_abandoned(&parent, PREFIX);
        cache::remove_attempts();
        let dir = OwnedDir::create(&parent, PREFIX).ok();
        let dir = dir.filter(|dir| tempfile::env::override_temp_dir(dir.path()).is_ok());
        Self { _dir: dir }
    }
}
