// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Can this machine run the twin?

use std::process::Command;

use super::finding::{Finding, Topic};
use super::system::System;

use crate::command::output;
use crate::kernel;
use crate::parts::Part;

const TOPIC: Topic = Topic::Twin;
/// The oldest QEMU that the twin is tested on.
const OLDEST: (u32, u32) = (7, 2);

/// Examines the tools that others maintain.
pub(super) fn examine(system: &System) -> Vec<Finding> {
    vec![qemu(system), setpriv(system), compiler(system)]
}

/// Examines what this project brings: kernels, agent and generator.
pub(super) fn examine_stock() -> Vec<Finding> {
    let agent = part(Part::OWN_AGENT, "the agent");
    vec![kernels(), agent, part(Part::TwinPlugin, "the twin's generator")]
}

fn qemu(system: &System) -> Finding {
    const INSTALL: &str = "apt-get install qemu-system-x86";
    if !system.has_program("qemu-system-x86_64") {
        return Finding::problem(TOPIC, "QEMU is not installed", INSTALL);
    }
    let program = system.path("/usr/bin/qemu-system-x86_64");
    let said = output(Command::new(program).arg("--version"), "qemu-system-x86");
    judge_version(said.ok().as_deref().and_then(version))
}

fn judge_version(version: Option<(u32, u32)>) -> Finding {
    match version {
        Some(have) if have >= OLDEST => Finding::fine(TOPIC, format!("QEMU {}.{}", have.0, have.1)),
        Some(have) => Finding::problem(
            TOPIC,
            format!("QEMU {}.{} is older than {}.{}", have.0, have.1, OLDEST.0, OLDEST.1),
            "install a newer one, such as Debian 12's: apt-get install qemu-system-x86",
        ),
        None => Finding::problem(
            TOPIC,
            "QEMU does not say its version",
            "install it again: apt-get install --reinstall qemu-system-x86",
        ),
    }
}

/// Parses `QEMU emulator version 7.2.22 (Debian ...)`.
fn version(said: &str) -> Option<(u32, u32)> {
    let number = said.split_once("version ")?.1;
    let mut parts = number.split(|c: char| !c.is_ascii_digit());
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

fn setpriv(system: &System) -> Finding {
    if system.has_program("setpriv") {
        return Finding::fine(TOPIC, "setpriv ties guests to the program's life");
    }
    Finding::problem(TOPIC, "setpriv is not installed", "apt-get install util-linux")
}

fn compiler(system: &System) -> Finding {
    if system.has_program("make") && system.has_program("gcc") {
        return Finding::fine(TOPIC, "make and gcc build the driver");
    }
    Finding::problem(
        TOPIC,
        "make or gcc is not installed; the driver cannot be built",
        "apt-get install make gcc libelf-dev pahole",
    )
}

fn kernels() -> Finding {
    let names: Vec<String> =
        kernel::list().unwrap_or_default().into_iter().map(|kernel| kernel.name).collect();
    if names.is_empty() {
        let remedy = "irqscope kernel fetch 6.1 (irqscope run does it when it needs one)";
        return Finding::advice(TOPIC, "no kernel is in the cache yet", remedy);
    }
    Finding::fine(TOPIC, format!("kernels in the cache: {}", names.join(", ")))
}

fn part(part: Part, what: &str) -> Finding {
    match part.find() {
        Ok(path) => Finding::fine(TOPIC, format!("{what} is {}", path.display())),
        Err(error) => Finding::of_error(TOPIC, error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::Level;
    use crate::doctor::system::fake::Fake;

    #[test]
    fn an_old_qemu_is_told_from_a_new_one() {
        let debian = "QEMU emulator version 7.2.22 (Debian 1:7.2+dfsg-7+deb12u18)\nCopyright";
        assert_eq!(version(debian), Some((7, 2)));
        assert_eq!(judge_version(Some((10, 0))).level, Level::Fine);
        assert_eq!(judge_version(Some((6, 2))).level, Level::Problem);
        assert_eq!(judge_version(version("nonsense")).level, Level::Problem);
    }

    #[test]
    fn each_missing_tool_names_its_package() {
        let remedies: Vec<String> = examine(&Fake::new(&[]).system())
            .into_iter()
            .map(|finding| finding.remedy.unwrap())
            .collect();
        assert!(remedies[0].contains("qemu-system-x86"));
        assert!(remedies[1].contains("util-linux"));
        assert!(remedies[2].contains("gcc"));
    }
}
