// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Settings of the kernel under /proc/sys, and of sysfs: made for one case, and taken back when dropped.

use std::fs;
use std::path::{Path, PathBuf};

use irqscope_wire::Sysctl;

use crate::error::{Error, Result};
use crate::locks::{DEBUGFS, mount_debugfs};

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
            if path.starts_with(root.join(DEBUGFS)) {
                mount_debugfs(root);
            }
            let failed =
                |source| Error::Sysctl { name: name.clone(), value: value.clone(), source };
            let before = fs::read_to_string(&path).map_err(failed)?;
            if chosen(&before) == words(value) {
                continue;
            }
            made.before.push((path.clone(), chosen(&before).join(" ")));
            fs::write(&path, value).map_err(failed)?;
            let after = fs::read_to_string(&path).map_err(failed)?;
            if chosen(&after) != words(value) {
                let after = chosen(&after).join(" ");
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

/// Returns the file of a setting. That of sysfs is named by its path. In other names a dot stands for a
/// slash, and a slash for a dot, as in `net.ipv4.conf.eth0/1.forwarding`.
fn path(root: &Path, name: &str) -> PathBuf {
    if name.starts_with("/sys/") {
        return root.join(&name[1..]);
    }
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

/// Returns the values in effect: of a list of all that are possible the one in brackets, as sysfs has
/// them (`always [madvise] never`).
fn chosen(text: &str) -> Vec<&str> {
    let words = words(text);
    let in_brackets = words.iter().find_map(|word| word.strip_prefix('[')?.strip_suffix(']'));
    in_brackets.filter(|_| words.len() > 1).map_or(words, |one| vec![one])
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
        assert_eq!(fs::read_to_string(dir.join("mem")).unwrap(), "4096 16384");
        let wrong = [wish("net.eth0/1.mem", "3 4"), wish("net.none", "1")];
        let error = Sysctls::set(root.path(), &wrong).unwrap_err().to_string();
        assert!(error.contains("net.none"), "{error}");
        assert_eq!(fs::read_to_string(dir.join("mem")).unwrap(), "4096 16384");
    }

    #[test]
    fn a_setting_of_sysfs_is_named_by_its_path_and_a_choice_is_in_brackets() {
        let path = path(Path::new("/root"), "/sys/class/net/eth0.1/threaded");
        assert_eq!(path, Path::new("/root/sys/class/net/eth0.1/threaded"));
        assert_eq!(chosen("always [madvise] never\n"), ["madvise"]);
        assert_eq!(chosen("4096\t16384\n"), ["4096", "16384"]);
        assert_eq!(chosen("[on]"), ["[on]"]);
        assert!(chosen("\n").is_empty());
    }
}
