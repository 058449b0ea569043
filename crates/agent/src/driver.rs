// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The driver's sysfs: settings, which are put back at the end, and status.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use irqscope_wire::{Cycles, Stage, StageCost, Tick};

use crate::error::{Error, Result};
use crate::kernel_log::KernelLog;

/// Where the driver's attributes are, below the root of the file system.
const DIRECTORY: &str = "sys/class/misc/irqscope";

/// The driver, held by one case: dropping it stops the run and restores every
/// setting that was changed, in reverse.
#[derive(Debug)]
pub struct Driver {
    directory: PathBuf,
    log: KernelLog,
    changed: Vec<(&'static str, String)>,
}

impl Driver {
    /// Opens the driver; `root` is `/`, or a tree that a test made.
    ///
    /// # Errors
    /// The driver is not loaded, or its files cannot be read.
    pub fn open(root: &Path) -> Result<Driver> {
        let directory = root.join(DIRECTORY);
        fs::read_dir(&directory)
            .map_err(|source| Error::Open { path: directory.clone(), source })?;
        Ok(Driver { directory, log: KernelLog::open(), changed: Vec::new() })
    }

    /// Changes a setting; what it was before is kept, and put back by `drop`.
    ///
    /// # Errors
    /// The driver refuses the value; the error has its own words.
    pub fn set(&mut self, setting: &'static str, value: &str) -> Result<()> {
        let attribute = format!("settings/{setting}");
        let before = self.read(&attribute)?;
        if before == value {
            return Ok(());
        }
        self.write(&attribute, value)?;
        self.changed.push((setting, before));
        Ok(())
    }

    /// Returns a setting as the driver really took it.
    ///
    /// # Errors
    /// The file cannot be read, or does not parse.
    pub fn setting<T: FromStr>(&self, setting: &str) -> Result<T> {
        self.parse(&format!("settings/{setting}"))
    }

    /// Starts a run.
    ///
    /// # Errors
    /// The driver refuses it; the error has its own words.
    pub fn start(&mut self) -> Result<()> {
        self.write("run", "1").map_err(|error| match error {
            Error::Setting { source, log, .. } => Error::Start { source, log },
            other => other,
        })
    }

    /// Ends the run.
    ///
    /// # Errors
    /// The driver's file cannot be written.
    pub fn stop(&mut self) -> Result<()> {
        self.write("run", "0")
    }

    /// Returns the state of the run.
    ///
    /// # Errors
    /// The driver's file cannot be read.
    pub fn state(&self) -> Result<String> {
        self.read("state")
    }

    /// Returns the last line that the driver wrote to the kernel's log in this case.
    pub fn log_line(&mut self) -> Option<String> {
        self.log.last_line("irqscope")
    }

    /// Returns the length of the counter's tick, as the kernel has calibrated it.
    ///
    /// # Errors
    /// The driver's file cannot be read.
    pub fn tick(&self) -> Result<Tick> {
        Ok(Tick { femtoseconds: self.parse("tick_fs")? })
    }

    /// Reads a status that is a number.
    ///
    /// # Errors
    /// The file cannot be read, or does not parse.
    pub fn number<T: FromStr>(&self, attribute: &str) -> Result<T> {
        self.parse(attribute)
    }

    /// Returns what this kernel could not trace in the last run with `explain`.
    ///
    /// # Errors
    /// The driver's file cannot be read.
    pub fn lacking_tracepoints(&self) -> Result<Vec<String>> {
        self.list("lacking_tracepoints", |word| Some(word.to_owned()))
    }

    /// Returns the stages that this kernel has.
    ///
    /// # Errors
    /// The driver's file cannot be read.
    pub fn available_stages(&self) -> Result<Vec<Stage>> {
        self.list("available_stages", |word| word.parse().ok())
    }

    /// Parses lines of `stage cycles`, for the stages that were measured.
    ///
    /// # Errors
    /// The driver's file cannot be read.
    pub fn costs(&self) -> Result<Vec<StageCost>> {
        self.read("cost")?.lines().map(|line| self.cost(line)).collect()
    }

    fn cost(&self, line: &str) -> Result<StageCost> {
        let parsed = || {
            let mut words = line.split_whitespace();
            let stage = words.next()?.parse().ok()?;
            let cycles = Cycles(words.next()?.parse().ok()?);
            Some(StageCost { stage, cycles })
        };
        parsed().ok_or_else(|| self.unreadable("cost", line))
    }

    fn list<T>(&self, attribute: &str, parse: impl Fn(&str) -> Option<T>) -> Result<Vec<T>> {
        let text = self.read(attribute)?;
        text.split([' ', ',', '\n'])
            .filter(|word| !word.is_empty())
            .map(|word| parse(word).ok_or_else(|| self.unreadable(attribute, word)))
            .collect()
    }

    fn parse<T: FromStr>(&self, attribute: &str) -> Result<T> {
        let text = self.read(attribute)?;
        text.parse().map_err(|_| self.unreadable(attribute, &text))
    }

