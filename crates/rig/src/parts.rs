// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The parts of irqscope that are files of their own, and the only place that knows where they are.
//!
//! Each is looked for by its name in these directories, in this order:
//!
//! 1. that of the program itself, which is where a build leaves it;
//! 2. `../lib/irqscope` seen from there, of an installation: `/usr/bin` and `/usr/lib/irqscope`;
//! 3. `../share/irqscope`, for what is the same on every machine.
//!
//! `$IRQSCOPE_PARTS` names another directory, in which each then has to be.

use std::env;
use std::path::{Path, PathBuf};

use crate::error::{Result, RigError};
use crate::generator::flash::Chip;
use crate::machine::Machine;

/// The directory that has all parts, in place of the usual ones.
pub const VARIABLE: &str = "IRQSCOPE_PARTS";

/// A file that this program works with, or hands on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The agent for a target, a static binary.
    Agent(Machine),
    /// The twin's generator, a plugin of QEMU.
    TwinPlugin,
    /// The generator of virtual machines, a program.
    Doorbell,
    /// A board's image, an ELF file.
    Firmware(Chip),
}

impl Part {
    /// The agent for this machine, which is a PC.
    pub const OWN_AGENT: Self = Self::Agent(Machine::X86_64);

    /// Returns the file's name.
    pub fn name(self) -> String {
        match self {
            Self::Agent(machine) => format!("irqscope-agent-{}", machine.name()),
            Self::TwinPlugin => "libirqscope_twin.so".into(),
            Self::Doorbell => "irqscope-vm".into(),
            Self::Firmware(chip) => format!("irqscope-firmware-{}.elf", chip.feature()),
        }
    }

    /// Returns Debian's package with it.
    fn package(self) -> &'static str {
        match self {
            Self::Agent(_) => "irqscope-agent",
            Self::TwinPlugin | Self::Doorbell => "irqscope",
            Self::Firmware(_) => "irqscope-firmware",
        }
    }

    /// Returns the command that builds it in a directory with the sources.
    fn build(self) -> String {
        match self {
            Self::Agent(Machine::Aarch64) => "make arm64".into(),
            Self::Agent(Machine::Riscv64) => "make riscv64".into(),
            Self::Agent(Machine::Armv7l) => "make agents".into(),
            Self::Agent(Machine::X86_64) | Self::TwinPlugin | Self::Doorbell => "make build".into(),
            Self::Firmware(chip) => format!("firmware/build {}", chip.feature()),
        }
    }

    /// Returns where it is.
    ///
    /// # Errors
    /// It is nowhere: what was looked for, where, and how to get it.
    pub fn find(self) -> Result<PathBuf> {
        let places = match env::var_os(VARIABLE).filter(|directory| !directory.is_empty()) {
            Some(directory) => Places::Named(directory.into()),
            None => Places::Usual(env::current_exe().unwrap_or_default()),
        };
        places.find(self)
    }
}

/// The directories that are looked through.
enum Places {
    /// The one that the variable names.
    Named(PathBuf),
    /// Those around a program.
    Usual(PathBuf),
}

impl Places {
    fn directories(&self) -> Vec<PathBuf> {
        match self {
            Self::Named(directory) => vec![directory.clone()],
            Self::Usual(program) => {
                let beside = program.parent().unwrap_or(Path::new("/"));
                let prefix = beside.parent().unwrap_or(beside);
                vec![beside.into(), prefix.join("lib/irqscope"), prefix.join("share/irqscope")]
            }
        }
    }

    fn find(&self, part: Part) -> Result<PathBuf> {
        let directories = self.directories();
        let found = directories.iter().map(|place| place.join(part.name())).find(|it| it.is_file());
        found.ok_or_else(|| {
            let looked: Vec<String> =
                directories.iter().map(|place| place.display().to_string()).collect();
            let what = format!("there is no {} in {}", part.name(), looked.join(", "));
            RigError::unready(what, self.remedy(part))
        })
    }

    fn remedy(&self, part: Part) -> String {
        match self {
            Self::Named(_) => {
                format!("unset {VARIABLE}, or set it to the directory with all parts of irqscope")
            }
            Self::Usual(_) => format!(
                "apt-get install {}, or {} in the sources, or set {VARIABLE} to the directory with \
                 all parts of irqscope",
                part.package(),
                part.build()
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const AGENT: Part = Part::OWN_AGENT;

    fn put(directory: &Path, part: Part) {
        fs::create_dir_all(directory).unwrap();
        fs::write(directory.join(part.name()), "").unwrap();
    }

    #[test]
    fn a_part_is_found_beside_the_program_before_an_installed_one() {
        let prefix = tempfile::tempdir().unwrap();
        let [bin, lib] = ["bin", "lib/irqscope"].map(|name| prefix.path().join(name));
        let places = Places::Usual(bin.join("irqscope"));
        put(&lib, AGENT);
        assert_eq!(places.find(AGENT).unwrap(), lib.join("irqscope-agent-x86_64"));
        put(&bin, AGENT);
        assert_eq!(places.find(AGENT).unwrap(), bin.join("irqscope-agent-x86_64"));
        let image = Part::Firmware(Chip::Rp2350);
        put(&prefix.path().join("share/irqscope"), image);
        assert!(places.find(image).unwrap().ends_with("irqscope/irqscope-firmware-rp2350.elf"));
    }

    #[test]
    fn the_variable_s_directory_is_the_only_one() {
        let directory = tempfile::tempdir().unwrap();
        let places = Places::Named(directory.path().into());
        let error = places.find(AGENT).unwrap_err().to_string();
        assert!(error.contains(&directory.path().display().to_string()), "{error}");
        assert!(error.contains("unset IRQSCOPE_PARTS"), "{error}");
        put(directory.path(), AGENT);
        assert!(places.find(AGENT).unwrap().starts_with(directory.path()));
    }

    #[test]
    fn a_missing_part_is_named_with_all_places_and_all_remedies() {
        let places = Places::Usual("/nowhere/bin/irqscope".into());
        let said = |part: Part| places.find(part).unwrap_err().to_string();
        let plugin = said(Part::TwinPlugin);
        for word in ["libirqscope_twin.so", "/nowhere/bin", "/nowhere/lib/irqscope", "make build"] {
            assert!(plugin.contains(word), "{plugin}");
        }
        assert!(said(Part::Agent(Machine::Aarch64)).contains("make arm64"));
        let arm = said(Part::Agent(Machine::Armv7l));
        assert!(arm.contains("make agents") && arm.contains("irqscope-agent-armv7l"), "{arm}");
        assert!(said(Part::Firmware(Chip::Rp2040)).contains("irqscope-firmware"));
    }
}
