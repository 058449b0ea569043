// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Building the driver against a kernel's headers, once per content.

use std::path::{Path, PathBuf};
use std::process::Command;

use include_dir::{Dir, DirEntry, include_dir};
use sha2::{Digest, Sha256};

use crate::arch::{Arch, Guest};
use crate::cache;
use crate::command::output;
use crate::error::{Result, RigError, Trying};

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
    pub release: &'a str,
    /// Its architecture.
    pub arch: Arch,
    /// With the known delay that tests insert, and with irqscope_faults.ko; never
    /// for measurements.
    pub test: bool,
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
        check_headers(build.headers)?;
        let digest = headers_digest(build.headers)?;
        Self::keep(build.release, &digest, build.test, |made| {
            say(&format!("building the driver for {}", build.release));
            write_sources(made)?;
            make(build, made)?;
            if build.test { make_faults(build, made) } else { Ok(()) }
        })
    }

    /// Finds a build in the cache, or has `fill` put its modules there.
    pub(crate) fn keep(
        release: &str,
        headers: &str,
        test: bool,
        fill: impl FnOnce(&Path) -> Result<()>,
    ) -> Result<Self> {
        let flavour = if test { "test" } else { "release" };
        let digest = digest([headers.as_bytes(), sources_digest().as_bytes(), RECIPE.as_bytes()]);
        let key = format!("{release}-{flavour}-{}", &digest[..16]);
        let dir = cache::root()?.join("drivers").join(key);
        cache::make_dir(&dir, fill)?;
        Ok(Self { dir })
    }

    /// Returns the path of a module by its name.
    pub fn module(&self, name: &str) -> PathBuf {
        self.dir.join(format!("{name}.ko"))
    }
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

fn make(build: Build<'_>, dir: &Path) -> Result<()> {
    let mut make = Command::new("make");
    make.arg("-C").arg(build.headers).arg(format!("M={}", dir.display())).arg("modules");
    if build.test {
        make.arg("IRQSCOPE_TEST=y");
    }
    make.arg(format!("KCFLAGS={}", without_paths(&[Some(dir), build.headers.parent()])));
    let compiler = build.arch.compiler();
    if let Some(compiler) = compiler {
        make.arg(format!("CROSS_COMPILE={}", compiler.name));
    }
    // The environment of an outer make would leak its flags into kbuild.
    for leak in ["MAKEFLAGS", "MAKELEVEL", "MFLAGS", "KDIR"] {
        make.env_remove(leak);
    }
    let package = compiler.map_or("gcc-12", |compiler| compiler.package);
    output(&mut make, &format!("make {package} libelf-dev pahole"))?;
    strip(compiler.map_or("", |compiler| compiler.name), dir)
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
fn make_faults(build: Build<'_>, dir: &Path) -> Result<()> {
    let own = dir.join("faults");
    write_files(&FAULTS, &own)?;
    make(build, &own)?;
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

fn sources_digest() -> String {
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
