// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The QEMU that plays a machine: the installed one, or, for machines of several CPUs where that one
//! is too old, Debian's newer one, unpacked into the cache and not installed.

use std::path::PathBuf;
use std::process::Command;
use std::sync::Mutex;

use sha2::{Digest, Sha256};

use crate::arch::{Arch, Guest, Program};
use crate::cache::{self, hex};
use crate::command::output;
use crate::downloads;
use crate::error::{Result, RigError, Trying};
use crate::kernel::apt::Apt;
use crate::kernel::debian::SUITES;

/// Since this version QEMU shares the instructions until the next timer among all CPUs
/// (`icount_percpu_budget` in accel/tcg/tcg-accel-ops-icount.c). Before, the first one takes them
/// all, and the second one stands still.
const SHARES_INSTRUCTIONS: (u32, u32) = (8, 1);
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

    /// Returns one that runs this many CPUs in turns that the guest alone decides.
    ///
    /// # Errors
    /// The installed one does not, and a newer one cannot be fetched.
    pub fn of_cpus(arch: Arch, cpus: u32, say: &dyn Fn(&str)) -> Result<Self> {
        let installed = Self::installed(arch);
        if cpus == 1 {
            return Ok(installed);
        }
        let said = installed.version()?;
        match version(&said) {
            Some(number) if number >= SHARES_INSTRUCTIONS => Ok(installed),
            _ => fetched(arch, said.lines().next().unwrap_or_default(), say),
        }
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
        let paths = std::env::var_os("PATH").unwrap_or_default();
        let found = std::env::split_paths(&paths).map(|dir| dir.join(&self.path));
        let file = found.into_iter().find(|file| file.is_file());
        let bytes = file
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
        let what = format!("{} of {SUITE}, which runs several CPUs", program.package);
        downloads::check_allowed(&what, "SCENARIO")?;
        say(&format!(
            "fetching a newer QEMU of {SUITE}, which runs several CPUs on a counted clock"
        ));
        let packages = [program.package, "qemu-system-common", "qemu-system-data"];
        cache::make_dir(&dir, |made| {
            Apt::of(suite, "amd64", say)?.unpack(&packages.map(String::from), made, &[]).map(drop)
        })?;
    }
    Ok(dir)
}

/// Returns the newer QEMU in the place of the installed one.
fn fetched(arch: Arch, installed: &str, say: &dyn Fn(&str)) -> Result<Emulator> {
    let program = arch.qemu();
    let (major, minor) = SHARES_INSTRUCTIONS;
    let cannot = |why: String| {
        RigError::unready(
            format!("{installed} cannot run several CPUs on a counted clock: {why}"),
            format!("install QEMU {major}.{minor} or later, or set twin.cpus to 1"),
        )
    };
    let dir = newer(arch, say).map_err(|error| cannot(error.to_string()))?;
    let usr = dir.join("usr");
    let data = usr.join("share/qemu").display().to_string();
    let args = ["-L".into(), data, "-L".into(), FIRMWARE.into()].into();
    let emulator = Emulator { program, path: usr.join("bin").join(program.name), args };
    match emulator.version() {
        Ok(said) if version(&said) >= Some(SHARES_INSTRUCTIONS) => Ok(emulator),
        Ok(said) => Err(cannot(format!("{SUITE} has {said}"))),
        Err(error) => Err(cannot(error.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_read_from_what_qemu_says() {
        let said = "QEMU emulator version 10.0.2 (Debian 1:10.0.2+ds-1)\nCopyright";
        assert_eq!(version(said), Some((10, 0)));
        assert!(version("QEMU emulator version 7.2.22 (Debian)") < Some(SHARES_INSTRUCTIONS));
        assert_eq!(version("qemu"), None);
    }
}
