// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Settings of the kernel under /proc/sys: made for one case, and taken back when dropped.

use std::fs;
use std::path::{Path, PathBuf};

use irqscope_wire::Sysctl;

use crate::error::{Error, Result};

/// Settings as they were before.
#[derive(Debug, Default)]
pub struct Sysctls {
    before: Vec<(PathBuf, String)>,
}

impl Sysctls {
    /// Makes settings in their order, and reads each of them back.
    ///
    /// # Errors
    /// The kernel has no such setting, or does not take its value; those made until then are taken
    /// back.
    pub fn set(root: &Path, wishes: &[Sysctl]) -> Result<Self> {
        let mut made = Self::default();
        for Sysctl { name, value } in wishes {
            let path = path(root, name);
            let failed =
                |source| Error::Sysctl { name: name.clone(), value: value.clone(), source };
            let before = fs::read_to_string(&path).map_err(failed)?;
            if words(&before) == words(value) {
                continue;
            }
            made.before.push((path.clone(), before));
            fs::write(&path, value).map_err(failed)?;
            let after = fs::read_to_string(&path).map_err(failed)?;
            if words(&after) != words(value) {
                let after = after.trim().to_owned();
                return Err(Error::SysctlDiffers {
                    name: name.clone(),
                    value: value.clone(),
                    after,
                });
            }
        }
        Ok(made)
    }
}

impl Drop for Sysctls {
    fn drop(&mut self) {
        for (path, value) in self.before.iter().rev() {
            let _ = fs::write(path, value);
        }
    }
}

/// Returns the file of a setting: a dot stands for a slash, and a slash for a dot in a name, as in
/// `net.ipv4.conf.eth0/1.forwarding`.
fn path(root: &Path, name: &str) -> PathBuf {
    let swap = |c| match c {
        '.' => '/',
        '/' => '.',
        other => other,
    };
    root.join("proc/sys").join(name.chars().map(swap).collect::<String>())
}

/// Returns values without the white space that the kernel puts between them.
fn words(text: &str) -> Vec<&str> {
    text.split_whitespace().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wish(name: &str, value: &str) -> Sysctl {
        Sysctl { name: name.into(), value: value.into() }
    }

    #[test]
    fn settings_are_made_and_taken_back() {
        let root = tempfile::tempdir().unwrap();
        let dir = root.path().join("proc/sys/net/eth0.1");
        fs::create_dir_all(&dir).unwrap();
        fs::write(dir.join("mem"), "4096\t16384\n").unwrap();
        let wishes = [wish("net.eth0/1.mem", "1 2")];
        let made = Sysctls::set(root.path(), &wishes).unwrap();
        assert_eq!(fs::read_to_string(dir.join("mem")).unwrap(), "1 2");
        drop(made);
        assert_eq!(fs::read_to_string(dir.join("mem")).unwrap(), "4096\t16384\n");
        let wrong = [wish("net.eth0/1.mem", "3 4"), wish("net.none", "1")];
        let error = Sysctls::set(root.path(), &wrong).unwrap_err().to_string();
        assert!(error.contains("net.none"), "{error}");
        assert_eq!(fs::read_to_string(dir.join("mem")).unwrap(), "4096\t16384\n");
    }
}
