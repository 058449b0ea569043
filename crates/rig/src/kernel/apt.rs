// SPDX-License-Identifier: Apache-2.0 OR MIT
//! apt with lists of its own, one directory in the cache for each suite and architecture: the
//! host's settings are neither used nor changed, whatever release it runs.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

use super::debian::Suite;
use crate::arch::{Arch, Guest};
use crate::cache;
use crate::command::output;
use crate::deb;
use crate::downloads;
use crate::error::{Result, RigError, Trying};

/// The keys of Debian's archive, of which package `debian-archive-keyring` has those of all suites.
const KEYS: &str = "/usr/share/keyrings/debian-archive-keyring.gpg";
/// Lists that are older are fetched again.
const FRESH: Duration = Duration::from_secs(24 * 3600);
/// Where Debian's archive is, if the host's apt knows no nearer place. It is Debian's own address.
const ARCHIVE: &str = "http://deb.debian.org/debian";

/// The name of an architecture for which a suite has source packages.
pub(crate) const SOURCE: &str = "source";

/// apt for one suite and architecture.
#[derive(Debug)]
pub(crate) struct Apt {
    dir: PathBuf,
    architecture: &'static str,
}

/// A package that a suite offers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Offer {
    pub package: String,
    pub version: String,
}

/// A package as it was fetched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fetched {
    pub file: PathBuf,
    /// `linux-image-6.1.0-56-amd64 6.1.192-1 SHA256:…`
    pub origin: String,
}

impl Apt {
    /// Returns apt for a suite, with lists that are not older than a day.
    pub fn of(suite: &Suite, architecture: &'static str, say: &dyn Fn(&str)) -> Result<Self> {
        if !Path::new(KEYS).exists() {
            return Err(RigError::unready(
                format!("the keys of Debian's archive are missing ({KEYS})"),
                "apt-get install debian-archive-keyring",
            ));
        }
        let dir = cache::root()?.join("apt").join(format!("{}-{architecture}", suite.name));
        let apt = Self { dir, architecture };
        let _alone = cache::only_one(&apt.dir)?;
        if apt.is_fresh() {
            return Ok(apt);
        }
        if !apt.stamp().exists() {
            let what = format!("the list of {}'s packages for {architecture}", suite.name);
            downloads::check_allowed(&what, "SCENARIO")?;
        }
        for place in ["lists/partial", "archives/archives/partial"] {
            let place = apt.dir.join(place);
            std::fs::create_dir_all(&place)
                .trying(|| format!("cannot create {}", place.display()))?;
        }
        if downloads::are_downloads_forbidden() {
            return Ok(apt);
        }
        say(&format!("fetching the list of {}'s packages for {architecture}", suite.name));
        let fetched = apt.update(suite).or_else(|error| {
            let Some(security) = suite.security else { return Err(error) };
            // A mirror that has no whole list of the updates for this architecture has the suite's own.
            apt.update(&Suite { security: None, ..*suite })?;
            say(&format!("going on without {security}: {}", reason(&error)));
            Ok(())
        });
        match fetched {
            Ok(()) => {
                std::fs::write(apt.stamp(), "").trying(|| "cannot write into the cache".into())?
            }
            Err(error) if !apt.stamp().exists() => return Err(error),
            Err(error) => {
                say(&format!("{} (going on with the list of an earlier day)", reason(&error)))
            }
        }
        Ok(apt)
    }

    /// Fetches the lists of a suite and its security updates.
    fn update(&self, suite: &Suite) -> Result<()> {
        let sources = self.dir.join("sources.list");
        std::fs::write(&sources, sources_list(suite, self.architecture, &mirror()))
            .trying(|| format!("cannot write {}", sources.display()))?;
        let mut update = self.command("apt-get");
        output(update.args(["-q", "update", "-o", "APT::Update::Error-Mode=any"]), "apt").map(drop)
    }

