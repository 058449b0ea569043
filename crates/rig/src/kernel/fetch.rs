// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Fetching Debian's kernel packages with apt and unpacking them without
//! installing anything: image, modules, and headers moved so that they build.

use std::path::Path;
use std::process::Command;

use crate::arch::{Arch, Guest};
use crate::cache;
use crate::command::output;
use crate::error::{Result, RigError, Trying};

/// Fetches the newest Debian kernel of the line `name` into `dir`.
pub(crate) fn fetch(name: &str, dir: &Path, say: &dyn Fn(&str)) -> Result<()> {
    let apt = Apt::of(Arch::of_kernel(name), say)?;
    let release = newest_release(&apt, name)?;
    say(&format!("fetching Debian's kernel {release}"));
    cache::make_dir(dir, |made| {
        let unpacked = made.join("unpacked");
        // The tools of the build run here, whatever they build for.
        let (tools, packages): (Vec<_>, Vec<_>) = packages_of(&apt, &release)?
            .into_iter()
            .partition(|package| package.starts_with("linux-kbuild"));
        download(&apt, &packages, made, &unpacked)?;
        download(&Apt::own(), &tools, made, &unpacked)?;
        say(&format!("unpacking kernel {release}"));
        keep_what_is_needed(&unpacked, made, &release)?;
        relocate(made, &release)
    })
}

/// apt with the lists of one architecture.
struct Apt {
    /// A foreign one's: apt's own settings shall not learn of another architecture for the sake of
    /// a kernel that this machine never runs.
    lists: Option<tempfile::TempDir>,
    architecture: &'static str,
}

impl Apt {
    fn own() -> Self {
        Self { lists: None, architecture: Arch::X86_64.debian() }
    }

    fn of(arch: Arch, say: &dyn Fn(&str)) -> Result<Self> {
        if !arch.foreign() {
            return Ok(Self::own());
        }
        let lists = tempfile::tempdir().trying(|| "cannot create a directory for lists".into())?;
        for place in ["lists/partial", "cache/archives/partial"] {
            std::fs::create_dir_all(lists.path().join(place))
                .trying(|| "cannot create a directory for lists".into())?;
        }
        let apt = Self { lists: Some(lists), architecture: arch.debian() };
        say(&format!("fetching the lists of packages for {}", apt.architecture));
        output(apt.command("apt-get").args(["-q", "update"]), "apt")?;
        Ok(apt)
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        // Unsandboxed, because apt's own user cannot write into a private directory.
        command.args(["-o", "APT::Sandbox::User=root"]);
        if let Some(lists) = &self.lists {
            let path = lists.path().display();
            let architecture = self.architecture;
            for option in [
                format!("Dir::State::lists={path}/lists"),
                format!("Dir::Cache={path}/cache"),
                "Dir::State::status=/dev/null".to_owned(),
                format!("APT::Architecture={architecture}"),
                format!("APT::Architectures={architecture}"),
            ] {
                command.args(["-o", &option]);
            }
        }
        command
    }
}

/// Returns the newest package of a line that apt offers: for `6.12-rt`, of all
/// `linux-image-6.12.…-rt-amd64`, without the cloud and unsigned ones.
fn newest_release(apt: &Apt, name: &str) -> Result<String> {
    let debian = Arch::of_kernel(name).debian();
    let line = Arch::without(name);
    let (version, flavour) = match line.strip_suffix("-rt") {
        Some(version) => (version, format!("-rt-{debian}")),
        None => (line, format!("-{debian}")),
    };
    let prefix = format!("linux-image-{version}.");
    let names = output(apt.command("apt-cache").args(["pkgnames", &prefix]), "apt")?;
    names
        .lines()
        .filter_map(|package| package.strip_prefix("linux-image-"))
        .filter(|release| is_flavour(release, version, &flavour))
        .max_by_key(|release| version_key(release))
        .map(str::to_owned)
        .ok_or_else(|| {
            RigError::unready(
                format!("apt offers no kernel {name} (no package {prefix}*{flavour})"),
                "run apt-get update; kernels newer than the release need its -backports suite in apt's sources",
            )
        })
}

/// Returns whether a release has this flavour: between the version and the flavour stand only
/// digits, dots, `-` and `+debN`.
fn is_flavour(release: &str, version: &str, flavour: &str) -> bool {
    release
        .strip_prefix(version)
        .and_then(|rest| rest.strip_suffix(flavour))
        .is_some_and(|middle| !middle.contains("-rt") && !middle.contains("cloud"))
}

/// Returns the numbers of a version in order, to compare by.
pub(crate) fn version_key(release: &str) -> (Vec<u64>, String) {
    let numbers = release
        .split(|c: char| !c.is_ascii_digit())
        .filter_map(|number| number.parse().ok())
        .collect();
    (numbers, release.to_owned())
}

/// Returns image and headers, and the packages that the headers depend on.
fn packages_of(apt: &Apt, release: &str) -> Result<Vec<String>> {
    let headers = format!("linux-headers-{release}");
    let depends = output(apt.command("apt-cache").args(["depends", &headers]), "apt")?;
    let base = depends
        .lines()
        .filter_map(|line| line.split_once("Depends: "))
        .map(|(_, package)| package.trim().to_owned())
        .filter(|package| package.contains("-common") || package.starts_with("linux-kbuild"));
    Ok([format!("linux-image-{release}"), headers].into_iter().chain(base).collect())
}

fn download(apt: &Apt, packages: &[String], into: &Path, unpacked: &Path) -> Result<()> {
    let mut get = apt.command("apt-get");
    output(get.args(["-q", "download"]).args(packages).current_dir(into), "apt")?;
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

/// Rewrites the headers' makefile, which includes others by absolute path: they now lie beside it,
/// wherever the cache is.
fn relocate(made: &Path, release: &str) -> Result<()> {
    let makefile = made.join(format!("usr/src/linux-headers-{release}/Makefile"));
    let what = || format!("cannot adapt {}", makefile.display());
    let text = std::fs::read_to_string(&makefile).trying(what)?;
    let moved = text.replace("/usr/src/", "$(dir $(lastword $(MAKEFILE_LIST)))../");
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
