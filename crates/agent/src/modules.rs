// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Kernel modules, in the order of a list: one per line, `path params...`.

use std::ffi::{CString, OsStr};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use nix::errno::Errno;
use nix::kmod::{ModuleInitFlags, finit_module};
use nix::libc;

use crate::error::{Error, Result};
use crate::kernel_log::KernelLog;

/// `MODULE_INIT_COMPRESSED_FILE` of Linux 5.17.
const COMPRESSED: libc::c_uint = 4;

/// A module of the kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Module {
    /// Its file.
    pub path: PathBuf,
    /// Its parameters.
    pub parameters: String,
}

/// Loads all modules of a list; a list that does not exist is empty.
///
/// # Errors
/// The list cannot be read, or a module cannot be loaded.
pub fn load_all(list: &Path) -> Result<()> {
    match fs::read_to_string(list) {
        Ok(text) => load_listed(&text),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(source) => Err(Error::Read { path: list.into(), source }),
    }
}

/// Loads all modules of the text of a list.
///
/// # Errors
/// A module cannot be loaded.
pub fn load_listed(list: &str) -> Result<()> {
    parse(list).iter().try_for_each(load)
}

/// Parses a list; blank lines and those that begin with `#` are passed over.
fn parse(list: &str) -> Vec<Module> {
    list.lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(parse_line)
        .collect()
}

fn parse_line(line: &str) -> Module {
    let (path, parameters) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    Module { path: path.into(), parameters: parameters.trim().into() }
}

fn load(module: &Module) -> Result<()> {
    let mut log = KernelLog::open();
    match insert(module) {
        // Built in, or on the list twice: there it is.
        Ok(()) | Err(Errno::EEXIST) => Ok(()),
        Err(errno) => {
            let name = module.path.file_name().and_then(OsStr::to_str).unwrap_or_default();
            let word = name.split('.').next().unwrap_or_default().replace('-', "_");
            let (path, source) = (module.path.clone(), errno.into());
            Err(Error::Module { path, source, log: log.last_line(&word) })
        }
    }
}

fn insert(module: &Module) -> nix::Result<()> {
    let io_errno = |error: io::Error| Errno::from_raw(error.raw_os_error().unwrap_or(libc::EIO));
    let file = File::open(&module.path).map_err(io_errno)?;
    let parameters = CString::new(module.parameters.as_str()).map_err(|_| Errno::EINVAL)?;
    finit_module(file, &parameters, flags(&module.path))
}

/// Returns the flags of a module: the kernel itself unpacks, where it was built to.
fn flags(path: &Path) -> ModuleInitFlags {
    let packed = ["xz", "gz", "zst"].map(OsStr::new);
    match path.extension() {
        Some(extension) if packed.contains(&extension) => {
            ModuleInitFlags::from_bits_retain(COMPRESSED)
        }
        _ => ModuleInitFlags::empty(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_read_in_order_with_parameters() {
        let list = "# the driver\n/m/irqscope.ko\n\n  /m/parport_pc.ko io=0x378 irq=7  \n";
        let expected = [("/m/irqscope.ko", ""), ("/m/parport_pc.ko", "io=0x378 irq=7")];
        let expected = expected
            .map(|(path, parameters)| Module { path: path.into(), parameters: parameters.into() });
        assert_eq!(parse(list), expected);
    }

    #[test]
    fn a_missing_list_is_empty_but_a_missing_module_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let list = folder.path().join("modules");
        load_all(&list).unwrap();
        fs::write(&list, "/nowhere/fast.ko\n").unwrap();
        let error = load_all(&list).unwrap_err();
        assert!(error.to_string().contains("/nowhere/fast.ko"), "{error}");
    }

    #[test]
    fn packed_modules_are_unpacked_by_the_kernel() {
        assert_eq!(flags(Path::new("a.ko.xz")).bits(), COMPRESSED);
        assert!(flags(Path::new("a.ko")).is_empty());
    }
}
