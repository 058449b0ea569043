// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Building the driver against a kernel's headers, once per content.

use std::path::{Path, PathBuf};
use std::process::Command;

use include_dir::{Dir, DirEntry, include_dir};
use sha2::{Digest, Sha256};

use crate::arch::{Arch, Guest};
use crate::cache::{self, content};
use crate::command::output;
use crate::error::{Result, RigError, Trying};
use crate::kernel::compiler::Compiler;
use crate::kernel::release::Release;

/// The driver's sources, as they were when this program was built.
static SOURCES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../kernel/irqscope");

/// The culprits for tests.
static FAULTS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../kernel/faults");

/// All that decides a module's content besides its sources: the configuration, and the exported
/// symbols with their versions. A release's name does not, for several kernels of one's own have
/// one name.
const HEADERS: [&str; 2] = ["include/config/auto.conf", "Module.symvers"];

/// Changes with how modules are built, so that those of another way in the cache are left alone.
const RECIPE: &str = "stripped, without paths";

/// The kernel that a driver is built for.
#[derive(Clone, Copy, Debug)]
pub struct Build<'a> {
    /// The kernel's headers.
    pub headers: &'a Path,
    /// Its release.
    pub release: &'a Release,
    /// Its architecture.
    pub arch: Arch,
    /// Its image, where that is known: kernels of one's own may have equal releases and headers.
    pub image: Option<&'a Path>,
    /// With the known delay that tests insert, and with irqscope_faults.ko; never
    /// for measurements.
    pub test: bool,
}

/// The name of a build in the cache: all that its content depends on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Key<'a> {
    pub release: &'a Release,
    /// By [`headers_digest`], or by what a target says of its own.
    pub headers: &'a str,
    /// The digest of the image, or nothing where that is not known.
    pub image: &'a str,
    /// The compiler's name.
    pub compiler: &'a str,
    pub test: bool,
    /// The digest of the modules' sources.
    pub sources: &'a str,
    pub builder: Builder<'a>,
}

/// The machine that makes modules.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Builder<'a> {
    /// This one, from headers that it has read itself.
    Host,
    /// A target. Its modules, and its words for what they were built from, are worth as much as
    /// that target itself: no other one is given them.
    Target {
        /// The address that the user asked for, with its options.
        asked: &'a str,
        machine_id: &'a str,
    },
}

impl Key<'_> {
    fn name(&self) -> String {
        let Self { release, headers, image, compiler, test, sources, builder } = self;
        let flavour = if *test { "test" } else { "release" };
        match builder {
            Builder::Host => {
                let digest = digest([headers, image, compiler, sources, RECIPE].map(str::as_bytes));
                format!("{release}-{flavour}-{}", &digest[..16])
            }
            Builder::Target { asked, machine_id } => {
                // Zeros part them, so that no word of the target's can pose as another's.
                let words = [asked, *machine_id, headers, *sources, RECIPE].map(|word| {
                    let word = word.replace('\0', " ");
                    format!("{word}\0")
                });
                let digest = digest(words.iter().map(String::as_bytes));
                format!("{release}-{flavour}-target-{}", &digest[..32])
            }
        }
    }
}

/// The modules of one build.
#[derive(Clone, Debug)]
pub struct Driver {
    dir: PathBuf,
}

impl Driver {
    /// Builds the driver, or finds the build of the same sources in the cache.
    ///
    /// # Errors
    /// The headers are incomplete, or a module does not compile; the compiler's words are in the
    /// error.
    pub fn build(build: Build<'_>, say: &dyn Fn(&str)) -> Result<Self> {
        Self::build_other(build, "the driver", &sources_digest(), say, write_sources)
    }

