// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Does KVM really run guests here? A /dev/kvm can be there and a guest on it
//! hang for ever (nested virtualisation does that), so a kernel is booted until
//! it panics for want of a root file system, within a limit.

use std::io::Read;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::command::{kill_group, wait_until};
use crate::error::{Result, Trying};

/// KVM boots a kernel to its panic in about one second.
pub(crate) const LIMIT: Duration = Duration::from_secs(10);
/// `panic=-1` and `-no-reboot` make an end of it.
const CMDLINE: &str = "quiet panic=-1";

/// The result of the trial.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kvm {
    Works,
    /// There is no /dev/kvm.
    Absent,
    Hangs,
    /// In QEMU's words, or ours.
    Refused(String),
}

/// Tries it with a kernel image; takes up to [`LIMIT`].
pub(crate) fn probe(image: &Path) -> Kvm {
    if !Path::new("/dev/kvm").exists() {
        return Kvm::Absent;
    }
    boot("kvm", image, LIMIT).unwrap_or_else(|error| Kvm::Refused(error.to_string()))
}

fn boot(accelerator: &str, image: &Path, limit: Duration) -> Result<Kvm> {
    let mut child = command(accelerator, image)
        .spawn()
        .trying(|| "cannot run qemu-system-x86_64 by setpriv".into())?;
    let Some(status) = wait_until(&mut child, Instant::now() + limit)? else {
        kill_group(&mut child);
        return Ok(Kvm::Hangs);
    };
    let mut said = String::new();
    if let Some(stderr) = &mut child.stderr {
        stderr.read_to_string(&mut said).trying(|| "cannot read what QEMU says".into())?;
    }
    Ok(if status.success() { Kvm::Works } else { Kvm::Refused(said) })
}

fn command(accelerator: &str, image: &Path) -> Command {
    let mut command = Command::new("setpriv");
    command.args(["--pdeathsig", "KILL", "--", "qemu-system-x86_64", "-accel", accelerator]);
    command.args(["-nodefaults", "-no-user-config", "-display", "none", "-no-reboot", "-m", "256"]);
    command.arg("-kernel").arg(image).args(["-append", CMDLINE]);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).process_group(0);
    command
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel;

    /// The guest itself is right: it ends where no KVM is involved.
    #[test]
    fn a_kernel_without_a_root_ends_and_a_wrong_accelerator_is_refused() {
        let Some(kernel) = kernel::list().unwrap().into_iter().next() else {
            return;
        };
        let (image, limit) = (kernel.image.clone(), Duration::from_secs(120));
        assert_eq!(boot("tcg", &image, limit).unwrap(), Kvm::Works);
        let refused = boot("none-such", &image, limit).unwrap();
        assert!(matches!(refused, Kvm::Refused(said) if said.contains("none-such")));
    }
}
