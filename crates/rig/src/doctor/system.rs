// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A machine as its files describe it, under a root that tests choose.

use std::path::{Path, PathBuf};

pub(super) struct System {
    root: PathBuf,
}

impl System {
    pub fn at(root: &Path) -> Self {
        Self { root: root.to_owned() }
    }

    pub fn path(&self, path: &str) -> PathBuf {
        self.root.join(path.trim_start_matches('/'))
    }

    pub fn exists(&self, path: &str) -> bool {
        self.path(path).exists()
    }

    /// Reads a file's text without space around it; nothing if it cannot be read.
    pub fn read(&self, path: &str) -> Option<String> {
        let bytes = std::fs::read(self.path(path)).ok()?;
        Some(String::from_utf8_lossy(&bytes).trim().to_owned())
    }

    /// Lists the names in a directory, sorted.
    pub fn names(&self, dir: &str) -> Vec<String> {
        let entries = std::fs::read_dir(self.path(dir)).into_iter().flatten().flatten();
        let mut names: Vec<String> =
            entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    /// Lists the directories of the CPUs, `/sys/devices/system/cpu/cpu0` and so on.
    pub fn cpus(&self) -> Vec<String> {
        const DIR: &str = "/sys/devices/system/cpu";
        let is_cpu = |name: &String| {
            name.strip_prefix("cpu").is_some_and(|number| number.parse::<u32>().is_ok())
        };
        let names = self.names(DIR).into_iter().filter(is_cpu);
        names.map(|name| format!("{DIR}/{name}")).collect()
    }

    pub fn has_program(&self, name: &str) -> bool {
        ["usr/local/bin", "usr/bin", "bin", "usr/sbin", "sbin"]
            .iter()
            .any(|dir| self.exists(&format!("{dir}/{name}")))
    }

    pub fn release(&self) -> String {
        self.read("/proc/sys/kernel/osrelease").unwrap_or_default()
    }

    /// Reads a field of /proc/self/status.
    pub fn status(&self, field: &str) -> Option<String> {
        let text = self.read("/proc/self/status")?;
        let line = text.lines().find_map(|line| line.strip_prefix(field)?.strip_prefix(':'))?;
        Some(line.trim().to_owned())
    }

    /// Returns whether this process holds a capability, by its number.
    pub fn has_capability(&self, number: u32) -> bool {
        let effective = self.status("CapEff").unwrap_or_default();
        u64::from_str_radix(&effective, 16).is_ok_and(|bits| bits >> number & 1 == 1)
    }

    pub fn is_x86(&self) -> bool {
        self.read("/proc/cpuinfo").unwrap_or_default().contains("flags\t")
    }
}

/// A throw-away tree of such files.
#[cfg(test)]
pub(super) mod fake {
    use super::System;

    pub struct Fake {
        dir: tempfile::TempDir,
    }

    impl Fake {
        pub fn new(files: &[(&str, &str)]) -> Self {
            let fake = Self { dir: tempfile::tempdir().unwrap() };
            files.iter().for_each(|(path, text)| fake.put(path, text));
            fake
        }

        pub fn put(&self, path: &str, text: &str) {
            let path = self.system().path(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }

        pub fn system(&self) -> System {
            System::at(self.dir.path())
        }
    }
}
