// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Fetching Debian's kernel packages with apt and unpacking them without
//! installing anything: image, modules, and headers moved so that they build.

use std::path::Path;
use std::process::Command;

use crate::cache;
use crate::command::output;
use crate::error::{Result, RigError, Trying};

/// Fetches the newest Debian kernel of the line `name` into `dir`.
pub(crate) fn fetch(name: &str, dir: &Path, say: &dyn Fn(&str)) -> Result<()> {
    let release = newest_release(name)?;
    say(&format!("fetching Debian's kernel {release}"));
    cache::make_dir(dir, |made| {
        let packages = packages_of(&release)?;
        let unpacked = made.join("unpacked");
        download(&packages, made, &unpacked)?;
        say(&format!("unpacking kernel {release}"));
        keep_what_is_needed(&unpacked, made, &release)?;
        relocate(made, dir, &release)
    })
}

/// The newest package of a line that apt offers: for `6.12-rt`, of all
/// `linux-image-6.12.…-rt-amd64`, without the cloud and unsigned ones.
fn newest_release(name: &str) -> Result<String> {
    let (version, flavour) = match name.strip_suffix("-rt") {
        Some(version) => (version, "-rt-amd64"),
        None => (name, "-amd64"),
    };
    let prefix = format!("linux-image-{version}.");
    let names = output(Command::new("apt-cache").args(["pkgnames", &prefix]), "apt")?;
    names
        .lines()
        .filter_map(|package| package.strip_prefix("linux-image-"))
        .filter(|release| is_flavour(release, version, flavour))
        .max_by_key(|release| version_key(release))
        .map(str::to_owned)
        .ok_or_else(|| {
            RigError::unready(
                format!("apt offers no kernel {name} (no package {prefix}*{flavour})"),
                "run apt-get update; kernels newer than the release need its -backports suite in apt's sources",
            )
        })
}

/// Between the version and the flavour stand only digits, dots, `-` and `+debN`.
fn is_flavour(release: &str, version: &str, flavour: &str) -> bool {
    release
        .strip_prefix(version)
        .and_then(|rest| rest.strip_suffix(flavour))
        .is_some_and(|middle| !middle.contains("-rt") && !middle.contains("cloud"))
}

/// The numbers of a version in order, to compare by.
pub(crate) fn version_key(release: &str) -> (Vec<u64>, String) {
    let numbers = release
        .split(|c: char| !c.is_ascii_digit())
        .filter_map(|number| number.parse().ok())
        .collect();
    (numbers, release.to_owned())
}

/// Image and headers, and what the headers stand on.
fn packages_of(release: &str) -> Result<Vec<String>> {
    let headers = format!("linux-headers-{release}");
    let depends = output(Command::new("apt-cache").args(["depends", &headers]), "apt")?;
    let base = depends
        .lines()
        .filter_map(|line| line.split_once("Depends: "))
        .map(|(_, package)| package.trim().to_owned())
        .filter(|package| package.contains("-common") || package.starts_with("linux-kbuild"));
    Ok([format!("linux-image-{release}"), headers].into_iter().chain(base).collect())
}

fn download(packages: &[String], into: &Path, unpacked: &Path) -> Result<()> {
    // Unsandboxed, because apt's own user cannot write into a private cache.
    let mut apt = Command::new("apt-get");
    apt.args(["-q", "-o", "APT::Sandbox::User=root", "download"]).args(packages);
    output(apt.current_dir(into), "apt")?;
    for entry in std::fs::read_dir(into).trying(|| format!("cannot read {}", into.display()))? {
        let path = entry.trying(|| "cannot read a directory".into())?.path();
        if path.extension().is_some_and(|extension| extension == "deb") {
            output(Command::new("dpkg").arg("-x").args([&path, unpacked]), "dpkg")?;
            std::fs::remove_file(&path).trying(|| format!("cannot remove {}", path.display()))?;
        }
    }
    Ok(())
}

fn keep_what_is_needed(unpacked: &Path, made: &Path, release: &str) -> Result<()> {
    let rename = |from: &str, to: &str| {
        let (from, to) = (unpacked.join(from), made.join(to));
        let parent = to.parent().unwrap_or(made);
        std::fs::create_dir_all(parent)
            .and_then(|()| std::fs::rename(&from, &to))
            .trying(|| format!("cannot move {} to {}", from.display(), to.display()))
    };
    // Debian moved the modules to /usr/lib with trixie.
    let modules = if unpacked.join("lib/modules").exists() { "lib" } else { "usr/lib" };
    rename(&format!("boot/vmlinuz-{release}"), "vmlinuz")?;
    rename(&format!("boot/config-{release}"), "config")?;
    rename(&format!("{modules}/modules"), "lib/modules")?;
    rename("usr/src", "usr/src")?;
    for entry in std::fs::read_dir(unpacked.join("usr/lib")).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with("linux-kbuild") {
            rename(&format!("usr/lib/{name}"), &format!("usr/lib/{name}"))?;
        }
    }
    std::fs::remove_dir_all(unpacked).trying(|| format!("cannot remove {}", unpacked.display()))?;
    let file = made.join("release");
    std::fs::write(&file, release).trying(|| format!("cannot write {}", file.display()))
}

/// The headers' makefile includes others by absolute path; they now lie in the
/// cache.
fn relocate(made: &Path, dir: &Path, release: &str) -> Result<()> {
    let makefile = made.join(format!("usr/src/linux-headers-{release}/Makefile"));
    let what = || format!("cannot adapt {}", makefile.display());
    let text = std::fs::read_to_string(&makefile).trying(what)?;
    let moved = text.replace("/usr/src/", &format!("{}/usr/src/", dir.display()));
    std::fs::write(&makefile, moved).trying(what)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_compare_by_number() {
        assert!(version_key("6.1.0-9-amd64") < version_key("6.1.0-56-amd64"));
        assert!(version_key("6.12.96+deb12-amd64") < version_key("6.12.117+deb12-amd64"));
    }

    #[test]
    fn only_the_asked_flavour_is_taken() {
        assert!(is_flavour("6.12.117+deb12-rt-amd64", "6.12", "-rt-amd64"));
        assert!(!is_flavour("6.12.117+deb12-rt-amd64", "6.12", "-amd64"));
        assert!(!is_flavour("6.12.117+deb12-cloud-amd64", "6.12", "-amd64"));
        assert!(!is_flavour("6.1.0-56-amd64-unsigned", "6.1", "-amd64"));
    }
}
