// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A real target's facts about itself before anything is changed on it, and whether it can be
//! measured then.

use std::fmt;

use irqscope_quantity::CpuList;

use crate::arch::Arch;
use crate::error::{Result, RigError};
use crate::kernel::release::Release;
use crate::machine::Machine;
use crate::transport::signing::{Demand, Installed, Refused};

pub(crate) const SCRIPT: &str = include_str!("facts.sh");

/// The answers to facts.sh.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Facts {
    pub release: Release,
    pub machine: String,
    pub root: bool,
    /// Not root, but may become it without being asked for a password.
    pub sudo: bool,
    /// Digest of the running kernel's headers, as `driver::headers_digest` has it.
    pub headers: Option<String>,
    /// Where they are, if they are.
    pub headers_dir: String,
    pub compiler: bool,
    /// irqscope.ko is there already.
    pub loaded: bool,
    pub modules: Modules,
    pub installed: Installed,
    /// CPUs that are online.
    pub cpus: usize,
    /// Distinguishes machines that are reached at one address.
    pub machine_id: String,
}

/// Which modules a kernel takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Modules {
    #[default]
    Any,
    /// Built without them.
    None,
    /// `kernel.modules_disabled` is set, until the next boot.
    NoMore,
    /// Only signed ones.
    Signed(Demand),
}

impl Facts {
    /// Parses the answers of `place`; `None`: they are not there. Each is the target's word, and
    /// the release becomes a part of paths.
    ///
    /// # Errors
    /// The release is not a plain word.
    pub fn parse(text: &str, place: &str) -> Result<Option<Self>> {
        let value = |key: &str| {
            let mut lines = text.lines().filter_map(|line| line.split_once('='));
            lines.find(|(name, _)| *name == key).map_or("", |(_, value)| value.trim())
        };
        if value("release").is_empty() {
            return Ok(None);
        }
        let headers = value("headers").split_whitespace().next();
        Ok(Some(Self {
            release: Release::new(value("release"), place)?,
            machine: value("machine").to_owned(),
            root: value("uid") == "0",
            sudo: value("sudo") == "yes",
            headers: headers.map(str::to_owned),
            headers_dir: value("headers_dir").to_owned(),
            compiler: value("compiler") == "yes",
            loaded: value("loaded") == "yes",
            cpus: value("online").parse().map_or(0, |CpuList(cpus)| cpus.len()),
            modules: Modules::from_kernel(
                value("modules") == "yes",
                value("disabled"),
                value("enforced"),
                value("lockdown"),
            ),
            installed: Installed {
                release: value("release").to_owned(),
                file: value("driver").to_owned(),
                signer: value("signer").to_owned(),
                keys: value("keys").to_owned(),
            },
            machine_id: value("machine_id").to_owned(),
        }))
    }

    /// Refuses a target on which the driver could not be loaded. `place` names
    /// it: "this machine" or a host.
    pub fn check(&self, place: &str) -> Result<()> {
        self.arch(place)?;
        if !self.root && !self.sudo {
            return Err(RigError::unready(
                format!("measuring {place} loads a driver, which only root may"),
                "run irqscope as root (sudo irqscope ...); over ssh, log in as root or allow \
                 `sudo -n`",
            ));
        }
        if let Some(Refused { what, remedy }) = self.modules.refused(&self.installed) {
            return Err(RigError::unready(format!("on {place}, {what}"), remedy));
        }
        if self.loaded {
            return Err(RigError::unready(
                format!("irqscope.ko is loaded already on {place}; it may be in use"),
                "end the other run; if there is none: rmmod irqscope_parport irqscope",
            ));
        }
        Ok(())
    }

    /// Returns what the target is; refused if the agent does not run on it, which is all that
    /// benchmarks need.
    pub fn machine(&self, place: &str) -> Result<Machine> {
        Machine::of(&self.machine, place)
    }

    /// Returns what the driver is built for; refused where it does not run.
    pub fn arch(&self, place: &str) -> Result<Arch> {
        self.machine(place)?.arch(place)
    }
}

