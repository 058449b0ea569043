// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The row of kernels between a good and a bad one: commits of a repository, or Debian's releases.

use std::path::Path;

use irqscope_rig::{Arch, git, offered};

use crate::cli::Bisect;
use crate::exit::{Exit, Trouble};

/// One kernel of the row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// A commit's whole hash, or a release.
    pub id: String,
    /// For people: the commit's short hash and subject.
    pub title: String,
    /// The kernel's name for a scenario.
    pub kernel: String,
}

/// A good kernel, and all after it up to a bad one.
#[derive(Debug)]
pub struct History {
    pub good: Candidate,
    /// Not empty; the last one is bad.
    pub after: Vec<Candidate>,
}

impl History {
    pub fn of(options: &Bisect) -> Result<Self, Trouble> {
        let (good, after) = match &options.git {
            Some(repository) => commits(repository, options)?,
            None => releases(options)?,
        };
        if after.is_empty() {
            let text = format!(
                "{} is not before {}: swap --good and --bad, or name another range",
                options.good, options.bad
            );
            return Err(Trouble::new(Exit::Usage, text));
        }
        Ok(Self { good, after })
    }
}

fn commits(repository: &Path, options: &Bisect) -> Result<(Candidate, Vec<Candidate>), Trouble> {
    let whole = repository.canonicalize().map_err(|error| {
        Trouble::new(Exit::Usage, format!("cannot open {}: {error}", repository.display()))
    })?;
    let parts: String = options.part.iter().map(|part| format!("+{part}")).collect();
    let candidate = |line: &str| {
        let (id, subject) = line.split_once(' ').unwrap_or((line, ""));
        let title = format!("{} {subject}", id.get(..12).unwrap_or(id));
        Candidate {
            id: id.to_owned(),
            title,
            kernel: format!("commit=git:{}@{id}{parts}", whole.display()),
        }
    };
    let format = "--format=%H %s";
    let good = format!("{}^{{commit}}", options.good);
    let good = git(&whole, &["log", "-1", format, "--end-of-options", &good])?;
    let range = format!("{}..{}", options.good, options.bad);
    // Of a merged branch the merge stands for all.
    let after =
        git(&whole, &["log", "--first-parent", "--reverse", format, "--end-of-options", &range])?;
    Ok((candidate(good.trim()), after.lines().map(candidate).collect()))
}

fn releases(options: &Bisect) -> Result<(Candidate, Vec<Candidate>), Trouble> {
    let arch = Arch::of_kernel(&options.good);
    let all = offered(arch, &|what| eprintln!("irqscope: {what}"))?;
    row(&all, &options.good, &options.bad)
}

/// Returns the releases of one flavour from `good` to `bad`, by version; a name stands for the
/// newest release that begins with it.
fn row(all: &[[String; 3]], good: &str, bad: &str) -> Result<(Candidate, Vec<Candidate>), Trouble> {
    let flavour = |release: &str| release.contains("-rt-");
    let mut known: Vec<(Vec<u64>, &str)> = all
        .iter()
        .map(|[_, release, version]| (numbers(version), release.as_str()))
        .filter(|(_, release)| flavour(release) == is_rt(good))
        .collect();
    known.sort();
    // A version that two suites have differs in little but its compiler.
    known.dedup_by(|one, before| one.0[..one.0.len().min(3)] == before.0[..before.0.len().min(3)]);
    let find = |name: &str| {
        let plain = Arch::without(name).trim_end_matches("-amd64");
        let wanted = numbers(plain.trim_end_matches("-rt"));
        known.iter().rposition(|(version, release)| {
            let of_release = release.strip_prefix(plain);
            let is_release =
                of_release.is_some_and(|rest| !rest.starts_with(char::is_alphanumeric));
            version.starts_with(&wanted) || is_release
        })
    };
    let place = |name: &str| {
        find(name).ok_or_else(|| {
            let text = format!("no suite of Debian's offers {name} with its headers");
            Trouble::new(Exit::Usage, text + "; irqscope kernel offered lists all")
        })
    };
    if is_rt(good) != is_rt(bad) {
        return Err(Trouble::new(
            Exit::Usage,
            "good and bad are of two flavours: name both with -rt, or none",
        ));
    }
    let (first, last) = (place(good)?, place(bad)?);
    let candidate = |(_, release): &(Vec<u64>, &str)| Candidate {
        id: (*release).to_owned(),
        title: (*release).to_owned(),
        kernel: format!(
            "release{}={release}",
            Arch::of_kernel(release).suffix().unwrap_or_default()
        ),
    };
    let after = known.get(first + 1..=last).unwrap_or_default();
    Ok((candidate(&known[first]), after.iter().map(candidate).collect()))
}

fn is_rt(name: &str) -> bool {
    name.split('-').any(|part| part == "rt")
}

/// Returns the numbers of Debian's version, `6.12.95-1~bpo12+1`, the upstream ones first.
fn numbers(version: &str) -> Vec<u64> {
    let upstream = version.split(['-', '~', '+']).next().unwrap_or_default();
    upstream.split('.').filter_map(|number| number.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offers() -> Vec<[String; 3]> {
        [
            ("6.12.95+deb12-amd64", "6.12.95-1~bpo12+1"),
            ("6.12.95+deb13-amd64", "6.12.95-1"),
            ("6.12.95+deb13-rt-amd64", "6.12.95-1"),
            ("6.12.107+deb13-amd64", "6.12.107-1"),
            ("6.1.0-50-amd64", "6.1.176-1"),
            ("6.12.117+deb13-amd64", "6.12.117-1"),
            ("7.2.6+deb13-amd64", "7.2.6-1~bpo13+1"),
        ]
        .map(|(release, version)| ["suite".into(), release.into(), version.into()])
        .to_vec()
    }

    #[test]
    fn releases_are_a_row_by_their_versions() {
        let (good, after) = row(&offers(), "6.12.95", "6.12.117").unwrap();
        assert!(good.id.starts_with("6.12.95"));
        let ids: Vec<&str> = after.iter().map(|one| one.id.as_str()).collect();
        assert_eq!(ids, ["6.12.107+deb13-amd64", "6.12.117+deb13-amd64"]);
        let (good, after) = row(&offers(), "6.1", "7.2").unwrap();
        assert_eq!((good.id.as_str(), after.len()), ("6.1.0-50-amd64", 4));
        assert!(row(&offers(), "6.12.117", "6.12.95").unwrap().1.is_empty());
        assert!(row(&offers(), "6.12.95", "5.10").is_err());
        assert!(row(&offers(), "6.12.95", "6.12.95-rt").is_err());
    }
}
