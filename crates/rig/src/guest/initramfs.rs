// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A guest's first root file system: `/init` and what it reads. The same
//! contents give the same bytes.

use std::collections::BTreeSet;
use std::io::Write;

use crate::error::{Result, Trying};
use crate::payload::{Entry, Kind};

const DIRECTORY: u32 = 0o040_755;
const FILE: u32 = 0o100_000;
const READABLE: u32 = 0o644;
const EXECUTABLE: u32 = 0o755;
const LINK: u32 = 0o120_777;
const CONSOLE: u32 = 0o020_600;

/// An initramfs in the making.
#[derive(Default)]
pub struct Initramfs {
    archive: Vec<u8>,
    directories: BTreeSet<String>,
    inode: u32,
}

impl Initramfs {
    /// Makes one with the first process and a console for it to complain on.
    pub fn new(init: &[u8]) -> Result<Self> {
        let mut initramfs = Self::default();
        for directory in ["dev", "proc", "sys", "tmp"] {
            initramfs.directory(directory)?;
        }
        initramfs.console()?;
        initramfs.program("init", init)?;
        Ok(initramfs)
    }

    pub fn file(&mut self, path: &str, contents: &[u8]) -> Result<()> {
        self.put(path, FILE | READABLE, contents)
    }

    pub fn program(&mut self, path: &str, contents: &[u8]) -> Result<()> {
        self.put(path, FILE | EXECUTABLE, contents)
    }

    /// Adds what goes along with a scenario.
    pub fn bring(&mut self, entry: &Entry) -> Result<()> {
        let place = entry.place.as_str();
        match &entry.kind {
            Kind::Directory => self.directory(place),
            Kind::Link(to) => self.put(place, LINK, to.as_bytes()),
            Kind::File { from, mode } => {
                let contents =
                    std::fs::read(from).trying(|| format!("cannot read {}", from.display()))?;
                self.put(place, FILE | mode, &contents)
            }
        }
    }

    pub fn finish(self) -> Result<Vec<u8>> {
        let mut archive = self.archive;
        cpio::newc::trailer(&mut archive).trying(|| "cannot end the initramfs".into())?;
        Ok(archive)
    }

    fn put(&mut self, path: &str, mode: u32, contents: &[u8]) -> Result<()> {
        if let Some((directory, _)) = path.rsplit_once('/') {
            self.directory(directory)?;
        }
        self.entry(path, mode, contents, (0, 0))
    }

    fn directory(&mut self, path: &str) -> Result<()> {
        if let Some((parent, _)) = path.rsplit_once('/') {
            self.directory(parent)?;
        }
        if self.directories.insert(path.to_owned()) {
            self.entry(path, DIRECTORY, &[], (0, 0))?;
        }
        Ok(())
    }

    fn console(&mut self) -> Result<()> {
        self.entry("dev/console", CONSOLE, &[], (5, 1))
    }

    fn entry(&mut self, path: &str, mode: u32, contents: &[u8], device: (u32, u32)) -> Result<()> {
        self.inode += 1;
        let what = || format!("cannot add {path} to the initramfs");
        let size = u32::try_from(contents.len()).map_err(std::io::Error::other).trying(what)?;
        let mut writer = cpio::newc::Builder::new(path)
            .ino(self.inode)
            .mode(mode)
            .mtime(0)
            .rdev_major(device.0)
            .rdev_minor(device.1)
            .write(&mut self.archive, size);
        writer.write_all(contents).trying(what)?;
        writer.finish().trying(what).map(|_| ())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_contents_give_the_same_bytes() {
        let make = || {
            let mut initramfs = Initramfs::new(b"agent").unwrap();
            initramfs.file("irqscope/plan", b"plan").unwrap();
            initramfs.finish().unwrap()
        };
        assert_eq!(make(), make());
        assert_eq!(make().len() % 4, 0);
    }
}
