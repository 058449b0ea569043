// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The twin unpacks the agent at each boot, on the virtual clock: leave the
//! symbols out. (A profile could strip single packages only in newer Cargo.)

fn main() {
    println!("cargo::rustc-link-arg-bins=-s");
    println!("cargo::rerun-if-changed=build.rs");
}
