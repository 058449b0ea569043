// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The parts of a built tree that are kept: image, configuration, modules, and as much of the tree
//! as the build of other modules needs; laid out as fetched kernels are.

use std::path::Path;

use super::compile::Make;
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

/// Moves what is needed out of `tree`, and deletes the rest.
pub(super) fn keep(tree: &Path, made: &Path, stop: &Stop) -> Result<()> {
    install_modules(tree, made, stop)?;
    let release = read(&tree.join("include/config/kernel.release"))?;
    let headers = made.join("usr/src").join(format!("linux-headers-{}", release.trim()));
    rename(&tree.join("arch/x86/boot/bzImage"), &made.join("vmlinuz"))?;
    copy(&tree.join(".config"), &made.join("config"))?;
    HEADERS.iter().try_for_each(|path| rename(&tree.join(path), &headers.join(path)))?;
    std::fs::remove_dir_all(tree).trying(|| format!("cannot remove {}", tree.display()))?;
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

fn copy(from: &Path, to: &Path) -> Result<()> {
    std::fs::copy(from, to).map(drop).trying(|| format!("cannot copy {}", from.display()))
}

fn rename(from: &Path, to: &Path) -> Result<()> {
    std::fs::create_dir_all(to.parent().unwrap_or(to))
        .and_then(|()| std::fs::rename(from, to))
        .trying(|| format!("cannot move {} to {}", from.display(), to.display()))
}
