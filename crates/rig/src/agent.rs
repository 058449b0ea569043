// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Finding the agent, a static binary that is built beside this program.

use std::path::PathBuf;

use crate::error::{Result, RigError};

const NAME: &str = "irqscope-target";

/// The agent: `$IRQSCOPE_TARGET`, else beside this program, else where cargo
/// puts it for musl.
pub fn find() -> Result<PathBuf> {
    if let Some(path) = std::env::var_os("IRQSCOPE_TARGET") {
        let path = PathBuf::from(path);
        return if path.exists() {
            Ok(path)
        } else {
            Err(missing(&format!("no agent at {}", path.display())))
        };
    }
    let program = std::env::current_exe().unwrap_or_default();
    let beside = program.with_file_name(NAME);
    let cargo = program
        .ancestors()
        .find(|dir| dir.file_name().is_some_and(|name| name == "target"))
        .map(|target| target.join("x86_64-unknown-linux-musl/release").join(NAME));
    // The one from cargo's musl directory first: the one beside may be a
    // dynamic build for the host.
    let mut places = cargo.into_iter().chain([beside]);
    places
        .find(|path| path.exists())
        .ok_or_else(|| missing(&format!("cannot find the agent {NAME}")))
}

fn missing(what: &str) -> RigError {
    RigError::unready(what, "run make build, or set IRQSCOPE_TARGET to its path")
}