    /// Builds modules of other sources, or finds their build in the cache. `sources`: their digest;
    /// `fill` writes them into a directory.
    pub(crate) fn build_other(
        build: Build<'_>,
        what: &str,
        sources: &str,
        say: &dyn Fn(&str),
        fill: impl FnOnce(&Path) -> Result<()>,
    ) -> Result<Self> {
        check_headers(build.headers)?;
        let compiler = Compiler::of(build.headers, build.arch)?;
        let headers = headers_digest(build.headers)?;
        let image = build.image.map(image_digest).transpose()?.unwrap_or_default();
        let Build { release, test, .. } = build;
        let key = Key {
            release,
            headers: &headers,
            image: &image,
            compiler: &compiler.name,
            test,
            sources,
            builder: Builder::Host,
        };
        Self::keep(&key, say, |made| {
            let with = match &compiler.instead_of {
                Some((own, _)) => format!(" with {} instead of {own}", compiler.name),
                None => String::new(),
            };
            say(&format!("building {what} for {}{with}", build.release));
            fill(made)?;
            let built = make(build, &compiler, made).and_then(|()| match build.test {
                true => make_faults(build, &compiler, made),
                false => Ok(()),
            });
            built.map_err(|error| compiler.explain(error))
        })
    }

    /// Returns the directory of the build.
    pub(crate) fn dir(&self) -> &Path {
        &self.dir
    }

    /// Finds a build in the cache, or has `fill` put its modules there.
    pub(crate) fn keep(
        key: &Key<'_>,
        say: &dyn Fn(&str),
        fill: impl FnOnce(&Path) -> Result<()>,
    ) -> Result<Self> {
        let dir = cache::root()?.join("drivers").join(key.name());
        if !cache::is_whole(&dir, say)? {
            cache::make_dir(&dir, fill)?;
        }
        Ok(Self { dir })
    }

    /// Returns the path of a module by its name.
    pub fn module(&self, name: &str) -> PathBuf {
        self.dir.join(format!("{name}.ko"))
    }
}

fn image_digest(image: &Path) -> Result<String> {
    let read = content(image).trying(|| format!("cannot read {}", image.display()));
    read.map(|(_, digest)| digest)
}

/// Distinguishes kernels of one name: SHA-256 of what their headers decide.
pub(crate) fn headers_digest(headers: &Path) -> Result<String> {
    let read = |name: &&str| {
        let path = headers.join(name);
        std::fs::read(&path).trying(|| format!("cannot read {}", path.display()))
    };
    let parts = HEADERS.iter().map(read).collect::<Result<Vec<_>>>()?;
    Ok(digest(parts.iter().map(Vec::as_slice)))
}

pub(crate) fn check_headers(headers: &Path) -> Result<()> {
    if HEADERS.iter().chain(&["Makefile"]).all(|name| headers.join(name).exists()) {
        return Ok(());
    }
    Err(RigError::unready(
        format!("no kernel headers in {}", headers.display()),
        "install them: apt-get install linux-headers-$(uname -r)",
    ))
}

fn make(build: Build<'_>, compiler: &Compiler, dir: &Path) -> Result<()> {
    let mut make = Command::new("make");
    make.arg(jobs());
    make.arg("-C").arg(build.headers).arg(format!("M={}", dir.display())).arg("modules");
    if build.test {
        make.arg("IRQSCOPE_TEST=y");
    }
    // Make goes to where links lead, and the compiler is given both names.
    let real = build.headers.canonicalize().ok();
    let dirs = [Some(dir), build.headers.parent(), real.as_deref().and_then(Path::parent)];
    make.arg(format!("KCFLAGS={}", without_paths(&dirs)));
    make.args(&compiler.args);
    // It would be stripped again, and its tool has to be as new as the kernel's.
    make.arg("CONFIG_DEBUG_INFO_BTF_MODULES=");
    let tools = build.arch.compiler().map_or("", |tools| tools.name);
    if !tools.is_empty() {
        make.arg(format!("ARCH={}", build.arch.kernel())).arg(format!("CROSS_COMPILE={tools}"));
    }
    // The environment of an outer make would leak its flags into kbuild.
    for leak in ["MAKEFLAGS", "MAKELEVEL", "MFLAGS", "KDIR"] {
        make.env_remove(leak);
    }
    output(&mut make, "make libelf-dev")?;
    strip(tools, dir)
}

/// Returns make's option for as many jobs as this machine has CPUs.
pub(super) fn jobs() -> String {
    format!("-j{}", std::thread::available_parallelism().map_or(1, usize::from))
}

