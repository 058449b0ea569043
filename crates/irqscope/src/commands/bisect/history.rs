// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The row of kernels between a good and a bad one, whichever comes first: commits of a repository,
//! or Debian's releases.

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

/// Says which kernel of a row is sought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sought {
    /// The first bad one, behind a good one.
    Regression,
    /// The first good one, behind a bad one.
    Fix,
}

impl Sought {
    /// Returns the words for a kernel that is like the earlier end and for one like the later end.
    pub fn words(self) -> [&'static str; 2] {
        match self {
            Self::Regression => ["good", "bad"],
            Self::Fix => ["bad", "good"],
        }
    }

    /// Returns git's words for the two, which takes a good one before a bad one for a mistake.
    pub fn terms(self) -> [&'static str; 2] {
        match self {
            Self::Regression => self.words(),
            Self::Fix => ["broken", "fixed"],
        }
    }
}

/// The earlier one of a good and a bad kernel, and all after it up to the other one.
#[derive(Debug)]
pub struct History {
    pub sought: Sought,
    pub earlier: Candidate,
    /// Not empty; the last one is the later end.
    pub after: Vec<Candidate>,
}

impl History {
    pub fn of(options: &Bisect) -> Result<Self, Trouble> {
        let (good, bad) = (options.good.as_str(), options.bad.as_str());
        let all = match &options.git {
            Some(_) => Vec::new(),
            None => offered(Arch::of_kernel(good), &|what| eprintln!("irqscope: {what}"))?,
        };
        for (sought, from, to) in [(Sought::Regression, good, bad), (Sought::Fix, bad, good)] {
            let (earlier, after) = match &options.git {
                Some(repository) => commits(repository, &options.part, from, to)?,
                None => row(&all, from, to)?,
            };
            if !after.is_empty() {
                return Ok(Self { sought, earlier, after });
            }
        }
        let text = match &options.git {
            Some(_) => format!(
                "neither of {good} and {bad} comes from the other: name a commit that one of them \
                 comes from; git merge-base {good} {bad} says where they part"
            ),
            None => format!("{good} and {bad} are the same kernel: name another range"),
        };
        Err(Trouble::new(Exit::Usage, text))
    }

    /// Returns the later end.
    pub fn later(&self) -> &Candidate {
        self.after.last().unwrap_or(&self.earlier)
    }
}

/// Returns a commit and those after it up to another one; none where the first is not an ancestor
/// of the other.
fn commits(
    repository: &Path,
    parts: &[String],
    from: &str,
    to: &str,
) -> Result<(Candidate, Vec<Candidate>), Trouble> {
    let whole = repository.canonicalize().map_err(|error| {
        Trouble::new(Exit::Usage, format!("cannot open {}: {error}", repository.display()))
    })?;
    let parts: String = parts.iter().map(|part| format!("+{part}")).collect();
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
    let commit = |name: &str| {
        let name = format!("{name}^{{commit}}");
        git(&whole, &["log", "-1", format, "--end-of-options", &name])
            .map(|line| candidate(line.trim()))
    };
    let (earlier, later) = (commit(from)?, commit(to)?);
    let base = git(&whole, &["merge-base", "--all", &earlier.id, &later.id]).unwrap_or_default();
    if base.trim() != earlier.id {
        return Ok((earlier, Vec::new()));
    }
    let range = format!("{}..{}", earlier.id, later.id);
    // Of a merged branch the merge stands for all.
    let after =
        git(&whole, &["log", "--first-parent", "--reverse", format, "--end-of-options", &range])?;
    Ok((earlier, after.lines().map(candidate).collect()))
}

/// Returns `from`, and the releases of its flavour behind it up to `to`, by version; a name stands for
/// the newest release that begins with it.
fn row(all: &[[String; 3]], from: &str, to: &str) -> Result<(Candidate, Vec<Candidate>), Trouble> {
    let flavour = |release: &str| release.contains("-rt-");
    let mut known: Vec<(Vec<u64>, &str)> = all
        .iter()
        .map(|[_, release, version]| (numbers(version), release.as_str()))
        .filter(|(_, release)| flavour(release) == is_rt(from))
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
    if is_rt(from) != is_rt(to) {
        return Err(Trouble::new(
            Exit::Usage,
            "good and bad are of two flavours: name both with -rt, or none",
        ));
    }
    let (first, last) = (place(from)?, place(to)?);
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
    fn commits_are_a_row_only_from_an_ancestor() {
        let dir = tempfile::tempdir().unwrap();
        let run = |args: &[&str]| git(dir.path(), args).unwrap();
        run(&["init", "-q"]);
        let commit = |text: &str| {
            let author = ["-c", "user.name=a", "-c", "user.email=a@b"];
            run(&[&author[..], &["commit", "-q", "--allow-empty", "-m", text]].concat());
            run(&["tag", text]);
        };
        ["one", "two", "three"].into_iter().for_each(commit);
        run(&["checkout", "-q", "one"]);
        commit("aside");
        let titles = |from: &str, to: &str| {
            let (earlier, after) = commits(dir.path(), &["rt".to_owned()], from, to).unwrap();
            let one = |one: &Candidate| one.title.rsplit(' ').next().unwrap().to_owned();
            assert!(earlier.kernel.ends_with("+rt"));
            (one(&earlier), after.iter().map(one).collect::<Vec<_>>())
        };
        assert_eq!(titles("one", "three"), ("one".into(), vec!["two".into(), "three".into()]));
        assert_eq!(titles("three", "one"), ("three".into(), vec![]));
        assert_eq!(titles("two", "two"), ("two".into(), vec![]));
        assert_eq!(titles("aside", "three"), ("aside".into(), vec![]));
        assert!(commits(dir.path(), &[], "one", "nowhere").is_err());
    }

    #[test]
    fn releases_are_a_row_by_their_versions() {
        let (earlier, after) = row(&offers(), "6.12.95", "6.12.117").unwrap();
        assert!(earlier.id.starts_with("6.12.95"));
        let ids: Vec<&str> = after.iter().map(|one| one.id.as_str()).collect();
        assert_eq!(ids, ["6.12.107+deb13-amd64", "6.12.117+deb13-amd64"]);
        let (earlier, after) = row(&offers(), "6.1", "7.2").unwrap();
        assert_eq!((earlier.id.as_str(), after.len()), ("6.1.0-50-amd64", 4));
        assert!(row(&offers(), "6.12.117", "6.12.95").unwrap().1.is_empty());
        assert!(row(&offers(), "6.12.95", "5.10").is_err());
        assert!(row(&offers(), "6.12.95", "6.12.95-rt").is_err());
    }
}
