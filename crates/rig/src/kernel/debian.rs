// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Names of Debian's kernels: `6.12`, `6.12-rt`, `6.12.95`, `6.1.0-56-rt-amd64`, each with
//! `-arm64` or `-riscv64` behind it for another machine, and with a suite before it: `sid-7.2-rt`.

use crate::arch::{Arch, Guest};

/// A suite of Debian's archive, and what is read with it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Suite {
    pub name: &'static str,
    /// The suite with its security updates.
    pub security: Option<&'static str>,
    /// The suite that it adds to, where it is not a whole one.
    pub base: Option<&'static str>,
}

const fn suite(name: &'static str, security: &'static str) -> Suite {
    Suite { name, security: Some(security), base: None }
}

const fn addition(name: &'static str, base: &'static str) -> Suite {
    Suite { name, security: None, base: Some(base) }
}

/// Newer ones come later.
pub(crate) const SUITES: [Suite; 7] = [
    suite("bullseye", "bullseye-security"),
    suite("bookworm", "bookworm-security"),
    addition("bookworm-backports", "bookworm"),
    suite("trixie", "trixie-security"),
    addition("trixie-backports", "trixie"),
    Suite { name: "sid", security: None, base: None },
    addition("experimental", "sid"),
];

/// A kernel of Debian's, as its name asks for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DebianName<'a> {
    /// The only suite that is looked in.
    pub suite: Option<&'static str>,
    /// `6.12`, `6.12.95` or `6.1.0-56`.
    pub version: &'a str,
    pub rt: bool,
    pub arch: Arch,
}

impl<'a> DebianName<'a> {
    /// Reads a name; `None`: it has another form.
    pub fn parse(name: &'a str) -> Option<Self> {
        let (suite, rest) = match SUITES.iter().rev().find_map(|suite| of_suite(name, suite.name)) {
            Some((suite, rest)) => (Some(suite), rest),
            None => (None, name),
        };
        let arch = Arch::of_kernel(rest);
        let rest = rest.strip_suffix("-amd64").unwrap_or(Arch::without(rest));
        let (version, rt) = match rest.strip_suffix("-rt") {
            Some(version) => (version, true),
            None => (rest, false),
        };
        is_version(version).then_some(Self { suite, version, rt, arch })
    }

    /// Returns whether a package of this release and version is what is asked for.
    pub fn wants(&self, release: &str, package_version: &str) -> bool {
        let flavour = if self.rt { "-rt" } else { "" };
        let Some(abi) = release.strip_suffix(&format!("{flavour}-{}", self.arch.debian())) else {
            return false;
        };
        has_no_flavour(abi) && (begins(abi, self.version) || begins(package_version, self.version))
    }

    /// Returns what the names of packages of this kernel begin with: its major and minor number.
    pub fn line(&self) -> String {
        self.version.splitn(3, ['.', '-']).take(2).collect::<Vec<_>>().join(".")
    }
}

fn of_suite<'a>(name: &'a str, suite: &'static str) -> Option<(&'static str, &'a str)> {
    Some((suite, name.strip_prefix(suite)?.strip_prefix('-')?))
        .filter(|(_, rest)| rest.starts_with(|c: char| c.is_ascii_digit()))
}

/// Returns whether a version is the other, or one of its line: `6.12.95+deb13` is one of `6.12.95`
/// and of `6.12`, not of `6.1`.
pub(crate) fn begins(version: &str, asked: &str) -> bool {
    version.strip_prefix(asked).is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_digit()))
}

/// Returns whether a text begins as `6.12` and goes on with what Debian's versions have.
fn is_version(text: &str) -> bool {
    let number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let good = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '+' | '~');
    let mut parts = text.splitn(2, '.');
    let (major, rest) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let minor = rest.split(['.', '-']).next().unwrap_or_default();
    number(major)
        && number(minor)
        && rest.chars().all(good)
        && !rest.contains("..")
        && rest.ends_with(|c: char| c.is_ascii_alphanumeric())
        && has_no_flavour(text)
}

