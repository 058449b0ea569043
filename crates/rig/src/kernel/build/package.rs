// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Debian's sources of kernels, built with what is changed in them.

use std::path::{Path, PathBuf};

use irqscope_scenario::{DebianSource, suggestion};

use super::parts::{Parts, RT};
use super::source::Source;
use super::{builds, check_tools, compile, compiler, keep};
use crate::arch::Arch;
use crate::cache;
use crate::error::{Result, RigError, Trying};
use crate::kernel::debian::DebianName;
use crate::kernel::{TESTED, packages};
use crate::stop::Stop;

const KEY_DIGITS: usize = 12;
/// A kernel's release has 64 characters with its end.
const LONGEST_IN_RELEASE: usize = 28;

/// Returns the build's directory in the cache, built first if it is not there.
///
/// # Errors
/// The source cannot be had, a part is unknown, or the build fails.
pub(crate) fn get(
    label: &str,
    asked: &DebianSource,
    say: &dyn Fn(&str),
    stop: &Stop,
) -> Result<PathBuf> {
    let wanted = wanted(asked)?;
    let parts = Parts::of(&with_rt(asked, &wanted), Some(&wanted.line()))?;
    let source = Source::get(&wanted, say)?;
    let mut key = parts.key(&source.version, &compiler()?);
    key.truncate(KEY_DIGITS);
    let dir = builds()?.join(format!("{label}-{key}"));
    if cache::is_whole(&dir, say)? {
        return Ok(dir);
    }
    check_tools()?;
    let _alone = cache::only_one(&dir)?;
    let build = Build { label, source: &source, parts, release: release(label, asked, &key) };
    cache::make_dir(&dir, |made| build.fill(made, say, stop))?;
    Ok(dir)
}

/// Fetches the source; returns its entry in the cache.
pub(crate) fn fetched(asked: &DebianSource, say: &dyn Fn(&str)) -> Result<PathBuf> {
    Ok(Source::get(&wanted(asked)?, say)?.dir().to_owned())
}

/// Refuses what cannot be a source, before anything is fetched.
///
/// # Errors
/// It is no version of Debian's, or a part is unknown.
pub(crate) fn check(asked: &DebianSource) -> Result<()> {
    let wanted = wanted(asked)?;
    Parts::of(&with_rt(asked, &wanted), Some(&wanted.line())).map(drop)
}

/// Returns the label in an entry's name.
pub(super) fn label_of(entry: &str) -> Option<&str> {
    let (label, key) = entry.rsplit_once('-')?;
    (key.len() == KEY_DIGITS && key.bytes().all(|byte| byte.is_ascii_hexdigit())).then_some(label)
}

fn wanted(asked: &DebianSource) -> Result<DebianName<'_>> {
    let version = &asked.version;
    let wanted = DebianName::parse(version).ok_or_else(|| {
        RigError::unready(
            suggestion("source of a kernel", version, &TESTED),
            "name a line of Debian's (source:6.12), a version (source:6.12.95), -rt behind it for \
             PREEMPT_RT, then parts with + between them (source:6.12-rt+lockdep)",
        )
    })?;
    match wanted.arch {
        Arch::X86_64 => Ok(wanted),
        Arch::Arm64 | Arch::Riscv64 => Err(RigError::unready(
            format!("source:{version}: kernels are built for x86-64 only"),
            "build it elsewhere, and name its files: image:PATH,modules:DIR",
        )),
    }
}

fn with_rt(asked: &DebianSource, wanted: &DebianName<'_>) -> Vec<String> {
    let rt = wanted.rt.then(|| RT.to_owned());
    rt.into_iter().chain(asked.parts.iter().cloned()).collect()
}

/// Returns the end of a build's release: modules of one build do not fit another.
fn release(label: &str, asked: &DebianSource, key: &str) -> String {
    let name = label.strip_prefix(asked.version.as_str()).unwrap_or(label);
    let name: String = name.trim_start_matches('+').chars().take(LONGEST_IN_RELEASE).collect();
    let dash = if name.is_empty() { "" } else { "-" };
    format!("{dash}{name}-{key}")
}

/// One kernel in the making.
struct Build<'a> {
    label: &'a str,
    source: &'a Source,
    parts: Parts,
    release: String,
}

impl Build<'_> {
    fn fill(&self, made: &Path, say: &dyn Fn(&str), stop: &Stop) -> Result<()> {
        let name = self.label;
        let tree = made.join("tree");
        say(&format!("unpacking Linux {}", self.source.version));
        self.source.unpack(&tree)?;
        stop.check()?;
        self.parts.patch(&tree)?;
        say(&format!("configuring kernel {name}"));
        self.parts.configure(&tree, &self.release, stop)?;
        compile::compile(&tree, name, &self.parts.variables(), say, stop)?;
        keep::keep(&tree, made, stop)?;
        std::fs::remove_dir_all(&tree).trying(|| format!("cannot remove {}", tree.display()))?;
        let origin = self.source.origin() + &self.parts.lines();
        std::fs::write(made.join(packages::ORIGIN), origin)
            .trying(|| "cannot write into the cache".into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(version: &str, parts: &[&str]) -> DebianSource {
        let parts = parts.iter().map(|part| (*part).to_owned()).collect();
        DebianSource { version: version.to_owned(), parts }
    }

    #[test]
    fn a_release_ends_with_the_parts_and_the_key_and_is_short() {
        let rt = asked("6.1-rt", &["lockdep", "kasan"]);
        assert_eq!(release("6.1-rt+lockdep+kasan", &rt, "0123"), "-lockdep+kasan-0123");
        assert_eq!(release("kasan", &asked("6.1", &[]), "0123"), "-kasan-0123");
        assert_eq!(release("6.1", &asked("6.1", &[]), "0123"), "-0123");
        assert!(release(&"x".repeat(60), &rt, "0123").len() < 40);
    }

    #[test]
    fn what_cannot_be_built_is_refused_before_anything_is_fetched() {
        check(&asked("6.12-rt", &["lockdep", "kasan"])).unwrap();
        check(&asked("sid-6.12.95", &["delayed-locking"])).unwrap();
        for (version, parts, says) in [
            ("linux", vec![], "unknown source of a kernel `linux`"),
            ("6.1-arm64", vec![], "x86-64 only"),
            ("6.1", vec!["kasam"], "did you mean `kasan`"),
            ("6.1", vec!["./none.patch"], "./none.patch"),
            ("5.10", vec!["delayed-locking"], "for 6.1 and 6.12"),
            ("6.12-rt", vec!["delayed-locking"], "not for PREEMPT_RT"),
        ] {
            let error = check(&asked(version, &parts)).unwrap_err().to_string();
            assert!(error.contains(says), "{error}");
        }
    }

    #[test]
    fn an_entry_begins_with_its_label() {
        assert_eq!(label_of("6.12-rt+kasan-0123456789ab"), Some("6.12-rt+kasan"));
        assert_eq!(label_of("delayed-locking"), None);
        assert_eq!(label_of("commit-0123456789abcdef"), None);
    }
}
