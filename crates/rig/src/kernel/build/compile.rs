// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Running a kernel's makefile: it reports its progress, is stopped on request, and ends with this
//! program.

use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};

use crate::command::{TICK, installed, kill_group};
use crate::error::{Result, RigError, Trying};
use crate::kernel::driver::jobs;
use crate::stop::Stop;
use crate::text::last_lines;

/// The compiler of kernels of one's own: Debian 12's.
pub(super) const COMPILER: &str = "gcc-12";
/// The number of files for one report.
const FILES_PER_WORD: usize = 250;

/// Returns the compiler's call: through ccache where it is installed, so that two builds share what is
/// the same in both.
fn compiler() -> String {
    let ccache = if installed("ccache").is_some() { "ccache " } else { "" };
    format!("{ccache}{COMPILER}")
}

/// Builds image and modules, with these variables of the makefile (`NAME=value`).
pub(super) fn compile(
    tree: &Path,
    name: &str,
    variables: &[String],
    say: &dyn Fn(&str),
    stop: &Stop,
) -> Result<()> {
    say(&format!("compiling kernel {name}, which takes some minutes"));
    let mut files = 0;
    let mut count = |line: &str| {
        if !line.trim_start().starts_with("CC ") {
            return;
        }
        files += 1;
        if files % FILES_PER_WORD == 0 {
            say(&format!("compiling kernel {name}: {files} files"));
        }
    };
    let mut make = Make::new(tree);
    make.0.arg(jobs()).args(variables);
    make.run_and("bzImage modules", stop, &mut count)
}

/// One call of a kernel's makefile.
pub(super) struct Make(Command);

impl Make {
    pub fn new(tree: &Path) -> Self {
        // setpriv ends make, which ends its children, when this program dies,
        // even of kill -9.
        let mut command = Command::new("setpriv");
        command.args(["--pdeathsig", "TERM", "--", "make", "-C"]).arg(tree);
        let compiler = compiler();
        command.args([format!("CC={compiler}"), format!("HOSTCC={compiler}")]);
        // Trees lie at other places each time, and what is compiled is the same.
        command.env("CCACHE_BASEDIR", tree).env("CCACHE_NOHASHDIR", "1");
        // Nothing is added to the release where the tree is one of git's.
        command.arg("LOCALVERSION=");
        // A kernel's content is that of its sources, independent of builder and time, and of how
        // often its tree was built before.
        command.env("KBUILD_BUILD_TIMESTAMP", "1970-01-01").env("KBUILD_BUILD_VERSION", "1");
        command.env("KBUILD_BUILD_USER", "irqscope").env("KBUILD_BUILD_HOST", "irqscope");
        // The environment of an outer make would leak its flags into kbuild.
        for leak in ["MAKEFLAGS", "MAKELEVEL", "MFLAGS", "KDIR"] {
            command.env_remove(leak);
        }
        Self(command)
    }

    pub fn arg(mut self, arg: impl AsRef<std::ffi::OsStr>) -> Self {
        self.0.arg(arg);
        self
    }

    /// Makes the targets, words of one text.
    pub fn run(self, targets: &str, stop: &Stop) -> Result<()> {
        self.run_and(targets, stop, &mut |_| {})
    }

    /// Makes them, and hands out each line of what make says about it.
    fn run_and(mut self, targets: &str, stop: &Stop, line: &mut dyn FnMut(&str)) -> Result<()> {
        let errors = tempfile::NamedTempFile::new()
            .and_then(|file| Ok((file.reopen()?, file)))
            .trying(|| "cannot create a temporary file".into())?;
        let command = self.0.args(targets.split_whitespace());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(errors.0).process_group(0);
        let mut child = command.spawn().map_err(|error| {
            RigError::unready(
                format!("cannot run make by setpriv: {error}"),
                "install them: apt-get install make util-linux",
            )
        })?;
        let followed = follow(&mut child, stop, line);
        if followed.is_err() {
            kill_group(&mut child);
        }
        followed?;
        let status = child.wait().trying(|| "cannot wait for make".into())?;
        if status.success() {
            return Ok(());
        }
        let said = std::fs::read(errors.1.path()).unwrap_or_default();
        let tail = last_lines(&String::from_utf8_lossy(&said), 15);
        Err(RigError::unready(
            format!("make {targets} failed ({status}):\n{tail}"),
            "mend what it says above and run the command again",
        ))
    }
}

/// Follows make until it closes its output.
fn follow(child: &mut Child, stop: &Stop, line: &mut dyn FnMut(&str)) -> Result<()> {
    let lines = lines(child);
    loop {
        stop.check()?;
        match lines.recv_timeout(TICK) {
            Ok(text) => line(&text),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
        }
    }
}

/// Starts a thread that reads the child's output and ends with it.
fn lines(child: &mut Child) -> Receiver<String> {
    let (sender, lines) = channel();
    if let Some(output) = child.stdout.take() {
        std::thread::spawn(move || {
            let read = BufReader::new(output).lines().map_while(|line| line.ok());
            read.map(|line| sender.send(line)).take_while(|sent| sent.is_ok()).for_each(drop);
        });
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    fn tree(makefile: &str) -> (tempfile::TempDir, PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("Makefile"), makefile).unwrap();
        let path = dir.path().to_owned();
        (dir, path)
    }

    #[test]
    fn what_make_says_is_handed_out_and_its_failure_is_shown() {
        let (_dir, path) = tree("good:\n\t@echo CC a.o\nbad:\n\t@echo why >&2; false\n");
        let mut said = Vec::new();
        let stop = Stop::default();
        Make::new(&path).run_and("good", &stop, &mut |line| said.push(line.to_owned())).unwrap();
        assert!(said.contains(&"CC a.o".to_owned()), "{said:?}");
        let error = Make::new(&path).run("bad", &stop).unwrap_err().to_string();
        assert!(error.contains("make bad failed") && error.contains("why"), "{error}");
    }

    #[test]
    fn a_stop_ends_make_and_what_it_started() {
        let (dir, path) = tree("all:\n\t@echo CC a.o; sleep 1000; touch never\n");
        let stop = Stop::default();
        let stopped = Make::new(&path).run_and("all", &stop, &mut |line| {
            if line.starts_with("CC") {
                stop.request();
            }
        });
        assert!(matches!(stopped, Err(RigError::Interrupted)), "{stopped:?}");
        assert!(!dir.path().join("never").exists());
    }

    #[test]
    fn every_tree_is_compiled_by_one_compiler() {
        let (_dir, path) = tree("CC = cc\nall:\n\t@echo $(CC)\n");
        let mut said = Vec::new();
        let mut line = |text: &str| said.push(text.to_owned());
        Make::new(&path).run_and("all", &Stop::default(), &mut line).unwrap();
        assert!(said.contains(&compiler()), "{said:?}");
    }
}
