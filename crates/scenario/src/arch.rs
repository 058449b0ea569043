// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A guest's architecture, which its kernel's name says.

use irqscope_wire::Line;

/// The kind of machine that a kernel is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arch {
    /// A PC, as the host is.
    X86_64,
    /// QEMU's machine `virt`.
    Arm64,
}

/// At the end of the name of a kernel for Arm.
const ARM64: &str = "-arm64";

impl Arch {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::X86_64, Self::Arm64];

    /// Returns the architecture of a kernel by its name, `6.1` or `6.1-arm64`.
    pub fn of_kernel(name: &str) -> Self {
        if name.ends_with(ARM64) { Self::Arm64 } else { Self::X86_64 }
    }

    /// Returns the kernel's name without its architecture.
    pub fn without(name: &str) -> &str {
        name.strip_suffix(ARM64).unwrap_or(name)
    }

    /// Returns what the twin's generator is wired to.
    pub const fn line(self) -> Line {
        match self {
            Self::X86_64 => Line::Parport,
            Self::Arm64 => Line::Gpio,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernels_name_says_which_machine_it_is_for() {
        for (name, arch, without) in [
            ("6.1", Arch::X86_64, "6.1"),
            ("6.1-rt", Arch::X86_64, "6.1-rt"),
            ("6.1-arm64", Arch::Arm64, "6.1"),
            ("6.1-rt-arm64", Arch::Arm64, "6.1-rt"),
            ("lockdep", Arch::X86_64, "lockdep"),
        ] {
            assert_eq!((Arch::of_kernel(name), Arch::without(name)), (arch, without));
        }
    }
}
