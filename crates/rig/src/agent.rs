// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The programs that are built beside this one and are no part of it: the agent, a static binary,
//! and the generators of guests, a plugin of QEMU and a program.

use std::path::{Path, PathBuf};

use crate::arch::{Arch, Guest};
use crate::error::{Result, RigError};

const AGENT: &str = "irqscope-agent";
const PLUGIN: &str = "libirqscope_twin.so";
const DOORBELL: &str = "irqscope-vm";

/// Finds the agent for this machine: `$IRQSCOPE_AGENT`, else where cargo puts it for musl, else
/// beside this program, which may be a dynamic build for the host.
///
/// # Errors
/// It is nowhere, and how to build it.
pub fn find() -> Result<PathBuf> {
    find_built(AGENT, "IRQSCOPE_AGENT", "make build", |program| {
        let cargo = by_cargo(program, Arch::X86_64);
        cargo.into_iter().chain([program.with_file_name(AGENT)]).collect()
    })
}

/// Finds the agent for a guest.
pub(crate) fn find_for(arch: Arch) -> Result<PathBuf> {
    if !arch.foreign() {
        return find();
    }
    find_built(AGENT, "IRQSCOPE_AGENT_ARM64", "make arm64", |program| {
        by_cargo(program, arch).into_iter().collect()
    })
}

fn by_cargo(program: &Path, arch: Arch) -> Option<PathBuf> {
    let mut above = program.ancestors();
    let target = above.find(|dir| dir.file_name().is_some_and(|name| name == "target"))?;
    Some(target.join(arch.agent_target()).join("release").join(AGENT))
}

/// Finds the twin's generator: `$IRQSCOPE_TWIN_PLUGIN`, else beside this program, else in its
/// directory's parent (programs of tests and examples).
pub(crate) fn find_plugin() -> Result<PathBuf> {
    find_built(PLUGIN, "IRQSCOPE_TWIN_PLUGIN", "make build", |program| {
        program.ancestors().skip(1).take(2).map(|dir| dir.join(PLUGIN)).collect()
    })
}

/// Finds the VM's generator: `$IRQSCOPE_VM`, else as the twin's.
pub(crate) fn find_doorbell() -> Result<PathBuf> {
    find_built(DOORBELL, "IRQSCOPE_VM", "make build", |program| {
        program.ancestors().skip(1).take(2).map(|dir| dir.join(DOORBELL)).collect()
    })
}

fn find_built(
    name: &str,
    variable: &str,
    how: &str,
    places: impl FnOnce(&Path) -> Vec<PathBuf>,
) -> Result<PathBuf> {
    let missing =
        |what: String| RigError::unready(what, format!("run {how}, or set {variable} to its path"));
    if let Some(path) = std::env::var_os(variable).map(PathBuf::from) {
        let found = path.exists();
        return found
            .then_some(path.clone())
            .ok_or_else(|| missing(format!("no {name} at {}", path.display())));
    }
    let program = std::env::current_exe().unwrap_or_default();
    let found = places(&program).into_iter().find(|path| path.exists());
    found.ok_or_else(|| missing(format!("cannot find {name}")))
}
