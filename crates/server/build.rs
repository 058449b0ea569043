// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Takes the page that `make build` has made in ui/dist into the program. Without it
//! the program builds all the same, so that the crates can be checked and tested
//! where there is no npm; `irqscope serve` then says what is missing.

use std::path::Path;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let built =
        Path::new(&env::var("CARGO_MANIFEST_DIR").unwrap_or_default()).join("../../ui/dist");
    let page = Path::new(&env::var("OUT_DIR").unwrap_or_default()).join("page");
    println!("cargo:rerun-if-changed={}", built.display());
    if page.exists() {
        fs::remove_dir_all(&page)?;
    }
    fs::create_dir_all(&page)?;
    if built.join("index.html").exists() { copy(&built, &page) } else { Ok(()) }
}

fn copy(from: &Path, to: &Path) -> io::Result<()> {
    for entry in fs::read_dir(from)? {
        let (entry, name) = entry.map(|entry| (entry.path(), entry.file_name()))?;
        if entry.is_dir() {
            fs::create_dir_all(to.join(&name))?;
            copy(&entry, &to.join(name))?;
        } else {
            fs::copy(&entry, to.join(name))?;
        }
    }
    Ok(())
}
