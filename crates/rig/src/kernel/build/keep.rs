// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The parts of a built tree that are kept: image, configuration, modules, and as much of the tree
//! as the build of other modules needs; laid out as fetched kernels are.

use std::path::Path;
use std::process::Command;

use super::compile::Make;
use crate::command::output;
use crate::error::{Result, Trying};
use crate::stop::Stop;

/// Of the tree, for other modules.
const HEADERS: [&str; 10] = [
    "Makefile",
    "Kbuild",
    ".config",
    "Module.symvers",
    "include",
    "scripts",
    "arch/x86/Makefile",
    "arch/x86/Kbuild",
    "arch/x86/include",
    "tools/objtool/objtool",
];

/// Copies what is needed out of `tree`.
pub(super) fn keep(tree: &Path, made: &Path, stop: &Stop) -> Result<()> {
    install_modules(tree, made, stop)?;
    let release = read(&tree.join("include/config/kernel.release"))?;
    let headers = made.join("usr/src").join(format!("linux-headers-{}", release.trim()));
    copy(&tree.join("arch/x86/boot/bzImage"), &made.join("vmlinuz"))?;
    copy(&tree.join(".config"), &made.join("config"))?;
    HEADERS.iter().try_for_each(|path| copy(&tree.join(path), &headers.join(path)))?;
    let file = made.join("release");
    std::fs::write(&file, release).trying(|| format!("cannot write {}", file.display()))
}

/// Installs modules without `modules.dep`, which is not used, and without the links back to where
/// it was built.
fn install_modules(tree: &Path, made: &Path, stop: &Stop) -> Result<()> {
    let place = format!("INSTALL_MOD_PATH={}", made.display());
    let make = Make::new(tree).arg(place).arg("DEPMOD=true").arg("INSTALL_MOD_STRIP=1");
    make.run("modules_install", stop)?;
    for modules in std::fs::read_dir(made.join("lib/modules")).into_iter().flatten().flatten() {
        for link in ["build", "source"].map(|link| modules.path().join(link)) {
            if link.is_symlink() {
                std::fs::remove_file(&link)
                    .trying(|| format!("cannot remove {}", link.display()))?;
            }
        }
    }
    Ok(())
}

fn read(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).trying(|| format!("cannot read {}", path.display()))
}

/// Copies a file or a directory. Some kernels have no objtool, nor a file Kbuild for their
/// architecture.
fn copy(from: &Path, to: &Path) -> Result<()> {
    if !from.exists() {
        return Ok(());
    }
    let parent = to.parent().unwrap_or(to);
    std::fs::create_dir_all(parent).trying(|| format!("cannot create {}", parent.display()))?;
    output(Command::new("cp").arg("-aT").args([from, to]), "coreutils").map(drop)
}
