// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Does KVM run a guest? A machine can have /dev/kvm, run a few instructions on
//! it, and hang for ever when a kernel starts, so a kernel is tried, for a while.

use std::io::Read;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::system::System;
use super::{Finding, Topic};
use crate::command::{kill_group, wait_until};
use crate::error::{Result, Trying};
use crate::kernel;

const TOPIC: Topic = Topic::Twin;
/// A kernel without a root file system gives up within two seconds on KVM.
const LIMIT: Duration = Duration::from_secs(10);
/// `panic=-1` and `-no-reboot` make an end of it.
const CMDLINE: &str = "quiet panic=-1";

#[derive(Debug, PartialEq, Eq)]
enum Outcome {
    Ran,
    Hung,
    /// With QEMU's words.
    Refused(String),
}

pub(super) fn examine(system: &System) -> Vec<Finding> {
    let qemu = system.has_program("qemu-system-x86_64");
    if !qemu || !system.is_x86() {
        return Vec::new();
    }
    if !system.exists("/dev/kvm") {
        return vec![Finding::fine(TOPIC, "no KVM; the twin does not use it")];
    }
    let Some(kernel) = kernel::list().unwrap_or_default().into_iter().next() else {
        return vec![Finding::fine(TOPIC, "KVM not tried: no kernel in the cache")];
    };
    vec![match try_guest("kvm", &kernel.image(), LIMIT) {
        Ok(Outcome::Ran) => Finding::fine(TOPIC, "KVM runs guests; the twin does not use it"),
        Ok(Outcome::Hung) => Finding::advice(
            TOPIC,
            format!("/dev/kvm is there, but a guest hangs on it (tried for {LIMIT:?})"),
            "nothing to do for the twin, which does not use it; use no tool that does",
        ),
        Ok(Outcome::Refused(said)) => refused(&said),
        Err(error) => refused(&error.to_string()),
    }]
}

fn refused(said: &str) -> Finding {
    let why = said.lines().next().unwrap_or("QEMU says nothing");
    let remedy = if why.contains("Permission denied") {
        "sudo adduser $USER kvm, and log in again"
    } else {
        "nothing to do for the twin, which does not use it"
    };
    Finding::advice(TOPIC, format!("/dev/kvm is there, but does not work: {why}"), remedy)
}

fn try_guest(accelerator: &str, kernel: &Path, limit: Duration) -> Result<Outcome> {
    let mut child = command(accelerator, kernel)
        .spawn()
        .trying(|| "cannot run qemu-system-x86_64 by setpriv".into())?;
    let Some(status) = wait_until(&mut child, Instant::now() + limit)? else {
        kill_group(&mut child);
        return Ok(Outcome::Hung);
    };
    let mut said = String::new();
    if let Some(stderr) = &mut child.stderr {
        stderr.read_to_string(&mut said).trying(|| "cannot read what QEMU says".into())?;
    }
    Ok(if status.success() { Outcome::Ran } else { Outcome::Refused(said) })
}

fn command(accelerator: &str, kernel: &Path) -> Command {
    let mut command = Command::new("setpriv");
    command.args(["--pdeathsig", "KILL", "--", "qemu-system-x86_64", "-accel", accelerator]);
    command.args(["-nodefaults", "-no-user-config", "-display", "none", "-no-reboot", "-m", "256"]);
    command.arg("-kernel").arg(kernel).args(["-append", CMDLINE]);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).process_group(0);
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The guest itself is right: it ends where no KVM is involved.
    #[test]
    fn a_kernel_without_a_root_ends_and_a_wrong_accelerator_is_refused() {
        let Some(kernel) = kernel::list().unwrap().into_iter().next() else {
            return;
        };
        let (image, limit) = (kernel.image(), Duration::from_secs(120));
        assert_eq!(try_guest("tcg", &image, limit).unwrap(), Outcome::Ran);
        let refused = try_guest("none-such", &image, limit).unwrap();
        assert!(matches!(refused, Outcome::Refused(said) if said.contains("none-such")));
    }

    #[test]
    fn only_a_lack_of_permission_is_mended_by_a_group() {
        let remedy = |said: &str| refused(said).remedy.unwrap();
        assert!(
            remedy("Could not access KVM kernel module: Permission denied").contains("adduser")
        );
        assert!(!remedy("Could not access KVM kernel module: No such device").contains("adduser"));
    }
}
