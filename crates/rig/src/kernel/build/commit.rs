// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Commits of a repository, built one after the other in one tree in the cache, so that each
//! compiles only what differs from the one before. The repository itself is only read.

use std::path::{Path, PathBuf};
use std::process::Command;

use irqscope_scenario::KernelCommit;

use super::parts::Parts;
use super::{COMPILER, builds, check_tools, compile, compiler, keep};
use crate::cache;
use crate::command::output;
use crate::error::{Result, RigError, Trying};
use crate::kernel::driver::digest;
use crate::stop::Stop;

/// The end of the release of each: the same, so that commits which differ in no instruction give
/// the same samples.
const RELEASE: &str = "-irqscope";
const KEY_DIGITS: usize = 16;

/// A commit that is to be built.
struct Build<'a> {
    repository: &'a Path,
    /// Its whole hash.
    commit: String,
    /// That of its content.
    content: String,
    parts: Parts,
}

/// Returns the build's directory in the cache, built first if it is not there.
pub(crate) fn get(
    name: &str,
    asked: &KernelCommit,
    say: &dyn Fn(&str),
    stop: &Stop,
) -> Result<PathBuf> {
    let build = Build::of(asked)?;
    let dir = builds()?.join(format!("commit-{}", build.key(&compiler()?)));
    if cache::is_whole(&dir, say)? {
        return Ok(dir);
    }
    check_tools()?;
    let tree = tree(build.repository)?;
    let _alone = cache::only_one(&tree)?;
    if cache::is_whole(&dir, say)? {
        return Ok(dir);
    }
    cache::make_dir(&dir, |made| build.fill(name, &tree, made, say, stop))?;
    Ok(dir)
}

impl<'a> Build<'a> {
    fn of(asked: &'a KernelCommit) -> Result<Self> {
        let repository = asked.repository.as_path();
        let hash = |what: &str| {
            let revision = format!("{}^{{{what}}}", asked.revision);
            let said = git(
                repository,
                &["rev-parse", "--verify", "--quiet", "--end-of-options", &revision],
            );
            said.map(|said| said.trim().to_owned()).map_err(|_| {
                RigError::unready(
                    format!("{} has no commit {}", repository.display(), asked.revision),
                    "name a commit, branch or tag that the repository has; git fetch gets others",
                )
            })
        };
        let (commit, content) = (hash("commit")?, hash("tree")?);
        let makefile = git(repository, &["show", &format!("{commit}:Makefile")]);
        let parts = Parts::of(&asked.parts, makefile.ok().as_deref().and_then(line).as_deref())?;
        Ok(Self { repository, commit, content, parts })
    }

    fn key(&self, compiler: &str) -> String {
        let mut key = self.parts.key(&self.content, compiler);
        key.truncate(KEY_DIGITS);
        key
    }

    fn fill(
        &self,
        name: &str,
        tree: &Path,
        made: &Path,
        say: &dyn Fn(&str),
        stop: &Stop,
    ) -> Result<()> {
        say(&format!("checking out {:.12} for kernel {name}", self.commit));
        self.check_out(tree)?;
        remove_versions(tree)?;
        self.parts.patch(tree)?;
        stop.check()?;
        say(&format!("configuring kernel {name}"));
        self.parts.configure(tree, RELEASE, stop)?;
        compile::compile(tree, name, &self.parts.variables(), say, stop)?;
        keep::keep(tree, made, stop)?;
        let place = self.repository.display();
        let origin =
            format!("git {place} commit {} with {COMPILER}\n{}", self.commit, self.parts.lines());
        std::fs::write(made.join("origin"), origin).trying(|| "cannot write into the cache".into())
    }

    /// Brings the tree to the commit; what was built there stays.
    fn check_out(&self, tree: &Path) -> Result<()> {
        if !tree.join(".git").exists() {
            std::fs::create_dir_all(tree).trying(|| format!("cannot create {}", tree.display()))?;
            git(tree, &["init", "-q"])?;
        }
        // Objects are read where the repository has them.
        let objects = git(
            self.repository,
            &["rev-parse", "--path-format=absolute", "--git-path", "objects"],
        )?;
        let alternates = tree.join(".git/objects/info/alternates");
        std::fs::write(&alternates, objects)
            .trying(|| format!("cannot write {}", alternates.display()))?;
        // A patch may have added files. Those that a build made are ignored, and stay.
        git(tree, &["clean", "-fdq"])?;
        git(tree, &["-c", "advice.detachedHead=false", "checkout", "-qf", "--detach", &self.commit])
            .map(drop)
    }
}