/// Returns the compiler's flags for messages of the kernel (`__FILE__`) that name no directory of
/// this machine.
fn without_paths(dirs: &[Option<&Path>]) -> String {
    let flag = |dir: &&Path| format!("-ffile-prefix-map={}/=", dir.display());
    dirs.iter().flatten().map(flag).collect::<Vec<_>>().join(" ")
}

/// Removes what only debuggers read, and what is computed from it: a module's size, and with it a
/// guest's boot, would depend on the directory that it was built in.
fn strip(tools: &str, dir: &Path) -> Result<()> {
    let entries = std::fs::read_dir(dir).trying(|| format!("cannot read {}", dir.display()))?;
    let paths = entries.flatten().map(|entry| entry.path());
    for module in paths.filter(|path| path.extension().is_some_and(|name| name == "ko")) {
        let mut objcopy = Command::new(format!("{tools}objcopy"));
        objcopy.args(["--strip-debug", "--remove-section=.BTF"]);
        objcopy.arg("--remove-section=.note.gnu.build-id").arg(&module);
        output(&mut objcopy, "binutils")?;
    }
    Ok(())
}

/// Builds a module of its own, beside the others.
fn make_faults(build: Build<'_>, compiler: &Compiler, dir: &Path) -> Result<()> {
    let own = dir.join("faults");
    write_files(&FAULTS, &own)?;
    make(build, compiler, &own)?;
    let module = "irqscope_faults.ko";
    std::fs::rename(own.join(module), dir.join(module)).trying(|| format!("cannot keep {module}"))
}

pub(crate) fn write_sources(to: &Path) -> Result<()> {
    write_files(&SOURCES, to)
}

fn write_files(sources: &Dir<'_>, to: &Path) -> Result<()> {
    for file in files(sources) {
        let path = to.join(file.path());
        let parent = path.parent().unwrap_or(to);
        std::fs::create_dir_all(parent)
            .and_then(|()| std::fs::write(&path, file.contents()))
            .trying(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

pub(crate) fn sources_digest() -> String {
    let files = [files(&SOURCES), files(&FAULTS)].concat();
    let names: Vec<_> = files.iter().map(|file| file.path().to_string_lossy()).collect();
    digest(
        files.iter().zip(&names).flat_map(|(file, name)| [name.as_bytes(), &[0], file.contents()]),
    )
}

/// Returns SHA-256 of all parts together, as text.
pub(crate) fn digest<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> String {
    let mut sha = Sha256::new();
    parts.into_iter().for_each(|part| sha.update(part));
    sha.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns all files that a build reads, in a fixed order.
fn files<'a>(dir: &'a Dir<'a>) -> Vec<&'a include_dir::File<'a>> {
    let mut found = Vec::new();
    for entry in dir.entries() {
        match entry {
            DirEntry::Dir(inner) => found.extend(files(inner)),
            DirEntry::File(file) if is_source(file.path()) => found.push(file),
            DirEntry::File(_) => {}
        }
    }
    found.sort_by_key(|file| file.path());
    found
}

fn is_source(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    matches!(name.as_ref(), "Kbuild" | "Makefile")
        || (name.ends_with(".c") && !name.ends_with(".mod.c"))
        || name.ends_with(".h")
        || name.ends_with(".S")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_of_a_target_are_kept_for_that_target_alone() {
        let release = Release::new("6.1.0-56-amd64", "board").unwrap();
        let name = |builder| {
            Key {
                release: &release,
                headers: "abc",
                image: "",
                compiler: "gcc-12",
                test: false,
                sources: "def",
                builder,
            }
            .name()
        };
        let target = |asked, machine_id| name(Builder::Target { asked, machine_id });
        let names = [
            name(Builder::Host),
            target("root@a", "1"),
            target("root@b", "1"),
            target("root@a", "2"),
            target("root@a1", ""),
            target("root@a", "1\0abc"),
        ];
        let distinct: std::collections::BTreeSet<_> = names.iter().collect();
        assert_eq!(distinct.len(), names.len(), "{names:?}");
        assert_eq!(names[1], target("root@a", "1"));
    }
}
