// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The programs that a kernel's build runs and that its packages bring along. Those of a newer
//! Debian need a newer C library than the host has: it is fetched, too, and they are started by it.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use super::apt::{Apt, Fetched};
use crate::error::{Result, Trying};

/// The libraries of all tools, by their packages since Debian 13.
const LIBRARIES: [&str; 4] = ["libc6", "libelf1t64", "zlib1g", "libzstd1"];

/// Where the libraries are, below an entry.
const PLACE: &str = "usr/lib/of-tools";

/// The end of the name of a program that is started by its own libraries.
const MOVED: &str = ".program";

/// Makes the programs of an entry run here; returns the packages that were fetched for that, with
/// the apt of the suite that they were built in.
pub(super) fn fit(made: &Path, apt: &dyn Fn() -> Result<Apt>) -> Result<Vec<Fetched>> {
    let mut unfit = Vec::new();
    for place in ["usr/src", "usr/lib"] {
        find_unfit(&made.join(place), &mut unfit)?;
    }
    if unfit.is_empty() {
        return Ok(Vec::new());
    }
    let place = made.join(PLACE);
    let fetched = apt()?.unpack(&LIBRARIES.map(String::from), &place, &[])?;
    for program in unfit {
        start_by(&place, &program, made)?;
    }
    Ok(fetched)
}

/// Finds programs whose libraries the host does not have.
fn find_unfit(dir: &Path, unfit: &mut Vec<PathBuf>) -> Result<()> {
    for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
        let path = entry.path();
        let what = || format!("cannot read {}", path.display());
        let found = path.symlink_metadata().trying(what)?;
        if found.is_dir() {
            find_unfit(&path, unfit)?;
        } else if found.is_file() && found.permissions().mode() & 0o111 != 0 && is_elf(&path) {
            // It says so and fails, or says so and does not fail, by its version.
            let said =
                Command::new("ldd").arg(&path).output().trying(|| "cannot run ldd".into())?;
            let said = [said.stdout, said.stderr].concat();
            let text = String::from_utf8_lossy(&said);
            // Libraries of other kinds are those of programs that no module needs (sign-file).
            if text.lines().any(|line| line.contains("GLIBC_") && line.contains("not found")) {
                unfit.push(path);
            }
        }
    }
    Ok(())
}

fn is_elf(path: &Path) -> bool {
    let mut magic = [0; 4];
    let read = std::fs::File::open(path)
        .and_then(|mut file| std::io::Read::read_exact(&mut file, &mut magic));
    read.is_ok() && magic == *b"\x7fELF"
}

/// Puts a script in the place of a program. It finds all by its own place, wherever the entry is.
fn start_by(libraries: &Path, program: &Path, made: &Path) -> Result<()> {
    let what = || format!("cannot adapt {}", program.display());
    let below = program.strip_prefix(made).unwrap_or(program);
    let up = "../".repeat(below.components().count() - 1);
    let dir = ["usr/lib/x86_64-linux-gnu", "lib/x86_64-linux-gnu"]
        .into_iter()
        .find(|dir| libraries.join(dir).join("libc.so.6").exists())
        .unwrap_or("usr/lib/x86_64-linux-gnu");
    let name = program.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let script = format!(
        "#!/bin/sh\nhere=$(dirname \"$(readlink -f \"$0\")\")\nlibraries=\"$here/{up}{PLACE}/{dir}\"\n\
         exec \"$libraries/ld-linux-x86-64.so.2\" --library-path \"$libraries\" \"$here/{name}{MOVED}\" \"$@\"\n"
    );
    let moved = program.with_file_name(format!("{name}{MOVED}"));
    std::fs::rename(program, &moved).trying(what)?;
    std::fs::write(program, script).trying(what)?;
    std::fs::set_permissions(program, PermissionsExt::from_mode(0o755)).trying(what)?;
    // The loader's name is another one where Debian keeps it in /lib64.
    let loader = libraries.join(dir).join("ld-linux-x86-64.so.2");
    if !loader.exists() {
        symlink("../../lib64/ld-linux-x86-64.so.2", &loader).trying(what)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_of_this_machine_fit() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::copy("/bin/true", dir.path().join("program")).unwrap();
        std::fs::write(dir.path().join("script"), "#!/bin/sh\n").unwrap();
        let mut unfit = Vec::new();
        find_unfit(dir.path(), &mut unfit).unwrap();
        assert_eq!(unfit, Vec::<PathBuf>::new());
    }

    /// With the loader and the C library of this machine in the place of a newer Debian's.
    #[test]
    fn a_program_is_started_by_libraries_that_are_found_by_its_own_place() {
        let made = tempfile::tempdir().unwrap();
        let program = made.path().join("usr/src/headers/scripts/echo");
        std::fs::create_dir_all(program.parent().unwrap()).unwrap();
        std::fs::copy("/bin/echo", &program).unwrap();
        let place = made.path().join(PLACE).join("usr/lib/x86_64-linux-gnu");
        std::fs::create_dir_all(&place).unwrap();
        for library in ["ld-linux-x86-64.so.2", "libc.so.6"] {
            let here = Path::new("/lib/x86_64-linux-gnu").join(library);
            std::fs::copy(here, place.join(library)).unwrap();
        }
        start_by(&made.path().join(PLACE), &program, made.path()).unwrap();
        let moved = tempfile::tempdir().unwrap();
        let entry = moved.path().join("entry of another name");
        std::fs::rename(made.path().join("usr"), &entry).unwrap();
        std::fs::create_dir(made.path().join("usr")).unwrap();
        let whole = moved.path().join("usr");
        std::fs::rename(entry, &whole).unwrap();
        let said = Command::new(whole.join("src/headers/scripts/echo"))
            .args(["a b", "c"])
            .output()
            .unwrap();
        assert_eq!(String::from_utf8_lossy(&said.stdout), "a b c\n");
    }
}
