// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The QEMU that plays a machine: the installed one, or, where that one is too old for the machine,
//! Debian's newer one, unpacked into the cache and not installed.

use std::path::PathBuf;
use std::process::Command;
use std::sync::Mutex;

use sha2::{Digest, Sha256};

use crate::arch::{Arch, Guest, Program};
use crate::cache::{self, hex};
use crate::command::{installed, output};
use crate::downloads;
use crate::error::{Result, RigError, Trying};
use crate::kernel::apt::Apt;
use crate::kernel::debian::SUITES;

/// Something that a machine demands of QEMU, and since which version QEMU can do it.
struct Demand {
    version: (u32, u32),
    what: &'static str,
    /// The remedy besides a newer QEMU.
    or: &'static str,
}

/// QEMU shares the instructions until the next timer among all CPUs (`icount_percpu_budget` in
/// accel/tcg/tcg-accel-ops-icount.c). Before, the first one takes them all, and the second one stands
/// still.
const SEVERAL_CPUS: Demand = Demand {
    version: (8, 1),
    what: "run several CPUs on a counted clock",
    or: "set twin.cpus to 1",
};
/// A RISC-V guest reads its work from QEMU's firmware configuration device, which QEMU 7.2 makes too
/// late to give it files (`virt_machine_done` in hw/riscv/virt.c); 10.0 is the oldest that was tried.
const RISCV: Demand = Demand {
    version: (10, 0),
    what: "give a RISC-V guest its work",
    or: "name a kernel for another machine",
};
/// The suite that has a newer QEMU for the oldest host that is supported, whose libraries it takes.
const SUITE: &str = "bookworm-backports";
/// Data files that the package of the program does not have itself.
const FIRMWARE: &str = "/usr/share/seabios";

/// QEMU for one architecture.
#[derive(Clone, Debug)]
pub(crate) struct Emulator {
    program: Program,
    path: PathBuf,
    /// Options that let it find its own files.
    args: Vec<String>,
}

impl Emulator {
    /// Returns the installed one.
    pub fn installed(arch: Arch) -> Self {
        let program = arch.qemu();
        Self { program, path: program.name.into(), args: Vec::new() }
    }

    /// Returns one that plays a machine of this many CPUs, in turns that the guest alone decides.
    ///
    /// # Errors
    /// The installed one does not, and a newer one cannot be fetched.
    pub fn of(arch: Arch, cpus: u32, say: &dyn Fn(&str)) -> Result<Self> {
        let installed = Self::installed(arch);
        let Some(demand) = demand(arch, cpus) else { return Ok(installed) };
        let said = match installed.version() {
            Ok(said) => said,
            Err(_) => format!("{}, which is not installed,", installed.name()),
        };
        match version(&said) {
            Some(number) if number >= demand.version => Ok(installed),
            _ => fetched(arch, &demand, said.lines().next().unwrap_or_default(), say),
        }
    }

    /// Returns whether not every QEMU can play such a machine, so that a newer one may be fetched.
    pub fn is_demanding(arch: Arch, cpus: u32) -> bool {
        demand(arch, cpus).is_some()
    }

    /// Returns the program's name.
    pub fn name(&self) -> &'static str {
        self.program.name
    }

    /// Returns the package to install where the program is missing.
    pub fn package(&self) -> &'static str {
        self.program.package
    }

    /// Returns the program with the options that it needs itself, each as an argument of another
    /// program.
    pub fn words(&self) -> impl Iterator<Item = &std::ffi::OsStr> {
        std::iter::once(self.path.as_os_str()).chain(self.args.iter().map(AsRef::as_ref))
    }

    /// Distinguishes builds of QEMU: its version and the digest of its file.
    ///
    /// # Errors
    /// It cannot be run or read.
    pub fn identity(&self) -> Result<String> {
        static KNOWN: Mutex<Vec<(PathBuf, String)>> = Mutex::new(Vec::new());
        let mut known = KNOWN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some((_, identity)) = known.iter().find(|(path, _)| *path == self.path) {
            return Ok(identity.clone());
        }
        let version = self.version()?;
        let bytes = installed(&self.path)
            .map(std::fs::read)
            .transpose()
            .trying(|| format!("cannot read {}", self.name()))?;
        let identity = version + &hex(&Sha256::digest(bytes.unwrap_or_default()));
        known.push((self.path.clone(), identity.clone()));
        Ok(identity)
    }

    fn version(&self) -> Result<String> {
        output(Command::new(&self.path).arg("--version"), self.package())
    }
}

