// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Reasons why a kernel cannot be watched, each with its remedy.

use std::io;

/// A kernel, or a part of it, cannot be watched.
#[derive(Debug, thiserror::Error)]
pub enum WatchError {
    /// The kernel was built without type information.
    #[error(
        "this kernel has no BTF: /sys/kernel/btf/vmlinux: {0}; boot one that was built with CONFIG_DEBUG_INFO_BTF=y, as Debian's are"
    )]
    NoBtf(io::Error),
    /// The process lacks capabilities.
    #[error(
        "this process lacks {}; run it as root, or give it {}",
        .0.join(" and "),
        if .0.len() == 1 { "this capability" } else { "these capabilities" }
    )]
    Rights(Vec<&'static str>),
    /// A word that names nothing.
    #[error("{0}")]
    Unknown(String),
    /// The kernel refuses a probe.
    #[error("the kernel refuses the probe {probe}: {why}; it has to be 5.8 or later, with BPF")]
    Probe {
        /// The tracepoint, or the program's function.
        probe: String,
        /// The library's or the kernel's reason.
        why: String,
    },
    /// The function that was to be the last stage.
    #[error(
        "cannot watch {function} of {program}: {why}; name a program by its whole path, and a function that `nm` lists for it"
    )]
    Reach {
        /// The file.
        program: String,
        /// The symbol.
        function: String,
        /// The library's or the kernel's reason.
        why: String,
    },
}
