// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Compiles the probes for the kernel's own machine. The object is the same for every architecture
//! with this byte order: the loader relocates it by the running kernel's BTF.

use std::env;
use std::path::PathBuf;
use std::process::Command;

const SOURCES: [&str; 2] = ["bpf/watch.bpf.c", "bpf/kernel.h"];

fn main() {
    for source in SOURCES {
        println!("cargo::rerun-if-changed={source}");
    }
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=CLANG");
    let clang = env::var_os("CLANG").unwrap_or_else(|| "clang".into());
    // Its debug information names files, and would be another one in each directory.
    let here = env::var("CARGO_MANIFEST_DIR").unwrap_or_default();
    let object = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default()).join("watch.bpf.o");
    let compiled = Command::new(&clang)
        .args(["-target", "bpfel", "-mcpu=v3", "-g", "-O2", "-Wall", "-Wextra", "-Werror"])
        .arg(format!("-ffile-prefix-map={here}=crates/watch"))
        .args(["-Wno-unused-parameter", "-c", SOURCES[0], "-o"])
        .arg(&object)
        .status();
    match compiled {
        Ok(status) if status.success() => {}
        Ok(status) => panic!("{} could not compile {}: {status}", clang.display(), SOURCES[0]),
        Err(error) => panic!(
            "cannot run {}: {error}; it compiles the probes of irqscope watch: scripts/bootstrap installs it, or name another one in CLANG",
            clang.display()
        ),
    }
}