fn demand(arch: Arch, cpus: u32) -> Option<Demand> {
    match (arch, cpus) {
        (Arch::Riscv64, _) => Some(RISCV),
        (_, 1) => None,
        _ => Some(SEVERAL_CPUS),
    }
}

/// Reads `QEMU emulator version 10.0.2 (Debian …)`.
fn version(said: &str) -> Option<(u32, u32)> {
    let mut numbers = said.split("version ").nth(1)?.split(['.', ' ', '\n']);
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

/// Returns the entry of the newer QEMU, fetched where the cache has it not.
pub(crate) fn newer(arch: Arch, say: &dyn Fn(&str)) -> Result<PathBuf> {
    let suite = SUITES.iter().find(|suite| suite.name == SUITE);
    let suite =
        suite.ok_or_else(|| RigError::unready(format!("{SUITE} is no suite"), "report this"))?;
    let dir = cache::root()?.join("qemu").join(format!("{SUITE}-{}", arch.debian()));
    let _alone = cache::only_one(&dir)?;
    if !cache::is_whole(&dir, say)? {
        let program = arch.qemu();
        let what = format!("{} of {SUITE}", program.package);
        downloads::check_allowed(&what, "SCENARIO")?;
        say(&format!("fetching a newer QEMU of {SUITE}, {}", program.package));
        let packages = [program.package, "qemu-system-common", "qemu-system-data"];
        cache::make_dir(&dir, |made| {
            Apt::of(suite, "amd64", say)?.unpack(&packages.map(String::from), made, &[]).map(drop)
        })?;
    }
    Ok(dir)
}

/// Returns the newer QEMU in the place of the installed one.
fn fetched(arch: Arch, demand: &Demand, installed: &str, say: &dyn Fn(&str)) -> Result<Emulator> {
    let program = arch.qemu();
    let Demand { version: (major, minor), what, or } = demand;
    let cannot = |why: String| {
        RigError::unready(
            format!("{installed} cannot {what}: {why}"),
            format!("install QEMU {major}.{minor} or later ({}), or {or}", program.package),
        )
    };
    let dir = newer(arch, say).map_err(|error| cannot(error.to_string()))?;
    let usr = dir.join("usr");
    let data = usr.join("share/qemu").display().to_string();
    let args = ["-L".into(), data, "-L".into(), FIRMWARE.into()].into();
    let emulator = Emulator { program, path: usr.join("bin").join(program.name), args };
    match emulator.version() {
        Ok(said) if version(&said) >= Some(demand.version) => Ok(emulator),
        Ok(said) => Err(cannot(format!("{SUITE} has {said}"))),
        Err(error) => Err(cannot(error.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_cpus_and_a_risc_v_machine_are_demanding() {
        assert!(
            !Emulator::is_demanding(Arch::X86_64, 1) && !Emulator::is_demanding(Arch::Arm64, 1)
        );
        assert!(Emulator::is_demanding(Arch::Arm64, 2) && Emulator::is_demanding(Arch::Riscv64, 1));
        assert!(RISCV.version >= SEVERAL_CPUS.version, "one newer QEMU does for both");
    }

    #[test]
    fn a_version_is_read_from_what_qemu_says() {
        let said = "QEMU emulator version 10.0.2 (Debian 1:10.0.2+ds-1)\nCopyright";
        assert_eq!(version(said), Some((10, 0)));
        assert!(version("QEMU emulator version 7.2.22 (Debian)") < Some(SEVERAL_CPUS.version));
        assert_eq!(version("qemu"), None);
    }
}