    /// Returns its entry in the cache.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    fn stamp(&self) -> PathBuf {
        self.dir.join("updated")
    }

    fn is_fresh(&self) -> bool {
        let updated = self.stamp().metadata().and_then(|stamp| stamp.modified());
        updated.is_ok_and(|at| SystemTime::now().duration_since(at).is_ok_and(|age| age < FRESH))
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        let dir = self.dir.display();
        // Sources have no architecture, and apt does not work without one.
        let architecture =
            if self.architecture == SOURCE { Arch::X86_64.debian() } else { self.architecture };
        for option in [
            // Unsandboxed, because apt's own user cannot write into a private directory.
            "APT::Sandbox::User=root".to_owned(),
            format!("Dir::State::lists={dir}/lists"),
            format!("Dir::Cache={dir}/archives"),
            "Dir::State::status=/dev/null".to_owned(),
            format!("Dir::Etc::sourcelist={dir}/sources.list"),
            "Dir::Etc::sourceparts=/dev/null".to_owned(),
            format!("APT::Architecture={architecture}"),
            format!("APT::Architectures={architecture}"),
            "Acquire::Languages=none".to_owned(),
            // Lists for software centres, which some hosts' settings ask for.
            "Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false".to_owned(),
            // A mirror that keeps a day's state is what makes kernels repeatable.
            "Acquire::Check-Valid-Until=false".to_owned(),
        ] {
            command.args(["-o", &option]);
        }
        command
    }

    /// Returns all packages whose names begin so, each with its versions.
    pub fn offers(&self, beginning: &str) -> Result<Vec<Offer>> {
        let pattern = format!("^{}", beginning.replace('.', "\\.").replace('+', "\\+"));
        let mut search = self.command("apt-cache");
        let text = output(search.args(["search", "--full", "--names-only", &pattern]), "apt")?;
        let field = |stanza: &str, name: &str| {
            stanza
                .lines()
                .find_map(|line| line.strip_prefix(name).map(|value| value.trim().to_owned()))
        };
        let offer = |stanza: &str| {
            Some(Offer { package: field(stanza, "Package:")?, version: field(stanza, "Version:")? })
        };
        Ok(text.split("\n\n").filter_map(offer).collect())
    }

    /// Returns all versions of a source package; the suite may have none of this name.
    pub fn source_versions(&self, package: &str) -> Result<Vec<String>> {
        let mut show = self.command("apt-cache");
        let text = match output(show.args(["showsrc", "--only-source", package]), "apt") {
            Ok(text) => text,
            Err(error) if first_unknown(&error).is_some() => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        Ok(text.lines().filter_map(|line| Some(line.strip_prefix("Version: ")?.into())).collect())
    }

    /// Fetches a source package into a directory, which apt checks against the archive's signature;
    /// returns a line for each file: its name and its digest.
    pub fn download_source(
        &self,
        package: &str,
        version: &str,
        into: &Path,
    ) -> Result<Vec<String>> {
        let wanted = format!("{package}={version}");
        let mut get = self.command("apt-get");
        let listed = output(get.args(["-q", "--print-uris", "source", &wanted]), "apt")?;
        let mut get = self.command("apt-get");
        output(get.args(["-q", "--download-only", "source", &wanted]).current_dir(into), "apt")?;
        let line = |line: &str| match line.split(' ').collect::<Vec<_>>()[..] {
            [uri, file, _, digest] if uri.starts_with('\'') => Some(format!("{file} {digest}")),
            _ => None,
        };
        Ok(listed.lines().filter_map(line).collect())
    }

    /// Returns the packages that a package directly depends on.
    pub fn depends(&self, package: &str) -> Result<Vec<String>> {
        let text = output(self.command("apt-cache").args(["depends", package]), "apt")?;
        let name = |line: &str| Some(line.split_once("Depends: ")?.1.trim().to_owned());
        Ok(text.lines().filter_map(name).collect())
    }

    /// Returns packages with all that they depend on, as they would be fetched.
    pub fn closure(&self, packages: &[String]) -> Result<Vec<Fetched>> {
        let mut get = self.command("apt-get");
        get.args(["-qq", "-y", "--no-install-recommends", "--print-uris", "install"])
            .args(packages);
        let listed = output(&mut get, "apt").map_err(|error| match first_unknown(&error) {
            Some(name) => RigError::unready(
                format!("{} has no package {name} for {}", self.suite(), self.architecture),
                "look for its name at packages.debian.org, or name another suite, as in NAME/bookworm",
            ),
            None => error,
        })?;
        // Here apt prints weaker digests than of a download.
        let wanted: Vec<String> =
            all_fetched(&listed, Path::new(""))?.iter().map(Fetched::wanted).collect();
        self.listed(&wanted, Path::new(""))
    }

    /// Returns packages as they would be fetched into a directory.
    fn listed(&self, packages: &[String], into: &Path) -> Result<Vec<Fetched>> {
        let mut get = self.command("apt-get");
        get.args(["-q", "--print-uris", "download"]).args(packages);
        all_fetched(&output(&mut get, "apt")?, into)
    }

    fn suite(&self) -> String {
        let name = self.dir.file_name().unwrap_or_default().to_string_lossy();
        name.trim_end_matches(self.architecture).trim_end_matches('-').to_owned()
    }

    /// Fetches packages into a directory, which apt checks against the archive's signature.
    pub fn download(&self, packages: &[String], into: &Path) -> Result<Vec<Fetched>> {
        if packages.is_empty() {
            return Ok(Vec::new());
        }
        let what = format!("{} of {}", packages.join(" "), self.suite());
        downloads::check_allowed(&what, "SCENARIO")?;
        let listed = self.listed(packages, into)?;
        let mut get = self.command("apt-get");
        output(get.args(["-q", "download"]).args(packages).current_dir(into), "apt")?;
        Ok(listed)
    }

    /// Fetches packages and unpacks them over each other into a directory, as [`deb::unpack`] does.
    pub fn unpack(
        &self,
        packages: &[String],
        into: &Path,
        left_out: &[String],
    ) -> Result<Vec<Fetched>> {
        let place = tempfile::tempdir().trying(|| "cannot create a directory".into())?;
        let fetched = self.download(packages, place.path())?;
        let files: Vec<_> = fetched.iter().map(|one| &one.file).collect();
        deb::unpack(&files, into, left_out)?;
        Ok(fetched)
    }
}

