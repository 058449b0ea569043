// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Does KVM really run guests here? Rig `vm` uses it, and other tools do.

use super::system::System;
use super::{Finding, Topic};
use crate::kernel;
use crate::kvm::{Kvm, LIMIT, probe};

const TOPIC: Topic = Topic::Twin;
const SLOWER: &str = "nothing to do for the twin, which does not use it; rig vm emulates instead";

pub(super) fn examine(system: &System) -> Vec<Finding> {
    let qemu = system.has_program("qemu-system-x86_64");
    if !qemu || !system.is_x86() {
        return Vec::new();
    }
    if !system.exists("/dev/kvm") {
        return vec![judge(Kvm::Absent)];
    }
    let Some(kernel) = kernel::list().unwrap_or_default().into_iter().next() else {
        return vec![Finding::fine(TOPIC, "KVM not tried: no kernel in the cache")];
    };
    vec![judge(probe(&kernel.image()))]
}

fn judge(kvm: Kvm) -> Finding {
    match kvm {
        Kvm::Works => Finding::fine(TOPIC, "KVM runs guests: rig vm uses it, the twin does not"),
        Kvm::Absent => Finding::fine(TOPIC, "no KVM: rig vm emulates, the twin does in any case"),
        Kvm::Hangs => Finding::advice(
            TOPIC,
            format!("/dev/kvm is there, but a guest hangs on it (tried for {LIMIT:?})"),
            SLOWER,
        ),
        Kvm::Refused(said) => refused(&said),
    }
}

fn refused(said: &str) -> Finding {
    let why = said.lines().next().unwrap_or("QEMU says nothing");
    let remedy = if why.contains("Permission denied") {
        "sudo adduser $USER kvm, and log in again"
    } else {
        SLOWER
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
    fn kvm_that_hangs_is_worse_than_none() {
        assert_eq!(judge(Kvm::Absent).level, Level::Fine);
        assert_eq!(judge(Kvm::Hangs).level, Level::Advice);
    }
}
