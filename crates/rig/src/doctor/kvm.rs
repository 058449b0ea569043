// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Does KVM run a guest? A machine can have /dev/kvm and hang for ever when a
//! guest starts on it, so a guest of four instructions is tried, for a while.

use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::system::System;
use super::{Finding, Topic};
use crate::command::{kill_group, wait_until};
use crate::error::{Result, Trying};

const TOPIC: Topic = Topic::Twin;
const LIMIT: Duration = Duration::from_secs(5);
/// A BIOS image ends at 4 GiB; the CPU starts 16 bytes before.
const IMAGE_BYTES: usize = 1 << 16;
const RESET_VECTOR: usize = IMAGE_BYTES - 16;
/// mov $0, %al; out %al, $0xf4; hlt; jmp back to hlt
const PROGRAM: [u8; 7] = [0xb0, 0x00, 0xe6, 0xf4, 0xf4, 0xeb, 0xfd];
/// isa-debug-exit turns the value 0 into this exit status.
const LEFT_BY_THE_GUEST: i32 = 1;

#[derive(Debug, PartialEq, Eq)]
enum Outcome {
    Ran,
    Hung,
    Refused,
}

pub(super) fn examine(system: &System) -> Vec<Finding> {
    let qemu = system.has_program("qemu-system-x86_64");
    if !qemu || !system.is_x86() {
        return Vec::new();
    }
    if !system.exists("/dev/kvm") {
        return vec![Finding::fine(TOPIC, "no KVM; the twin does not use it")];
    }
    vec![match try_guest("kvm", LIMIT) {
        Ok(Outcome::Ran) => Finding::fine(TOPIC, "KVM runs guests; the twin does not use it"),
        Ok(Outcome::Hung) => Finding::advice(
            TOPIC,
            format!("/dev/kvm is there, but a guest hangs on it (tried for {LIMIT:?})"),
            "nothing to do for the twin, which does not use it; use no tool that does",
        ),
        Ok(Outcome::Refused) | Err(_) => Finding::advice(
            TOPIC,
            "/dev/kvm is there, but QEMU may not use it; the twin does not need it",
            "sudo adduser $USER kvm, and log in again",
        ),
    }]
}

fn try_guest(accelerator: &str, limit: Duration) -> Result<Outcome> {
    let mut image = vec![0; IMAGE_BYTES];
    image[RESET_VECTOR..][..PROGRAM.len()].copy_from_slice(&PROGRAM);
    let file = tempfile::NamedTempFile::new().trying(|| "cannot create a guest".into())?;
    std::fs::write(file.path(), image).trying(|| "cannot write a guest".into())?;
    let mut child = command(accelerator, file.path())
        .spawn()
        .trying(|| "cannot run qemu-system-x86_64 by setpriv".into())?;
    match wait_until(&mut child, Instant::now() + limit)? {
        Some(status) if status.code() == Some(LEFT_BY_THE_GUEST) && said_nothing(&mut child) => {
            Ok(Outcome::Ran)
        }
        Some(_) => Ok(Outcome::Refused),
        None => {
            kill_group(&mut child);
            Ok(Outcome::Hung)
        }
    }
}

fn command(accelerator: &str, image: &Path) -> Command {
    let mut command = Command::new("setpriv");
    command.args(["--pdeathsig", "KILL", "--", "qemu-system-x86_64", "-accel", accelerator]);
    command.args(["-nodefaults", "-no-user-config", "-display", "none", "-no-reboot", "-m", "16"]);
    command.args(["-device", "isa-debug-exit,iobase=0xf4,iosize=4", "-bios"]).arg(image);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).process_group(0);
    command
}

/// QEMU itself fails with the same status, but not in silence.
fn said_nothing(child: &mut std::process::Child) -> bool {
    let mut said = String::new();
    let stderr = child.stderr.take();
    stderr.is_some_and(|mut stderr| {
        std::io::Read::read_to_string(&mut stderr, &mut said).is_ok() && said.trim().is_empty()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The guest itself is right: it ends at once where no KVM is involved.
    #[test]
    fn the_guest_of_four_instructions_runs_and_a_wrong_accelerator_is_refused() {
        let limit = Duration::from_secs(60);
        assert_eq!(try_guest("tcg", limit).unwrap(), Outcome::Ran);
        assert_eq!(try_guest("none-such", limit).unwrap(), Outcome::Refused);
    }
}