/// Returns whether no part behind a dash is a word, as in `-rt` and `-cloud`.
fn has_no_flavour(version: &str) -> bool {
    !version.split('-').skip(1).any(|part| part.starts_with(char::is_alphabetic))
}

/// Returns the numbers of a version in order, to compare by.
pub(crate) fn version_key(release: &str) -> (Vec<u64>, String) {
    let numbers = release
        .split(|c: char| !c.is_ascii_digit())
        .filter_map(|number| number.parse().ok())
        .collect();
    (numbers, release.to_owned())
}

/// Returns the suites that are looked in, in their order: of a host that runs one of them first
/// that one and its backports, whose kernels its own compiler builds, then newer ones, then older
/// ones.
pub(crate) fn suites_for(asked: Option<&str>, codename: &str) -> Vec<&'static Suite> {
    if asked.is_some() {
        return SUITES.iter().filter(|suite| Some(suite.name) == asked).collect();
    }
    let own = SUITES.iter().position(|suite| suite.name == codename).unwrap_or(1);
    SUITES[own..].iter().chain(SUITES[..own].iter().rev()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_lines_versions_and_releases_of_suites() {
        let of = |name| DebianName::parse(name).unwrap();
        let rt = of("trixie-backports-7.3-rt-arm64");
        assert_eq!((rt.suite, rt.version, rt.rt), (Some("trixie-backports"), "7.3", true));
        assert_eq!(rt.arch, Arch::Arm64);
        assert_eq!(of("6.1.0-56-rt-amd64").version, "6.1.0-56");
        assert_eq!(of("6.12.95+deb13").version, "6.12.95+deb13");
        assert_eq!((of("sid-7.2").line(), of("6.1.0-56").line()), ("7.2".into(), "6.1".into()));
        for bad in [
            "",
            "6",
            "6.",
            "../6.1",
            "6.1-RT",
            "6.1-rt-rt",
            "6.1-arm64-rt",
            "linux",
            "sid",
            "6.1/.",
            "6.1..2",
        ] {
            assert_eq!(DebianName::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn a_name_wants_its_line_and_its_flavour() {
        let wants =
            |name, release, version| DebianName::parse(name).unwrap().wants(release, version);
        assert!(wants("6.12-rt", "6.12.117+deb12-rt-amd64", "6.12.117-1~bpo12+1"));
        assert!(!wants("6.12", "6.12.117+deb12-rt-amd64", "6.12.117-1"));
        assert!(!wants("6.12", "6.12.117+deb12-cloud-amd64", "6.12.117-1"));
        assert!(!wants("6.1", "6.12.117+deb12-amd64", "6.12.117-1"));
        assert!(!wants("6.1", "6.1.0-56-amd64-unsigned", "6.1.176-1"));
        assert!(!wants("6.1-arm64", "6.1.0-56-amd64", "6.1.176-1"));
        assert!(wants("6.12.95", "6.12.95+deb13-amd64", "6.12.95-1"));
        assert!(wants("6.1.176", "6.1.0-50-amd64", "6.1.176-1"));
        assert!(!wants("6.1.17", "6.1.0-50-amd64", "6.1.176-1"));
        assert!(wants("6.1.0-56-rt-amd64", "6.1.0-56-rt-amd64", "6.1.192-1"));
        assert!(wants("6.1", "6.1.0-0.deb11.48-amd64", "6.1.176-1~deb11u1"));
    }

    #[test]
    fn the_hosts_own_suite_comes_first() {
        let names = |codename| {
            suites_for(None, codename).iter().map(|suite| suite.name).collect::<Vec<_>>()
        };
        assert_eq!(names("bookworm")[..2], ["bookworm", "bookworm-backports"]);
        assert_eq!(names("trixie").last(), Some(&"bullseye"));
        assert_eq!(names("noble").len(), SUITES.len());
        assert_eq!(suites_for(Some("sid"), "bookworm").len(), 1);
    }

    #[test]
    fn versions_compare_by_number() {
        assert!(version_key("6.1.0-9-amd64") < version_key("6.1.0-56-amd64"));
        assert!(version_key("6.12.96+deb12-amd64") < version_key("6.12.117+deb12-amd64"));
    }
}
