// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Building the driver against a kernel's headers, once per content.

use std::path::{Path, PathBuf};
use std::process::Command;

use include_dir::{Dir, DirEntry, include_dir};
use sha2::{Digest, Sha256};

use crate::cache;
use crate::command::output;
use crate::error::{Result, RigError, Trying};

/// The driver's sources, as they were when this program was built.
static SOURCES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../kernel/irqscope");

/// What a driver is built for.
#[derive(Clone, Copy, Debug)]
pub struct Build<'a> {
    pub headers: &'a Path,
    pub release: &'a str,
    /// With the known delay that tests insert; never for measurements.
    pub test: bool,
}

/// The modules of one build.
#[derive(Clone, Debug)]
pub struct Driver {
    dir: PathBuf,
}

impl Driver {
    /// Builds the driver, or finds the build of the same sources in the cache.
    pub fn build(build: Build<'_>, say: &dyn Fn(&str)) -> Result<Self> {
        check_headers(build.headers)?;
        let flavour = if build.test { "test" } else { "release" };
        let key = format!("{}-{flavour}-{}", build.release, &sources_digest()[..16]);
        let dir = cache::root()?.join("drivers").join(key);
        cache::make_dir(&dir, |made| {
            say(&format!("building the driver for {}", build.release));
            write_sources(&SOURCES, made)?;
            make(build, made)
        })?;
        Ok(Self { dir })
    }

    pub fn module(&self, name: &str) -> PathBuf {
        self.dir.join(format!("{name}.ko"))
    }
}

fn check_headers(headers: &Path) -> Result<()> {
    if headers.join("Makefile").exists() {
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
        make.arg("IRQSCOPE_TEST=1");
    }
    // The environment of an outer make would leak its flags into kbuild.
    for leak in ["MAKEFLAGS", "MAKELEVEL", "MFLAGS", "KDIR"] {
        make.env_remove(leak);
    }
    output(&mut make, "make gcc-12 libelf-dev").map(|_| ())
}

fn write_sources(sources: &Dir<'_>, to: &Path) -> Result<()> {
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
    let mut sha = Sha256::new();
    for file in files(&SOURCES) {
        sha.update(file.path().to_string_lossy().as_bytes());
        sha.update([0]);
        sha.update(file.contents());
    }
    sha.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// All files that a build reads, in a fixed order.
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
        || ((name.ends_with(".c") && !name.ends_with(".mod.c")) || name.ends_with(".h"))
}
