// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Letting the target build the driver, because only it has its kernel's
//! headers. The modules are fetched into the cache: one build serves all cases.

use std::fs::File;
use std::io::{Seek, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::command::{Done, run};
use crate::error::{Result, RigError, Trying};
use crate::kernel::driver::{Driver, write_sources};
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
    Driver::keep(&facts.release, headers, test, |into| {
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
    tar(&["-xf", "-"], into, Some(file_of(&modules.stdout)?), stop).map(|_| ())
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
        let Some(kernel) = kernel::list().unwrap().into_iter().next() else {
            return;
        };
        let (shell, stop) = (Shell::here(), Stop::default());
        let console = tempfile::NamedTempFile::new().unwrap();
        let into = tempfile::tempdir().unwrap();
        let mut session = Session::start(&shell, console.path(), &stop).unwrap();
        let make = make(&kernel.headers().to_string_lossy(), false);
        build_there(&session, &shell, &make, into.path(), &stop).unwrap();
        session.end().unwrap();
        let module = std::fs::read(into.path().join("irqscope.ko")).unwrap();
        assert!(module.starts_with(b"\x7fELF"));
        assert!(into.path().join("irqscope_parport.ko").exists());
        assert!(!Path::new(&session.dir).exists());
    }
}