    fn unreadable(&self, attribute: &str, text: &str) -> Error {
        Error::Unreadable { path: self.directory.join(attribute), text: text.into() }
    }

    fn read(&self, attribute: &str) -> Result<String> {
        let path = self.directory.join(attribute);
        match fs::read_to_string(&path) {
            Ok(text) => Ok(text.trim_end().into()),
            Err(source) => Err(Error::Read { path, source }),
        }
    }

    fn write(&mut self, attribute: &str, value: &str) -> Result<()> {
        let path = self.directory.join(attribute);
        let source = match write_once(&path, value) {
            Ok(()) => return Ok(()),
            Err(error) => error,
        };
        Err(Error::Setting { path, value: value.into(), source, log: self.log_line() })
    }
}

/// Writes with one `write()`, as a store function of sysfs wants it; never creates a file.
fn write_once(path: &Path, value: &str) -> io::Result<()> {
    use std::io::Write;
    let mut file = fs::File::options().write(true).truncate(true).open(path)?;
    file.write_all(value.as_bytes())
}

impl Drop for Driver {
    fn drop(&mut self) {
        // Settings are fixed while a run is active. Nothing is left to do about an error here: the
        // one that matters has been reported already.
        let _ = self.stop();
        while let Some((setting, before)) = self.changed.pop() {
            let _ = self.write(&format!("settings/{setting}"), &before);
        }
    }
}

/// Says to an emulator, for as long as it is held, that something else than a run is measured; on all other
/// machines the driver's marks do nothing.
#[derive(Debug)]
pub struct Mark(PathBuf);

impl Mark {
    /// Begins on a CPU; `None` where no driver is loaded.
    pub fn begin(root: &Path, cpu: u32) -> Option<Mark> {
        let path = root.join(DIRECTORY).join("mark");
        fs::write(&path, cpu.to_string()).ok()?;
        Some(Mark(path))
    }
}

impl Drop for Mark {
    fn drop(&mut self) {
        let _ = fs::write(&self.0, "off");
    }
}

/// Its tests, and stand-ins for those of other modules.
#[cfg(test)]
pub mod tests {
    use super::*;

    /// Makes a driver of files.
    pub fn fake() -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        let directory = root.path().join(DIRECTORY);
        fs::create_dir_all(directory.join("settings")).unwrap();
        let files = [
            ("run", "0\n"),
            ("state", "idle\n"),
            ("tick_fs", "2000000\n"),
            ("available_stages", "irq softirq user\n"),
            ("cost", "irq 12\nsoftirq 14\n"),
            ("settings/cpu", "0\n"),
            ("settings/period_ns", "1000000\n"),
        ];
        for (name, text) in files {
            fs::write(directory.join(name), text).unwrap();
        }
        root
    }

    fn text(root: &tempfile::TempDir, attribute: &str) -> String {
        fs::read_to_string(root.path().join(DIRECTORY).join(attribute)).unwrap()
    }

    #[test]
    fn every_changed_setting_is_put_back() {
        let root = fake();
        let mut driver = Driver::open(root.path()).unwrap();
        driver.set("period_ns", "250000").unwrap();
        driver.set("period_ns", "500000").unwrap();
        driver.set("cpu", "0").unwrap();
        driver.start().unwrap();
        assert_eq!(text(&root, "settings/period_ns"), "500000");
        assert_eq!(text(&root, "run"), "1");
        drop(driver);
        assert_eq!(text(&root, "settings/period_ns"), "1000000");
        assert_eq!(text(&root, "settings/cpu"), "0\n");
        assert_eq!(text(&root, "run"), "0");
    }

    #[test]
    fn a_setting_that_does_not_exist_is_an_error_and_makes_no_file() {
        let root = fake();
        let mut driver = Driver::open(root.path()).unwrap();
        let error = driver.set("phase_of_moon", "full").unwrap_err();
        assert!(error.to_string().contains("settings/phase_of_moon"));
        assert!(!root.path().join(DIRECTORY).join("settings/phase_of_moon").exists());
    }

    #[test]
    fn status_becomes_types() {
        let root = fake();
        let driver = Driver::open(root.path()).unwrap();
        assert_eq!(driver.tick().unwrap(), Tick { femtoseconds: 2_000_000 });
        assert_eq!(driver.available_stages().unwrap(), [Stage::Irq, Stage::Softirq, Stage::User]);
        let costs = driver.costs().unwrap();
        assert_eq!(costs[1], StageCost { stage: Stage::Softirq, cycles: Cycles(14) });
    }

    #[test]
    fn a_missing_driver_names_its_remedy() {
        let root = tempfile::tempdir().unwrap();
        let failure = Driver::open(root.path()).unwrap_err().failure();
        assert!(failure.remedy.contains("irqscope.ko"), "{failure:?}");
        assert!(!failure.invalid);
    }
}
