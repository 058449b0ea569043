// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Letting the target build the driver, because only it has its kernel's
//! headers. The modules are fetched into the cache: one build serves all cases.

use std::fs::File;
use std::io::{Seek, Write};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::command::{Done, run};
use crate::error::{Result, RigError, Trying};
use crate::kernel::driver::{Builder, Driver, Key, sources_digest, write_sources};
use crate::stop::Stop;
use crate::text::with_output;
use crate::transport::facts::Facts;
use crate::transport::session::Session;
use crate::transport::shell::{Shell, quote};

pub(crate) fn build(
    session: &Session<'_>,
    shell: &Shell,
    facts: &Facts,
    test: bool,
    stop: &Stop,
) -> Result<Driver> {
    let headers = facts.headers.as_deref().filter(|_| facts.compiler).ok_or_else(|| {
        let (release, place) = (&facts.release, &shell.target);
        RigError::unready(
            format!("no headers of kernel {release} here, nor on {place} with make and gcc"),
            format!("install them on either: apt-get install linux-headers-{release} make gcc"),
        )
    })?;
    let builder = Builder::Target { asked: &shell.asked, machine_id: &facts.machine_id };
    let sources = &sources_digest();
    let release = &facts.release;
    let key = Key { release, headers, image: "", compiler: "", test, sources, builder };
    Driver::keep(&key, &|_| {}, |into| {
        let make = make(&facts.headers_dir, test);
        build_there(session, shell, &make, into, stop)
    })
}

fn build_there(
    session: &Session<'_>,
    shell: &Shell,
    make: &str,
    into: &Path,
    stop: &Stop,
) -> Result<()> {
    let sources = tempfile::tempdir().trying(|| "cannot create a directory".into())?;
    write_sources(sources.path())?;
    let packed = tar(&["-cf", "-", "."], sources.path(), None, stop)?;
    let script = format!("cd {} && {make}", quote(&session.dir));
    let made = shell.output(&script, Some(file_of(&packed.stdout)?), stop)?;
    let modules = checked(made, || format!("{} cannot build the driver", shell.target))?;
    tar(&["-xf", "-"], into, Some(file_of(&modules.stdout)?), stop)?;
    check_modules(into, &shell.target)
}

/// Refuses an archive with anything but modules: a link in it could name a file of this machine,
/// which would then be sent to the target.
fn check_modules(dir: &Path, place: &str) -> Result<()> {
    let unreadable = || format!("cannot read {}", dir.display());
    for entry in std::fs::read_dir(dir).trying(unreadable)? {
        let path = entry.trying(unreadable)?.path();
        let found = path.symlink_metadata().trying(unreadable)?;
        let is_module = path.extension().is_some_and(|name| name == "ko");
        if !(is_module && found.is_file() && found.nlink() == 1) {
            return Err(RigError::unready(
                format!("{place} sent {:?}, which is no module", path.file_name()),
                "distrust the machine, or build the driver here: apt-get install its \
                 linux-headers",
            ));
        }
    }
    Ok(())
}

/// Takes an archive of the sources, gives one of the modules.
fn make(headers: &str, test: bool) -> String {
    let test = if test { "IRQSCOPE_TEST=y" } else { "" };
    format!(
        "umask 077 && mkdir src && cd src && tar -xf - && \
         make -j2 -C {} M=$PWD {test} modules >&2 && \
         tar -cf - *.ko",
        quote(headers)
    )
}

/// Returns a directory as an archive.
pub(crate) fn pack(dir: &Path, stop: &Stop) -> Result<File> {
    file_of(&tar(&["-cf", "-", "."], dir, None, stop)?.stdout)
}

fn tar(words: &[&str], dir: &Path, stdin: Option<File>, stop: &Stop) -> Result<Done> {
    let mut tar = Command::new("tar");
    tar.args(words).current_dir(dir).stdin(stdin.map_or_else(Stdio::null, Stdio::from));
    checked(run(&mut tar, "tar", stop)?, || "cannot pack or unpack the driver".into())
}

fn checked(done: Done, what: impl FnOnce() -> String) -> Result<Done> {
    if done.status.success() {
        return Ok(done);
    }
    Err(RigError::unready(with_output(what(), &done.stderr), "mend what it says above"))
}

fn file_of(bytes: &[u8]) -> Result<File> {
    let made = tempfile::tempfile().and_then(|mut file| {
        file.write_all(bytes)?;
        file.rewind()?;
        Ok(file)
    });
    made.trying(|| "cannot create a temporary file".into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel;

    /// Against a kernel in the cache, if there is one; the shell is this
    /// machine's.
    #[test]
    fn a_target_with_headers_builds_the_driver_and_hands_it_over() {
        let Some(kernel) = kernel::list().unwrap().into_iter().find(|one| one.name == "6.1") else {
            return;
        };
        let (shell, stop) = (Shell::here(), Stop::default());
        let console = tempfile::NamedTempFile::new().unwrap();
        let into = tempfile::tempdir().unwrap();
        let mut session = Session::start(&shell, console.path(), &stop).unwrap();
        let make = make(&kernel.headers.to_string_lossy(), false);
        build_there(&session, &shell, &make, into.path(), &stop).unwrap();
        session.end().unwrap();
        let module = std::fs::read(into.path().join("irqscope.ko")).unwrap();
        assert!(module.starts_with(b"\x7fELF"));
        assert!(into.path().join("irqscope_parport.ko").exists());
        assert!(!Path::new(&session.dir).exists());
    }

    #[test]
    fn what_a_target_sends_is_modules_and_no_links() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("irqscope.ko"), "x").unwrap();
        assert!(check_modules(dir.path(), "board").is_ok());
        let link = dir.path().join("irqscope_gpio.ko");
        std::os::unix::fs::symlink("/etc/passwd", &link).unwrap();
        let error = check_modules(dir.path(), "board").unwrap_err().to_string();
        assert!(error.contains("irqscope_gpio.ko") && error.contains("remedy"), "{error}");
        std::fs::remove_file(&link).unwrap();
        std::fs::create_dir(dir.path().join("more.ko")).unwrap();
        assert!(check_modules(dir.path(), "board").is_err());
    }
}
