// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Reasons why a kernel cannot be watched, each with its remedy.

use std::io;

/// A kernel, or a part of it, cannot be watched.
#[derive(Debug, thiserror::Error)]
pub enum WatchError {
    /// The kernel was built without type information.
    #[error("this kernel has no BTF: /sys/kernel/btf/vmlinux: {0}")]
    NoBtf(io::Error),
    /// The kernel has no tracepoints of sections.
    #[error("this kernel has no tracepoints irq_disable or preempt_disable")]
    NoSections,
    /// The process lacks capabilities.
    #[error("this process lacks {}", .0.join(" and "))]
    Rights(Vec<&'static str>),
    /// A word that names nothing.
    #[error("{0}")]
    Unknown(String),
    /// The kernel refuses a probe.
    #[error("the kernel refuses the probe {probe}: {why}")]
    Probe {
        /// The tracepoint, or the program's function.
        probe: String,
        /// The library's or the kernel's reason.
        why: String,
    },
    /// Events found no room in the ring.
    #[error("{0} events of the kernel were lost: what was seen is incomplete")]
    Lost(u64),
    /// The place that was to be the last stage.
    #[error("cannot watch {place} of {program}: {why}")]
    Reach {
        /// The file.
        program: String,
        /// The function or static probe.
        place: String,
        /// The library's or the kernel's reason.
        why: String,
    },
}

impl WatchError {
    /// Returns how to fix it.
    pub fn remedy(&self) -> &'static str {
        match self {
            WatchError::NoBtf(_) => {
                "boot a kernel that was built with CONFIG_DEBUG_INFO_BTF=y, as Debian's are"
            }
            WatchError::NoSections => {
                "boot a kernel that was built with CONFIG_IRQSOFF_TRACER=y and CONFIG_PREEMPT_TRACER=y; the twin \
                 sees sections of any kernel, with --sections"
            }
            WatchError::Rights(_) => "run it as root, or give it what it lacks",
            WatchError::Unknown(_) => "name one that is there; docs/watch.md has the words",
            WatchError::Probe { .. } => {
                "use Linux 5.8 or later with BPF, not locked down; see the kernel log"
            }
            WatchError::Lost(_) => "watch one interrupt or thread, or lighten the load",
            WatchError::Reach { .. } => {
                "name a program by its whole path, and a function that `nm` lists for it or a \
                 static probe that `readelf -n` does"
            }
        }
    }
}
