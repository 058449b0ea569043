// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The name of a kernel in a scenario: what it is, and the label that its cases bear.

use std::fmt;
use std::path::PathBuf;

/// The longest label: it is part of the names of files.
const LONGEST: usize = 60;

/// A kernel as a scenario names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelName {
    /// Its name in cases, tables and file names; at its end the architecture, where that is not
    /// the host's.
    pub label: String,
    /// Where the kernel comes from.
    pub source: KernelSource,
    /// The name as it was written.
    pub text: String,
}

/// Where a kernel comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KernelSource {
    /// Debian's, by line or version, or one that the program has a recipe for.
    Known(String),
    /// A build tree, a package, or a directory of packages.
    Path(PathBuf),
    /// Files that were built elsewhere.
    Files(KernelFiles),
    /// A commit of a repository, to be built.
    Git(KernelCommit),
    /// A source package of Debian's, to be built.
    DebianSource(DebianSource),
}

/// An image with its modules.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KernelFiles {
    /// The image that QEMU boots.
    pub image: PathBuf,
    /// The directory that is called as the release, with `kernel` below.
    pub modules: PathBuf,
    /// The directory in which modules are built; beside the modules as `build` when left out.
    pub headers: Option<PathBuf>,
}

/// A commit with what is changed in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KernelCommit {
    /// The repository.
    pub repository: PathBuf,
    /// A revision as git understands it.
    pub revision: String,
    /// Configuration fragments and patches, in their order: `lockdep` for a bundled fragment,
    /// `defconfig` or another target of the kernel's makefile to begin with, or a file's path.
    pub parts: Vec<String>,
}

/// Debian's source of a kernel with what is changed in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DebianSource {
    /// A line or a version, as for its packages: `6.12`, `6.1-rt`, `trixie-6.12.95`.
    pub version: String,
    /// Parts as those of a commit.
    pub parts: Vec<String>,
}

/// Why a text names no kernel.
#[allow(missing_docs, reason = "each message says what is wrong")]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KernelNameError {
    #[error("a kernel's name is empty")]
    Empty,
    #[error(
        "`{0}` cannot be the label of a kernel: it has at most {LONGEST} letters, digits and . _ + \
         -, the first a letter or digit; write LABEL=KERNEL"
    )]
    Label(String),
    #[error(
        "`{0}` names no files: write image:PATH,modules:DIR or image:PATH,modules:DIR,headers:DIR"
    )]
    Files(String),
    #[error(
        "`{0}` names no commit: write git:DIRECTORY@REVISION or git:DIRECTORY@REVISION+PART+PART"
    )]
    Commit(String),
    #[error("`{0}` names no source: write source:VERSION or source:VERSION+PART+PART")]
    Source(String),
}

impl KernelName {
    /// Reads a name: `6.12-rt`, `~/src/linux`, `mine=~/src/linux`, `x.deb`, `image:…`, `git:…`,
    /// `source:…`.
    ///
    /// # Errors
    /// It has no form of a kernel's name.
    pub fn parse(text: &str) -> Result<Self, KernelNameError> {
        let text = text.trim();
        let (label, rest) = match text.split_once('=') {
            Some((label, rest)) if !label.contains(['/', ':']) => (Some(label.trim()), rest.trim()),
            _ => (None, text),
        };
        if rest.is_empty() {
            return Err(KernelNameError::Empty);
        }
        let source = KernelSource::parse(rest)?;
        let label = label.map_or_else(|| source.label(), str::to_owned);
        if !is_label(&label) {
            return Err(KernelNameError::Label(label));
        }
        Ok(Self { label, source, text: text.to_owned() })
    }

    /// Names the kernel that a target runs.
    pub fn running(release: &str) -> Self {
        Self {
            label: release.to_owned(),
            source: KernelSource::Known(release.to_owned()),
            text: release.to_owned(),
        }
    }
}

impl fmt::Display for KernelName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl KernelSource {
    fn parse(text: &str) -> Result<Self, KernelNameError> {
        if let Some(files) = text.strip_prefix("image:") {
            return KernelFiles::parse(files)
                .map(Self::Files)
                .ok_or_else(|| KernelNameError::Files(text.into()));
        }
        if let Some(commit) = text.strip_prefix("git:") {
            return KernelCommit::parse(commit)
                .map(Self::Git)
                .ok_or_else(|| KernelNameError::Commit(text.into()));
        }
        if let Some(source) = text.strip_prefix("source:") {
            return DebianSource::parse(source)
                .map(Self::DebianSource)
                .ok_or_else(|| KernelNameError::Source(text.into()));
        }
        if text.contains('/') || text.ends_with(".deb") || ["~", ".", ".."].contains(&text) {
            return Ok(Self::Path(expanded(text)));
        }
        Ok(Self::Known(text.to_owned()))
    }

    /// Returns the label where none is written.
    pub fn label(&self) -> String {
        let of_path = |path: &PathBuf| {
            let whole = path.canonicalize().unwrap_or_else(|_| path.clone());
            whole.file_name().unwrap_or_default().to_string_lossy().into_owned()
        };
        let with_parts = |version: &String, parts: &[String]| {
            let parts = parts.iter().map(|part| of_path(&PathBuf::from(part)));
            plain(&[version.clone()].into_iter().chain(parts).collect::<Vec<_>>().join("+"))
        };
        match self {
            Self::Known(name) => name.clone(),
            Self::Path(path) => {
                let name = of_path(path);
                // `linux-image-6.1.0-56-rt-amd64_6.1.176-1_amd64.deb`
                let name = name.strip_suffix(".deb").unwrap_or(&name);
                let name = name.split('_').next().unwrap_or(name);
                plain(name.strip_prefix("linux-image-").unwrap_or(name))
            }
            Self::Files(files) => plain(&of_path(&files.modules)),
            Self::Git(commit) => with_parts(&commit.revision, &commit.parts),
            Self::DebianSource(source) => with_parts(&source.version, &source.parts),
        }
    }
}