/// Removes files that add to the release, which is to be the same for all commits.
fn remove_versions(tree: &Path) -> Result<()> {
    let entries = std::fs::read_dir(tree).trying(|| format!("cannot read {}", tree.display()))?;
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("localversion")) {
            std::fs::remove_file(&path).trying(|| format!("cannot remove {}", path.display()))?;
        }
    }
    Ok(())
}

/// Returns the line that a kernel's makefile says it is of, such as 6.12.
fn line(makefile: &str) -> Option<String> {
    let value = |name: &str| {
        let mut values =
            makefile.lines().filter_map(|line| line.strip_prefix(name)?.split_once('='));
        values.next().map(|(_, value)| value.trim())
    };
    Some(format!("{}.{}", value("VERSION")?, value("PATCHLEVEL")?))
}

/// Returns the tree for a repository.
fn tree(repository: &Path) -> Result<PathBuf> {
    let whole =
        repository.canonicalize().trying(|| format!("cannot open {}", repository.display()))?;
    let digest = digest([whole.as_os_str().as_encoded_bytes()]);
    Ok(cache::root()?.join("trees").join(&digest[..16]))
}

/// Runs git in a directory, and gives its standard output.
///
/// # Errors
/// There is no git, or it failed: its words are in the error.
pub fn git(dir: &Path, args: &[&str]) -> Result<String> {
    // A hook's environment would lead to another repository.
    let mut command = Command::new("git");
    for leak in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY"] {
        command.env_remove(leak);
    }
    output(command.arg("-C").arg(dir).args(args), "git").map_err(|error| match error {
        RigError::Unready { what, remedy } => {
            RigError::Unready { what: format!("git in {}: {what}", dir.display()), remedy }
        }
        other => other,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repository() -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        let run = |args: &[&str]| git(dir.path(), args).unwrap();
        run(&["init", "-q"]);
        for text in ["one", "two"] {
            std::fs::write(dir.path().join("file"), text).unwrap();
            run(&["add", "file"]);
            run(&["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", text]);
        }
        dir
    }

    fn commit(repository: &Path, revision: &str, parts: &[&str]) -> KernelCommit {
        KernelCommit {
            repository: repository.into(),
            revision: revision.into(),
            parts: parts.iter().map(|part| (*part).to_owned()).collect(),
        }
    }

    #[test]
    fn a_makefile_names_its_line() {
        let makefile = "# SPDX\nVERSION = 6\nPATCHLEVEL = 12\nSUBLEVEL = 117\nEXTRAVERSION =\n";
        assert_eq!(line(makefile).as_deref(), Some("6.12"));
        assert_eq!(line("all:\n"), None);
    }

    #[test]
    fn the_content_of_a_commit_decides_its_key() {
        let repository = repository();
        let key = |revision, parts: &[&str]| {
            Build::of(&commit(repository.path(), revision, parts)).unwrap().key("gcc")
        };
        let keys = [key("HEAD", &[]), key("HEAD~1", &[]), key("HEAD", &["lockdep"])];
        let distinct: std::collections::BTreeSet<_> = keys.iter().collect();
        assert_eq!(distinct.len(), keys.len(), "{keys:?}");
        assert_eq!(keys[0], key("HEAD^0", &[]));
        let error = Build::of(&commit(repository.path(), "v9.9", &[])).err().unwrap().to_string();
        assert!(error.contains("no commit v9.9"), "{error}");
    }

    #[test]
    fn a_tree_goes_from_commit_to_commit_and_keeps_what_is_ignored() {
        let repository = repository();
        let tree = tempfile::tempdir().unwrap();
        let out = |revision| {
            let asked = commit(repository.path(), revision, &[]);
            Build::of(&asked).unwrap().check_out(tree.path()).unwrap();
            std::fs::read_to_string(tree.path().join("file")).unwrap()
        };
        assert_eq!(out("HEAD~1"), "one");
        std::fs::write(tree.path().join(".git/info/exclude"), "*.o\n").unwrap();
        std::fs::write(tree.path().join("a.o"), "").unwrap();
        std::fs::write(tree.path().join("of-a-patch"), "").unwrap();
        std::fs::write(tree.path().join("file"), "patched").unwrap();
        assert_eq!(out("HEAD"), "two");
        assert!(tree.path().join("a.o").exists() && !tree.path().join("of-a-patch").exists());
    }
}
