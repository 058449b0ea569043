// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A guest's architecture, which its kernel's name says.

use irqscope_wire::{Line, Tick};

/// The kind of machine that a kernel is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arch {
    /// A PC, as the host is.
    X86_64,
    /// QEMU's machine `virt` for Arm.
    Arm64,
    /// QEMU's machine `virt` for RISC-V.
    Riscv64,
}

impl Arch {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::X86_64, Self::Arm64, Self::Riscv64];

    /// Returns the architecture of a kernel by its name, `6.1` or `6.1-arm64`.
    pub fn of_kernel(name: &str) -> Self {
        let its = |arch: &Self| arch.suffix().is_some_and(|suffix| name.ends_with(suffix));
        Self::ALL.into_iter().find(its).unwrap_or(Self::X86_64)
    }

    /// Returns what the name of a kernel for it ends with; `None` for a PC.
    pub const fn suffix(self) -> Option<&'static str> {
        match self {
            Self::X86_64 => None,
            Self::Arm64 => Some("-arm64"),
            Self::Riscv64 => Some("-riscv64"),
        }
    }

    /// Returns the kernel's name without its architecture.
    pub fn without(name: &str) -> &str {
        Self::of_kernel(name).suffix().and_then(|suffix| name.strip_suffix(suffix)).unwrap_or(name)
    }

    /// Returns the tick of the counter that the twin's machine has: virtual nanoseconds, whatever an
    /// instruction takes (`icount_get()` in QEMU); of RISC-V's `virt` a hundred of them
    /// (`RISCV_ACLINT_DEFAULT_TIMEBASE_FREQ`).
    pub const fn counter(self) -> Tick {
        match self {
            Self::X86_64 | Self::Arm64 => Tick { femtoseconds: 1_000_000 },
            Self::Riscv64 => Tick { femtoseconds: 100_000_000 },
        }
    }

    /// Returns what the twin's generator is wired to.
    pub const fn line(self) -> Line {
        match self {
            Self::X86_64 => Line::Parport,
            Self::Arm64 | Self::Riscv64 => Line::Gpio,
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
            ("6.12-riscv64", Arch::Riscv64, "6.12"),
            ("lockdep", Arch::X86_64, "lockdep"),
        ] {
            assert_eq!((Arch::of_kernel(name), Arch::without(name)), (arch, without));
        }
    }
}