impl KernelFiles {
    fn parse(text: &str) -> Option<Self> {
        let (image, rest) = text.split_once(",modules:")?;
        let (modules, headers) = match rest.split_once(",headers:") {
            Some((modules, headers)) => (modules, Some(headers)),
            None => (rest, None),
        };
        let given = ![Some(image), Some(modules), headers].contains(&Some(""));
        given.then(|| Self {
            image: expanded(image),
            modules: expanded(modules),
            headers: headers.map(expanded),
        })
    }
}

impl KernelCommit {
    fn parse(text: &str) -> Option<Self> {
        let (repository, rest) = text.rsplit_once('@')?;
        let (revision, parts) = words(rest)?;
        // A revision with a dash before it would be an option of git's.
        let wrong = repository.is_empty() || revision.starts_with('-');
        (!wrong).then(|| Self { repository: expanded(repository), revision, parts })
    }
}

impl DebianSource {
    fn parse(text: &str) -> Option<Self> {
        words(text).map(|(version, parts)| Self { version, parts })
    }
}

/// Splits `WORD+PART+PART`, of which none is empty.
fn words(text: &str) -> Option<(String, Vec<String>)> {
    let mut words = text.split('+').map(str::to_owned);
    let first = words.next()?;
    let parts: Vec<String> = words.collect();
    (!first.is_empty() && !parts.iter().any(String::is_empty)).then_some((first, parts))
}

/// Returns a path in which a leading `~` is the home directory.
fn expanded(text: &str) -> PathBuf {
    let below = text.strip_prefix("~/").or((text == "~").then_some(""));
    match (below, std::env::var_os("HOME")) {
        (Some(below), Some(home)) => PathBuf::from(home).join(below),
        _ => PathBuf::from(text),
    }
}

/// Returns a name in which what cannot stand in a label is replaced.
fn plain(name: &str) -> String {
    let of = |c: char| if is_plain(c) { c } else { '-' };
    name.chars().map(of).collect::<String>().trim_start_matches(['.', '-', '+']).to_owned()
}

fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '+' | '-')
}

fn is_label(label: &str) -> bool {
    label.len() <= LONGEST
        && label.starts_with(|c: char| c.is_ascii_alphanumeric())
        && label.chars().all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn label(text: &str) -> String {
        KernelName::parse(text).unwrap().label
    }

    #[test]
    fn a_kernel_has_a_label_that_can_be_a_files_name() {
        for (text, expected) in [
            ("6.12-rt", "6.12-rt"),
            ("trixie-backports-7.3-rt-arm64", "trixie-backports-7.3-rt-arm64"),
            ("/src/of kernels/linux-next", "linux-next"),
            ("mine=/src/linux", "mine"),
            ("board-arm64=~/src/linux", "board-arm64"),
            ("x/linux-image-6.1.0-56-rt-amd64_6.1.176-1_amd64.deb", "6.1.0-56-rt-amd64"),
            ("image:/b/bzImage,modules:/b/lib/modules/6.1.0-rc1+", "6.1.0-rc1+"),
            ("git:~/src/linux@v6.1", "v6.1"),
            ("git:~/src/linux@HEAD~3+lockdep+/tmp/my.config", "HEAD-3+lockdep+my.config"),
            ("good=git:/a@b/linux@origin/master", "good"),
            ("source:6.12-rt+lockdep+/tmp/my.patch", "6.12-rt+lockdep+my.patch"),
        ] {
            assert_eq!(label(text), expected, "{text}");
        }
    }

    #[test]
    fn the_source_of_a_kernel_is_known_by_its_form() {
        let source = |text| KernelName::parse(text).unwrap().source;
        assert_eq!(source("6.1"), KernelSource::Known("6.1".into()));
        assert_eq!(source("./linux"), KernelSource::Path("./linux".into()));
        assert_eq!(source("a.deb"), KernelSource::Path("a.deb".into()));
        let KernelSource::Git(commit) = source("git:/a@b@v6.1~2+defconfig+x.patch") else {
            panic!("no commit");
        };
        assert_eq!(commit.repository, PathBuf::from("/a@b"));
        assert_eq!((commit.revision.as_str(), commit.parts.len()), ("v6.1~2", 2));
        let KernelSource::DebianSource(package) = source("source:trixie-6.12.95+kasan") else {
            panic!("no source");
        };
        assert_eq!(package.version, "trixie-6.12.95");
        assert_eq!(package.parts, ["kasan"]);
        let KernelSource::Files(files) = source("image:i,modules:m,headers:h") else {
            panic!("no files");
        };
        assert_eq!(files.headers, Some("h".into()));
    }

    #[test]
    fn what_names_no_kernel_is_refused_with_the_form() {
        for (text, says) in [
            ("", "empty"),
            ("a=", "empty"),
            ("-x=6.1", "label"),
            ("a b=6.1", "label"),
            ("6.1 rt", "label"),
            ("image:/b", "modules:DIR"),
            ("image:,modules:/b", "modules:DIR"),
            ("git:/src/linux", "@REVISION"),
            ("git:/src/linux@--exec=x", "@REVISION"),
            ("git:/src/linux@v6.1+", "@REVISION"),
            ("source:", "source:VERSION"),
            ("source:6.1++lockdep", "source:VERSION"),
        ] {
            let error = KernelName::parse(text).unwrap_err().to_string();
            assert!(error.contains(says), "{text}: {error}");
        }
    }
}
