// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Kernels that take signed modules only: the reason for it, and the hindrance for the driver.

use std::fmt;

/// Reasons for which a kernel takes signed modules only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Demand {
    /// The firmware, before lockdown can be asked.
    SecureBoot,
    /// Lockdown, which Debian's kernels turn on under Secure Boot.
    Lockdown,
    /// `module.sig_enforce`, or a configuration that has it.
    Enforced,
}

impl fmt::Display for Demand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::SecureBoot => "Secure Boot is on",
            Self::Lockdown => "lockdown is on, as under Secure Boot",
            Self::Enforced => "module.sig_enforce is set",
        })
    }
}

/// The driver that is installed for a kernel, as irqscope-dkms has built it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Installed {
    /// The kernel's release.
    pub release: String,
    /// Its file, which modprobe would load; empty: there is none.
    pub file: String,
    /// The name of the key that signed it; empty: it has no signature.
    pub signer: String,
    /// The names of the keys that the kernel trusts; empty where only root may see them.
    pub keys: String,
}

/// A reason for which the kernel refuses the driver, and how to mend it.
pub(crate) struct Refused {
    pub what: String,
    pub remedy: String,
}

impl Installed {
    /// Returns what keeps the driver out of a kernel; `None`: it takes the installed one.
    pub fn refused_by(&self, demand: Demand) -> Option<Refused> {
        let Self { release, file, signer, keys } = self;
        let (held, mend) = if file.is_empty() {
            (
                "signing: no driver is installed that could be signed".to_owned(),
                format!("sudo apt-get install irqscope-dkms linux-headers-{release}"),
            )
        } else if signer.is_empty() {
            (
                format!("signing: {file} has no signature"),
                format!(
                    "sudo apt-get install openssl linux-headers-{release} && sudo \
                     dpkg-reconfigure irqscope-dkms, which builds and signs it anew"
                ),
            )
        } else if !keys.is_empty() && !keys.contains(signer.as_str()) {
            (
                format!(
                    "enrolment: {file} is signed by {signer:?}, which the kernel does not trust"
                ),
                enrol(demand),
            )
        } else {
            return None;
        };
        let instead = match demand {
            Demand::Enforced => "boot without module.sig_enforce",
            Demand::Lockdown | Demand::SecureBoot => {
                "turn Secure Boot off: sudo mokutil --disable-validation, or in the firmware's setup, \
                 and boot without lockdown="
            }
        };
        Some(Refused {
            what: format!("the kernel loads only signed modules ({demand}); held back by {held}"),
            remedy: format!("{mend}; or {instead}"),
        })
    }
}

/// Returns how a key is brought to a kernel's keyring, which shim does under Secure Boot alone.
fn enrol(demand: Demand) -> String {
    let import = "sudo mokutil --import /var/lib/dkms/mok.pub, reboot, and choose Enroll MOK";
    match demand {
        Demand::Enforced => format!("{import} (on a machine that boots by UEFI with shim)"),
        Demand::SecureBoot | Demand::Lockdown => import.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn installed(file: &str, signer: &str, keys: &str) -> Installed {
        let release = "6.1.0-56-amd64".into();
        Installed { release, file: file.into(), signer: signer.into(), keys: keys.into() }
    }

    fn said(installed: &Installed, demand: Demand) -> String {
        let Refused { what, remedy } = installed.refused_by(demand).unwrap();
        format!("{what}\n{remedy}")
    }

    #[test]
    fn each_hindrance_is_told_from_the_others() {
        const KO: &str = "/lib/modules/6.1.0-56-amd64/updates/dkms/irqscope.ko";
        let none = said(&installed("", "", "Debian CA"), Demand::Lockdown);
        assert!(none.contains("held back by signing: no driver is installed"), "{none}");
        assert!(none.contains("irqscope-dkms linux-headers-6.1.0-56-amd64"), "{none}");
        let unsigned = said(&installed(KO, "", "Debian CA"), Demand::Enforced);
        assert!(unsigned.contains("signing: /lib/modules/"), "{unsigned}");
        assert!(unsigned.contains("without module.sig_enforce"), "{unsigned}");
        let strange = said(&installed(KO, "DKMS key", "Debian CA"), Demand::SecureBoot);
        assert!(
            strange.contains("enrolment: ") && strange.contains("mokutil --import"),
            "{strange}"
        );
        assert!(
            installed(KO, "DKMS key", "Debian CA\nDKMS key").refused_by(Demand::Lockdown).is_none()
        );
        // Only root sees the keys: without them none is known to be missing.
        assert!(installed(KO, "DKMS key", "").refused_by(Demand::Lockdown).is_none());
    }
}
