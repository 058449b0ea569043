// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Can this machine build and load the driver for its own kernel?

use std::process::Command;

use super::finding::{Finding, Topic};
use super::system::System;

use crate::command::output;
use crate::transport::facts::Modules;
use crate::transport::signing::{Demand, Installed, Refused};

const TOPIC: Topic = Topic::Native;
const CAP_SYS_MODULE: u32 = 16;

pub(super) fn examine(system: &System) -> Vec<Finding> {
    let mut findings = vec![rights(system), headers(system), modules(system)];
    findings.extend(loaded(system));
    findings
}

fn rights(system: &System) -> Finding {
    if system.has_capability(CAP_SYS_MODULE) {
        return Finding::fine(TOPIC, "drivers may be loaded (CAP_SYS_MODULE)");
    }
    let root = system.status("Uid").is_some_and(|ids| ids.starts_with("0"));
    let (what, remedy) = if root {
        ("root without CAP_SYS_MODULE: a container", "run irqscope outside of the container")
    } else {
        ("only root may load the driver", "sudo irqscope run --rig local ...")
    };
    Finding::problem(TOPIC, what, remedy)
}

fn headers(system: &System) -> Finding {
    let release = system.release();
    if system.exists(&format!("/lib/modules/{release}/build/Makefile")) {
        return Finding::fine(TOPIC, format!("headers of the running kernel {release}"));
    }
    Finding::problem(
        TOPIC,
        format!("no headers of the running kernel {release}"),
        format!("apt-get install linux-headers-{release}"),
    )
}

fn modules(system: &System) -> Finding {
    let read = |path: &str| system.read(path).unwrap_or_default();
    let mut modules = Modules::from_kernel(
        system.exists("/proc/modules"),
        &read("/proc/sys/kernel/modules_disabled"),
        &read("/sys/module/module/parameters/sig_enforce"),
        &read("/sys/kernel/security/lockdown"),
    );
    // Where securityfs is not mounted, the firmware's variable still shows it.
    if modules == Modules::Any && !system.exists("/sys/kernel/security/lockdown") {
        let signed = Modules::Signed(Demand::SecureBoot);
        modules = if secure_boot(system) { signed } else { modules };
    }
    match modules.refused(&installed(system)) {
        None => Finding::fine(TOPIC, modules.to_string()),
        Some(Refused { what, remedy }) => Finding::problem(TOPIC, what, remedy),
    }
}

/// Looks at the driver that modprobe would load.
fn installed(system: &System) -> Installed {
    // Without the last slash, which modinfo would repeat.
    let root = system.path("/").display().to_string();
    let (root, release) = (root.trim_end_matches('/'), system.release());
    let ask = |field: &str| {
        let mut modinfo = Command::new("modinfo");
        modinfo.arg("-b").arg(root).args(["-k", &release, "-F", field, "irqscope"]);
        output(&mut modinfo, "kmod").unwrap_or_default().trim().to_owned()
    };
    let keys = system.read("/proc/keys").unwrap_or_default();
    let (file, signer) = (ask("filename"), ask("signer"));
    Installed { release, file, signer, keys }
}

/// Returns the variable's last byte, after four bytes of attributes.
fn secure_boot(system: &System) -> bool {
    const VARIABLE: &str =
        "/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c";
    std::fs::read(system.path(VARIABLE)).is_ok_and(|bytes| bytes.last() == Some(&1))
}

fn loaded(system: &System) -> Option<Finding> {
    system.exists("/sys/module/irqscope").then(|| {
        Finding::problem(
            TOPIC,
            "irqscope.ko is loaded already; it may be in use",
            "end the other run; if there is none: rmmod irqscope_parport irqscope",
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::Level;
    use crate::doctor::system::fake::Fake;

    const READY: [(&str, &str); 4] = [
        ("proc/self/status", "Name:\tx\nUid:\t0\t0\t0\t0\nCapEff:\t000001ffffffffff\n"),
        ("proc/sys/kernel/osrelease", "6.1.0-56-amd64\n"),
        ("lib/modules/6.1.0-56-amd64/build/Makefile", ""),
        ("proc/modules", ""),
    ];

    fn problems(fake: &Fake) -> Vec<String> {
        let findings = examine(&fake.system()).into_iter();
        findings.filter(|finding| finding.level == Level::Problem).map(|f| f.what).collect()
    }

    #[test]
    fn a_ready_machine_has_no_problem() {
        assert_eq!(problems(&Fake::new(&READY)), Vec::<String>::new());
    }

    #[test]
    fn secure_boot_is_seen_in_lockdown_and_in_the_firmware() {
        let fake = Fake::new(&READY);
        let name = "sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c";
        fake.put(name, "\u{6}\0\0\0\u{1}");
        assert!(problems(&fake)[0].contains("signed"));
        fake.put("sys/kernel/security/lockdown", "[none] integrity confidentiality");
        assert!(problems(&fake).is_empty());
        fake.put("sys/kernel/security/lockdown", "none [integrity] confidentiality");
        assert!(problems(&fake)[0].contains("signed"));
    }

    #[test]
    fn users_and_containers_get_different_remedies() {
        let user = Fake::new(&READY);
        user.put("proc/self/status", "Uid:\t1000\t1000\nCapEff:\t0000000000000000\n");
        assert!(rights(&user.system()).remedy.unwrap().contains("sudo"));
        user.put("proc/self/status", "Uid:\t0\t0\nCapEff:\t00000000a80425fb\n");
        assert!(rights(&user.system()).remedy.unwrap().contains("container"));
    }

    #[test]
    fn missing_headers_name_the_very_package() {
        let fake = Fake::new(&READY);
        fake.put("proc/sys/kernel/osrelease", "6.12.0-1-amd64\n");
        assert_eq!(
            headers(&fake.system()).remedy.unwrap(),
            "apt-get install linux-headers-6.12.0-1-amd64"
        );
    }
}
