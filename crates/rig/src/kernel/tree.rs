// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A kernel in the tree that it was built in, used where it lies.

use std::path::Path;

use irqscope_scenario::{Arch, KernelFiles};

use super::modules::Place;
use super::release::Release;
use super::{Kernel, needs};
use crate::arch::Guest;
use crate::cache::content;
use crate::error::{Result, RigError, Trying};

/// Opens the kernel of a build tree, or of the directory that `make O=` built in.
pub(super) fn open(name: &str, dir: &Path) -> Result<Kernel> {
    // Absolute, for a module's build changes its directory.
    let dir = dir.canonicalize().trying(|| format!("cannot open {}", dir.display()))?;
    let config = read(&dir.join(".config"), name, "make defconfig, or another configuration")?;
    let arch = arch(name, &config)?;
    needs::check(name, &config, arch)?;
    let release = read(&dir.join("include/config/kernel.release"), name, "make")?;
    let release = Release::new(release.trim(), &dir.to_string_lossy())?;
    let image = dir.join(image(arch));
    for (file, command) in [(&image, "make"), (&dir.join("Module.symvers"), "make modules")] {
        if !file.exists() {
            return Err(unbuilt(name, file, command));
        }
    }
    Ok(Kernel {
        name: name.to_owned(),
        release,
        config: dir.join(".config"),
        headers: dir.clone(),
        modules: Place::Tree(dir.clone()),
        origin: origin(&[("image", &image), ("configuration", &dir.join(".config"))])?,
        image,
        entry: None,
    })
}

/// Opens a kernel of which image and modules are named.
pub(super) fn files(name: &str, files: &KernelFiles) -> Result<Kernel> {
    let there =
        |path: &Path| path.canonicalize().trying(|| format!("cannot open {}", path.display()));
    let (image, modules) = (there(&files.image)?, there(&files.modules)?);
    let headers = match &files.headers {
        Some(headers) => there(headers)?,
        None => there(&modules.join("build"))?,
    };
    let config = headers.join(".config");
    let text = read(&config, name, "headers:DIR with its .config")?;
    needs::check(name, &text, arch(name, &text)?)?;
    let release = modules.file_name().unwrap_or_default().to_string_lossy();
    Ok(Kernel {
        name: name.to_owned(),
        release: Release::new(&release, &modules.to_string_lossy())?,
        origin: origin(&[("image", &image), ("configuration", &config)])?,
        image,
        config,
        headers,
        modules: Place::Installed(modules),
        entry: None,
    })
}

/// Returns which machine a configuration is for, which the kernel's label has to say, too.
fn arch(name: &str, config: &str) -> Result<Arch> {
    let on = |arch: &Arch| match arch {
        Arch::X86_64 => needs::has(config, "X86_64"),
        Arch::Arm64 => needs::has(config, "ARM64"),
        Arch::Riscv64 => needs::has(config, "RISCV") && needs::has(config, "64BIT"),
    };
    let Some(arch) = Arch::ALL.into_iter().find(on) else {
        return Err(RigError::unready(
            format!("kernel {name} is for none of x86-64, arm64 and riscv64"),
            "build it for one of them: the driver is for 64 bits",
        ));
    };
    let said = Arch::of_kernel(name);
    if said == arch {
        return Ok(arch);
    }
    let plain = Arch::without(name);
    let label = format!("{plain}{}=KERNEL", arch.suffix().unwrap_or_default());
    let (is, says) = (arch.debian(), said.suffix().map_or("does not say so", |_| "says another"));
    Err(RigError::unready(
        format!("kernel {name} is for {is}, and its label {says}"),
        format!("write {label}"),
    ))
}

/// Returns where the makefile puts the image.
fn image(arch: Arch) -> &'static str {
    match arch {
        Arch::X86_64 => "arch/x86/boot/bzImage",
        Arch::Arm64 => "arch/arm64/boot/Image",
        Arch::Riscv64 => "arch/riscv/boot/Image",
    }
}

fn read(path: &Path, name: &str, command: &str) -> Result<String> {
    std::fs::read_to_string(path).map_err(|_| unbuilt(name, path, command))
}

fn unbuilt(name: &str, file: &Path, command: &str) -> RigError {
    RigError::unready(
        format!("kernel {name} is not built: there is no {}", file.display()),
        format!("in its directory: {command}"),
    )
}

fn origin(parts: &[(&str, &Path)]) -> Result<Vec<String>> {
    let part = |(what, path): &(&str, &Path)| {
        let (_, digest) = content(path).trying(|| format!("cannot read {}", path.display()))?;
        Ok(format!("{what} {} SHA256:{digest}", path.display()))
    };
    parts.iter().map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_that_is_not_ready_says_what_is_missing() {
        let dir = tempfile::tempdir().unwrap();
        let error = |name: &str| open(name, dir.path()).unwrap_err().to_string();
        assert!(error("x").contains(".config"), "{}", error("x"));
        std::fs::write(dir.path().join(".config"), "CONFIG_SPARC=y\n").unwrap();
        assert!(error("x").contains("none of x86-64, arm64"), "{}", error("x"));
        let arm = needs::fragment(Arch::Arm64) + "CONFIG_ARM64=y\n";
        std::fs::write(dir.path().join(".config"), arm).unwrap();
        assert!(error("x").contains("write x-arm64=KERNEL"), "{}", error("x"));
        let other = error("x-riscv64");
        assert!(other.contains("says another") && other.contains("write x-arm64="), "{other}");
        assert!(error("x-arm64").contains("kernel.release"), "{}", error("x-arm64"));
        let tree = dir.path().join("include/config");
        std::fs::create_dir_all(&tree).unwrap();
        std::fs::write(tree.join("kernel.release"), "6.1.0-rc1+\n").unwrap();
        assert!(error("x-arm64").contains("boot/Image"), "{}", error("x-arm64"));
    }
}
