// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Gives the linker the chip's memory.

use std::{env, fs, path::PathBuf};

fn main() {
    let chip = match (env::var_os("CARGO_FEATURE_RP2040"), env::var_os("CARGO_FEATURE_RP2350")) {
        (Some(_), None) => "rp2040",
        (None, Some(_)) => "rp2350",
        _ => panic!("choose one chip: --features rp2040 or --features rp2350"),
    };
    let directory = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let script = format!("memory-{chip}.x");
    fs::copy(&script, directory.join("memory.x")).expect("the linker script is copied");
    println!("cargo:rustc-link-search={}", directory.display());
    // cortex-m-rt's script; pages of flash need no alignment.
    println!("cargo:rustc-link-arg-bins=--nmagic");
    println!("cargo:rustc-link-arg-bins=-Tlink.x");
    if chip == "rp2040" {
        // The second stage of its boot, into memory that the first script defines.
        println!("cargo:rustc-link-arg-bins=-Tlink-rp.x");
    }
    println!("cargo:rerun-if-changed={script}");
    println!("cargo:rerun-if-env-changed=IRQSCOPE_BAUD");
}
