// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Compiles the probes for the kernel's own machine. An object is the same for every architecture
//! with this byte order: the loader relocates it by the running kernel's BTF.

use std::env;
use std::path::PathBuf;
use std::process::Command;

const OBJECTS: [&str; 2] = ["watch", "sections"];

fn main() {
    println!("cargo::rerun-if-changed=bpf");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=CLANG");
    OBJECTS.iter().for_each(|name| compile(name));
}

fn compile(name: &str) {
    let clang = env::var_os("CLANG").unwrap_or_else(|| "clang".into());
    // Its debug information names files, and would be another one in each directory.
    let here = env::var("CARGO_MANIFEST_DIR").unwrap_or_default();
    let object =
        PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default()).join(format!("{name}.bpf.o"));
    let source = format!("bpf/{name}.bpf.c");
    let compiled = Command::new(&clang)
        .args(["-target", "bpfel", "-mcpu=v3", "-g", "-O2", "-Wall", "-Wextra", "-Werror"])
        .arg(format!("-ffile-prefix-map={here}=crates/watch"))
        .args(["-Wno-unused-parameter", "-c", &source, "-o"])
        .arg(&object)
        .status();
    match compiled {
        Ok(status) if status.success() => {}
        Ok(status) => panic!("{} could not compile {source}: {status}", clang.display()),
        Err(error) => panic!(
            "cannot run {}: {error}; it compiles the probes of irqscope watch: scripts/bootstrap installs it, or name another one in CLANG",
            clang.display()
        ),
    }
}