impl Modules {
    /// Parses the kernel's own files; an absent one is empty.
    pub fn from_kernel(offered: bool, disabled: &str, enforced: &str, lockdown: &str) -> Self {
        let locked = lockdown.contains("[integrity]") || lockdown.contains("[confidentiality]");
        match () {
            () if !offered => Self::None,
            () if disabled.trim() == "1" => Self::NoMore,
            () if locked => Self::Signed(Demand::Lockdown),
            () if enforced.trim() == "Y" => Self::Signed(Demand::Enforced),
            () => Self::Any,
        }
    }

    /// Returns what keeps the driver out, and how to mend it.
    pub fn refused(self, installed: &Installed) -> Option<Refused> {
        let remedy = match self {
            Self::Any => return None,
            Self::None => "boot a kernel with CONFIG_MODULES, such as Debian's linux-image",
            Self::NoMore => "take kernel.modules_disabled=1 out of /etc/sysctl.d and reboot",
            Self::Signed(demand) => return installed.refused_by(demand),
        };
        Some(Refused { what: self.to_string(), remedy: remedy.into() })
    }
}

impl fmt::Display for Modules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Any => "the kernel loads modules",
            Self::None => "the kernel was built without modules",
            Self::NoMore => "the kernel loads no more modules until the next boot",
            Self::Signed(_) => "the kernel loads only signed modules, and the driver is one",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const READY: &str = "release=6.1.0-56-amd64\nmachine=x86_64\nuid=0\nheaders=abc  -\n\
                         compiler=yes\nonline=0-3,6\nmodules=yes\ndisabled=0\nenforced=N\n\
                         lockdown=[none] integrity confidentiality\n";

    fn facts(text: &str) -> Facts {
        Facts::parse(text, "board").unwrap().unwrap()
    }

    fn refusal(text: &str) -> String {
        facts(text).check("board").unwrap_err().to_string()
    }

    #[test]
    fn a_ready_target_is_taken() {
        let facts = facts(READY);
        assert_eq!(facts.headers.as_deref(), Some("abc"));
        assert!(facts.root && facts.compiler && !facts.loaded);
        assert_eq!(facts.cpus, 5);
        assert!(facts.check("board").is_ok());
    }

    #[test]
    fn what_keeps_a_driver_out_is_named_with_its_remedy() {
        let locked = READY.replace("[none] integrity", "none [integrity]");
        assert!(refusal(&locked).contains("only signed modules"));
        assert!(refusal(&READY.replace("enforced=N", "enforced=Y")).contains("sig_enforce"));
        let signed = format!("{locked}driver=/x/irqscope.ko\nsigner=Mine\nkeys=Debian;Mine;\n");
        assert!(facts(&signed).check("board").is_ok());
        assert!(refusal(&READY.replace("disabled=0", "disabled=1")).contains("next boot"));
        assert!(refusal(&READY.replace("modules=yes", "")).contains("CONFIG_MODULES"));
        assert!(refusal(&format!("{READY}loaded=yes\n")).contains("rmmod"));
        assert!(refusal(&READY.replace("uid=0", "uid=1000")).contains("sudo"));
        assert!(refusal(&READY.replace("x86_64", "armv7l")).contains("armv7l"));
        let without_driver = facts(&READY.replace("x86_64", "armv7l"));
        assert_eq!(without_driver.machine("board").unwrap(), Machine::Armv7l);
        let board = facts(&READY.replace("x86_64", "aarch64"));
        assert_eq!(board.arch("board").unwrap(), Arch::Arm64);
    }

    #[test]
    fn sudo_without_a_password_is_as_good_as_root() {
        let text = READY.replace("uid=0", "uid=1000\nsudo=yes");
        assert!(facts(&text).check("board").is_ok());
    }

    #[test]
    fn a_release_that_is_a_path_is_refused_and_the_target_is_named() {
        let text = READY.replace("release=6.1.0-56-amd64", "release=../../pwned/x");
        let error = Facts::parse(&text, "board").unwrap_err().to_string();
        assert!(error.starts_with("board says \"../../pwned/x\""), "{error}");
        assert_eq!(Facts::parse("sh: command not found\n", "board").unwrap(), None);
    }
}
