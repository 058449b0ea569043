// SPDX-License-Identifier: Apache-2.0 OR MIT
//! QEMU's monitor: where the CPUs of a guest are that does not go on.

use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::error::{Result, Trying};

/// How often the CPUs are looked at: a loop shows as the same few addresses.
const LOOKS: usize = 5;
const PAUSE: Duration = Duration::from_millis(300);

/// A socket in a directory of its own, on which QEMU listens.
pub(crate) struct Monitor {
    directory: tempfile::TempDir,
}

impl Monitor {
    pub fn new() -> Result<Self> {
        let directory =
            tempfile::tempdir().trying(|| "cannot create a directory for a socket".into())?;
        Ok(Self { directory })
    }

    fn socket(&self) -> PathBuf {
        self.directory.path().join("monitor")
    }

    pub fn args(&self) -> [String; 2] {
        ["-monitor".into(), format!("unix:{},server=on,wait=off", self.socket().display())]
    }

    /// Appends each CPU's instruction pointer to a file, some times in a row.
    pub fn append_positions(&self, to: &Path) -> Result<()> {
        let looked = self.positions().trying(|| "cannot ask QEMU's monitor".into())?;
        File::options()
            .append(true)
            .open(to)
            .and_then(|mut file| write!(file, "\n{looked}"))
            .trying(|| format!("cannot write {}", to.display()))
    }

    fn positions(&self) -> std::io::Result<String> {
        let mut stream = UnixStream::connect(self.socket())?;
        stream.set_read_timeout(Some(PAUSE))?;
        let mut text = String::new();
        for _ in 0..LOOKS {
            stream.write_all(b"info registers -a\n")?;
            std::thread::sleep(PAUSE);
            let mut answer = Vec::new();
            // Ends by the timeout: the monitor has no end of its own.
            let _ = stream.read_to_end(&mut answer);
            text.push_str(&String::from_utf8_lossy(&answer));
        }
        Ok(text
            .lines()
            .filter(|line| line.contains("CPU#") || line.contains("IP="))
            .fold(String::new(), |all, line| all + line.trim_end() + "\n"))
    }
}
