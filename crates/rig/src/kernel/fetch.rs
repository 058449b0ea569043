// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Fetching Debian's kernel packages: the suites are looked through for the newest kernel that a
//! name wants, and one whose files the archive no longer has is passed over.

use std::path::Path;

use super::apt::{Apt, Fetched, Offer, reason};
use super::debian::{DebianName, SUITES, Suite, suites_for, version_key};
use super::packages::{arrange, unpacked, write_origin};
use crate::arch::{Arch, Guest};
use crate::cache;
use crate::error::{Result, RigError};

/// Fetches the newest of Debian's kernels that `name` wants into `dir`.
pub(crate) fn fetch(
    name: &str,
    wanted: &DebianName<'_>,
    dir: &Path,
    say: &dyn Fn(&str),
) -> Result<()> {
    let mut why = None;
    for suite in suites_for(wanted.suite, &codename()) {
        let Some(apt) = list_of(suite, wanted.arch, &mut why, say) else { continue };
        for release in releases(&apt, wanted)? {
            say(&format!("fetching Debian's kernel {release} of {}", suite.name));
            let made = cache::make_dir(dir, |made| {
                let (tools, packages) = packages_of(&apt, &release)?;
                let mut fetched = apt.unpack(&packages, &unpacked(made), &[])?;
                // The tools of the build run here, whatever they build for.
                let own = match wanted.arch.foreign() {
                    true => &Apt::of(suite, Arch::X86_64.debian(), say)?,
                    false => &apt,
                };
                fetched.extend(own.unpack(&tools, &unpacked(made), &[])?);
                arrange(made)?;
                fetched.extend(super::tools::fit(made, &|| libraries(suite, say))?);
                write_origin(made, &origin(suite.name, &fetched))
            });
            match made {
                Ok(()) => return Ok(()),
                Err(error) => {
                    let why_not = reason(&error);
                    say(&format!("kernel {release} of {} cannot be had: {why_not}", suite.name));
                    why = why.or(Some(error));
                }
            }
        }
    }
    Err(why.unwrap_or_else(|| {
        let place = wanted.suite.unwrap_or("Debian's suites from bullseye to sid");
        RigError::unready(
            format!("there is no kernel {name} with its headers in {place}"),
            "irqscope kernel offered lists what there is; name a line (6.12), a version \
             (6.12.95), -rt behind it for PREEMPT_RT, a suite before it (sid-7.2)",
        )
    }))
}

/// Lists the kernels with headers that all suites offer: suite, release, package's version.
///
/// # Errors
/// A list of packages cannot be fetched.
pub(crate) fn offered(arch: Arch, say: &dyn Fn(&str)) -> Result<Vec<[String; 3]>> {
    let (mut all, mut why) = (Vec::new(), None);
    for suite in suites_for(None, "bullseye") {
        let Some(apt) = list_of(suite, arch, &mut why, say) else { continue };
        let mut offers = with_headers(&apt, "")?;
        offers.sort_by_key(|(release, _)| version_key(release));
        all.extend(
            offers.into_iter().map(|(release, version)| [suite.name.into(), release, version]),
        );
    }
    match why {
        Some(error) if all.is_empty() => Err(error),
        _ => Ok(all),
    }
}

/// Returns apt for a suite; `None` if its list cannot be had, which is then the reason why no kernel is
/// found, unless there is an earlier one.
fn list_of(
    suite: &Suite,
    arch: Arch,
    why: &mut Option<RigError>,
    say: &dyn Fn(&str),
) -> Option<Apt> {
    let apt = Apt::of(suite, arch.debian(), say);
    apt.map_err(|error| {
        say(&format!("{} is left out: {}", suite.name, reason(&error)));
        why.get_or_insert(error);
    })
    .ok()
}

fn releases(apt: &Apt, wanted: &DebianName<'_>) -> Result<Vec<String>> {
    let mut found: Vec<String> = with_headers(apt, &format!("{}.", wanted.line()))?
        .into_iter()
        .filter(|(release, version)| wanted.wants(release, version))
        .map(|(release, _)| release)
        .collect();
    found.sort_by_key(|release| std::cmp::Reverse(version_key(release)));
    Ok(found)
}

/// Returns release and version of the kernels that have headers, too.
fn with_headers(apt: &Apt, line: &str) -> Result<Vec<(String, String)>> {
    let headers = apt.offers(&format!("linux-headers-{line}"))?;
    let release = |offer: Offer| {
        let release = offer.package.strip_prefix("linux-image-")?.to_owned();
        let name = format!("linux-headers-{release}");
        // The packages that follow a line to its newest kernel have names without its whole version.
        let is_whole = version_key(&release).0.len() > 3;
        (is_whole && headers.iter().any(|offer| offer.package == name))
            .then_some((release, offer.version))
    };
    Ok(apt.offers(&format!("linux-image-{line}"))?.into_iter().filter_map(release).collect())
}

/// Returns the tools of the build, and image, headers and what both consist of.
fn packages_of(apt: &Apt, release: &str) -> Result<(Vec<String>, Vec<String>)> {
    let [image, headers] = ["image", "headers"].map(|kind| format!("linux-{kind}-{release}"));
    let mut packages = vec![image.clone(), headers.clone()];
    for whole in [image, headers] {
        packages.extend(apt.depends(&whole)?.into_iter().filter(|name| is_part(name)));
    }
    packages.sort();
    packages.dedup();
    Ok(packages.into_iter().partition(|name| name.starts_with("linux-kbuild-")))
}

/// Returns whether a package has a part of a kernel. Since 6.19 image and modules are packages of
/// their own.
fn is_part(package: &str) -> bool {
    let kinds =
        ["linux-base-", "linux-binary-", "linux-modules-", "linux-headers-", "linux-kbuild-"];
    kinds.iter().any(|kind| package.starts_with(kind))
}

fn origin(suite: &str, fetched: &[Fetched]) -> Vec<String> {
    let suite = format!("Debian {suite}");
    [suite].into_iter().chain(fetched.iter().map(|one| one.origin.clone())).collect()
}

/// Returns apt for the whole suite that a kernel's tools were built in.
fn libraries(suite: &Suite, say: &dyn Fn(&str)) -> Result<Apt> {
    let whole = SUITES.iter().find(|whole| Some(whole.name) == suite.base).unwrap_or(suite);
    Apt::of(whole, Arch::X86_64.debian(), say)
}

/// Returns the name of the release that the host runs, if it is a Debian.
pub(crate) fn codename() -> String {
    let text = std::fs::read_to_string("/etc/os-release").unwrap_or_default();
    let name = text.lines().find_map(|line| line.strip_prefix("VERSION_CODENAME="));
    name.unwrap_or_default().trim_matches('"').to_owned()
}
