// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The permission to download. Without it the program works with what the cache has, and says of
//! everything else how it gets there.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::{Result, RigError};

/// The variable that forbids downloads as `--offline` does.
pub const OFFLINE: &str = "IRQSCOPE_OFFLINE";

static FORBIDDEN: AtomicBool = AtomicBool::new(false);

/// Forbids this program to download anything.
pub fn forbid_downloads() {
    FORBIDDEN.store(true, Ordering::Relaxed);
}

/// Returns whether nothing may be downloaded.
pub fn are_downloads_forbidden() -> bool {
    let asked = || std::env::var_os(OFFLINE).is_some_and(|value| !value.is_empty());
    FORBIDDEN.load(Ordering::Relaxed) || asked()
}

/// Returns an error if what the cache lacks may not be downloaded. `words` are the arguments by which
/// `irqscope fetch` gets it.
pub(crate) fn check_allowed(what: &str, words: &str) -> Result<()> {
    if !are_downloads_forbidden() {
        return Ok(());
    }
    Err(RigError::unready(
        format!("{what}: the cache has it not, and --offline or {OFFLINE} forbids to download it"),
        format!(
            "irqscope fetch {words} --offline-bundle FILE on a machine with a network, then \
             irqscope fetch --from FILE here"
        ),
    ))
}
