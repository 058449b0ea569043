// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Where slow things are kept: `$IRQSCOPE_CACHE`, else the user's cache.

use std::path::{Path, PathBuf};

use crate::error::{Result, RigError, Trying};

/// The cache directory; not necessarily there yet.
pub fn root() -> Result<PathBuf> {
    let from = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    if let Some(dir) = from("IRQSCOPE_CACHE") {
        return Ok(dir.into());
    }
    if let Some(dir) = from("XDG_CACHE_HOME") {
        return Ok(Path::new(&dir).join("irqscope"));
    }
    match from("HOME") {
        Some(home) => Ok(Path::new(&home).join(".cache/irqscope")),
        None => Err(RigError::unready(
            "no directory for the cache: HOME is not set",
            "set IRQSCOPE_CACHE to a directory that may be written",
        )),
    }
}

/// Makes `target` by filling a directory beside it and renaming it at the end,
/// so that an interrupted attempt leaves nothing that looks complete. Two makers
/// at once are harmless: the second one's work is dropped.
pub(crate) fn make_dir(target: &Path, fill: impl FnOnce(&Path) -> Result<()>) -> Result<()> {
    if target.exists() {
        return Ok(());
    }
    let parent = target.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(parent).trying(|| format!("cannot create {}", parent.display()))?;
    let attempt = tempfile::Builder::new()
        .prefix(".making-")
        .tempdir_in(parent)
        .trying(|| format!("cannot create a directory in {}", parent.display()))?;
    let made = attempt.path().join("made");
    std::fs::create_dir(&made).trying(|| format!("cannot create {}", made.display()))?;
    fill(&made)?;
    match std::fs::rename(&made, target) {
        Err(_) if target.exists() => Ok(()),
        renamed => renamed.trying(|| format!("cannot create {}", target.display())),
    }
}
