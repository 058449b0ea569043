// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Can this machine run rig `vm`, and does KVM really run guests here?

use super::finding::{Finding, Topic};
use super::system::System;

use crate::foreign;
use crate::guest::kvm::{Kvm, LIMIT, probe};
use crate::kernel;
use crate::parts::Part;

const TOPIC: Topic = Topic::Vm;
const EMULATES: &str = "QEMU emulates instead: for figures use the twin, which never uses KVM";

pub(super) fn examine(system: &System) -> Vec<Finding> {
    if !system.has_program("qemu-system-x86_64") {
        return Vec::new(); // the twin's finding says so
    }
    let mut findings = vec![generator()];
    findings.extend(system.is_x86().then(|| kvm(system)));
    findings
}

fn generator() -> Finding {
    match Part::Doorbell.find() {
        Ok(path) => Finding::fine(TOPIC, format!("the generator is {}", path.display())),
        Err(error) => Finding::of_error(TOPIC, error),
    }
}

fn kvm(system: &System) -> Finding {
    if !system.exists("/dev/kvm") {
        return judge(Kvm::Absent);
    }
    match kernel::list().unwrap_or_default().into_iter().next() {
        Some(kernel) => judge(probe(&kernel.image)),
        None => Finding::fine(TOPIC, "KVM not tried: no kernel in the cache"),
    }
}

fn judge(kvm: Kvm) -> Finding {
    match kvm {
        Kvm::Works => Finding::fine(TOPIC, "KVM runs guests"),
        Kvm::Absent => Finding::advice(TOPIC, "there is no KVM (/dev/kvm)", EMULATES),
        Kvm::Hangs => Finding::advice(
            TOPIC,
            format!("/dev/kvm is there, but a guest hangs on it (tried for {LIMIT:?})"),
            EMULATES,
        ),
        Kvm::Refused(said) => refused(&said),
    }
}

fn refused(said: &str) -> Finding {
    let why = said.lines().next().unwrap_or("QEMU says nothing");
    let remedy = if foreign::kvm_is_forbidden(why) {
        "sudo adduser $USER kvm, and log in again"
    } else {
        EMULATES
    };
    Finding::advice(TOPIC, format!("/dev/kvm is there, but does not work: {why}"), remedy)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::Level;

    #[test]
    fn only_a_lack_of_permission_is_mended_by_a_group() {
        let remedy = |said: &str| refused(said).remedy.unwrap();
        assert!(
            remedy("Could not access KVM kernel module: Permission denied").contains("adduser")
        );
        assert!(!remedy("Could not access KVM kernel module: No such device").contains("adduser"));
    }

    #[test]
    fn without_kvm_there_is_a_machine_whose_figures_are_not_to_be_used() {
        assert_eq!(judge(Kvm::Works).level, Level::Fine);
        for kvm in [Kvm::Absent, Kvm::Hangs] {
            let finding = judge(kvm);
            assert_eq!(finding.level, Level::Advice);
            assert!(finding.remedy.unwrap().contains("twin"));
        }
    }
}