/// Reads all lines of packages that apt prints.
fn all_fetched(printed: &str, into: &Path) -> Result<Vec<Fetched>> {
    printed.lines().filter(|line| line.starts_with('\'')).map(|line| fetched(line, into)).collect()
}

/// Reads `'URI' FILE SIZE DIGEST`.
fn fetched(line: &str, into: &Path) -> Result<Fetched> {
    let words: Vec<&str> = line.split(' ').collect();
    let [_, file, _, digest] = words[..] else {
        return Err(RigError::unready(
            format!("apt says {line:?}"),
            "use apt of Debian 12 or later",
        ));
    };
    let mut parts = file.trim_end_matches(".deb").split('_');
    let (package, version) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let origin = format!("{package} {} {digest}", version.replace("%3a", ":"));
    Ok(Fetched { file: into.join(file), origin })
}

impl Fetched {
    /// Returns it as apt is asked for exactly this version.
    pub fn wanted(&self) -> String {
        let mut words = self.origin.split(' ');
        let (name, version) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        format!("{name}={version}")
    }
}

/// Returns the package that apt says there is none of.
fn first_unknown(error: &RigError) -> Option<String> {
    let text = error.to_string();
    let rest = text.split("Unable to locate package ").nth(1)?;
    Some(rest.split_whitespace().next()?.to_owned())
}

/// Returns the line that says why apt failed; the first one, where another program did.
pub(crate) fn reason(error: &RigError) -> String {
    let text = error.to_string();
    let of_apt = text.lines().find_map(|line| line.trim_start().strip_prefix("E: "));
    of_apt.or(text.lines().next()).unwrap_or_default().to_owned()
}

/// Returns the address of the archive that the host's own apt uses, where it is Debian's.
fn mirror() -> String {
    let mut targets = Command::new("apt-get");
    targets.args(["indextargets", "--format", "$(ORIGIN) $(REPO_URI)", "Created-By: Packages"]);
    let said = output(&mut targets, "apt").unwrap_or_default();
    let uri = said
        .lines()
        .find_map(|line| line.strip_prefix("Debian ").filter(|uri| !uri.contains("security")));
    uri.map_or_else(|| ARCHIVE.to_owned(), |uri| uri.trim_end_matches('/').to_owned())
}

fn sources_list(suite: &Suite, architecture: &str, mirror: &str) -> String {
    let kind = if architecture == SOURCE { "deb-src" } else { "deb" };
    let line =
        |archive: &str, name: &str| format!("{kind} [signed-by={KEYS}] {archive} {name} main\n");
    let security = suite.security.map(|name| line(&format!("{mirror}-security"), name));
    line(mirror, suite.name) + &security.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_name_a_suite_and_its_security_updates() {
        let suite = |security| Suite { name: "trixie", security, base: None };
        let text = sources_list(&suite(Some("trixie-security")), "amd64", "http://a/debian");
        assert!(text.starts_with("deb ["), "{text}");
        let lines: Vec<&str> = text.lines().map(|line| line.split_once("] ").unwrap().1).collect();
        assert_eq!(
            lines,
            ["http://a/debian trixie main", "http://a/debian-security trixie-security main"]
        );
        let text = sources_list(&suite(None), SOURCE, "http://a/debian");
        assert!(text.lines().count() == 1 && text.starts_with("deb-src "), "{text}");
    }

    #[test]
    fn a_fetched_package_is_known_by_name_version_and_digest() {
        let line = "'http://x/y.deb' linux-image-7.3_7.3.4-1%3abpo_amd64.deb 105 SHA256:d56b";
        let found = fetched(line, Path::new("/tmp")).unwrap();
        assert_eq!(found.origin, "linux-image-7.3 7.3.4-1:bpo SHA256:d56b");
        assert!(fetched("'x' y", Path::new("/tmp")).is_err());
    }
}
