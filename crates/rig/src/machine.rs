// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The machines that there is an agent for. On some of them there is no driver of ours: benchmarks
//! and `threads` need none.

use crate::arch::Arch;
use crate::error::{Result, RigError};

/// A kind of machine, as `uname -m` names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Machine {
    /// A PC.
    X86_64,
    /// 64-bit Arm.
    Aarch64,
    /// 32-bit Arm with a floating-point unit, from ARMv7 on.
    Armv7l,
    /// 64-bit RISC-V.
    Riscv64,
}

impl Machine {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::X86_64, Self::Aarch64, Self::Armv7l, Self::Riscv64];

    /// Returns its name, which is `uname -m`'s.
    pub const fn name(self) -> &'static str {
        match self {
            Self::X86_64 => "x86_64",
            Self::Aarch64 => "aarch64",
            Self::Armv7l => "armv7l",
            Self::Riscv64 => "riscv64",
        }
    }

    /// Returns the machine of a name. A 64-bit Arm whose programs have 32 bits says `armv8l`.
    ///
    /// # Errors
    /// There is no agent for it; `place` names the machine in question.
    pub fn of(name: &str, place: &str) -> Result<Self> {
        let known = Self::ALL.into_iter().find(|machine| machine.name() == name);
        known.or_else(|| (name == "armv8l").then_some(Self::Armv7l)).ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            RigError::unready(
                format!("{place} is {name}, which irqscope has no agent for"),
                format!("measure a target that is one of {names}"),
            )
        })
    }

    /// Returns what the driver is built for there.
    ///
    /// # Errors
    /// The driver does not run on it; `place` names the machine in question.
    pub fn arch(self, place: &str) -> Result<Arch> {
        match self {
            Self::X86_64 => Ok(Arch::X86_64),
            Self::Aarch64 => Ok(Arch::Arm64),
            Self::Riscv64 => Ok(Arch::Riscv64),
            Self::Armv7l => Err(RigError::unready(
                format!("{place} is {}, which irqscope has no driver for", self.name()),
                "measure it without one: irqscope bench, or a scenario with [bench.…] tables",
            )),
        }
    }
}

impl From<Arch> for Machine {
    fn from(arch: Arch) -> Self {
        match arch {
            Arch::X86_64 => Self::X86_64,
            Arch::Arm64 => Self::Aarch64,
            Arch::Riscv64 => Self::Riscv64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_machine_has_a_name_of_its_own_and_some_have_a_driver() {
        for machine in Machine::ALL {
            assert_eq!(Machine::of(machine.name(), "board").unwrap(), machine);
        }
        assert_eq!(Machine::of("armv8l", "board").unwrap(), Machine::Armv7l);
        for arch in Arch::ALL {
            assert_eq!(Machine::from(arch).arch("board").unwrap(), arch);
        }
    }

    #[test]
    fn machines_without_agent_or_driver_are_named_with_their_remedy() {
        let said = Machine::of("armv6l", "board").unwrap_err().to_string();
        assert!(said.contains("armv6l") && said.contains("riscv64"), "{said}");
        let said = Machine::Armv7l.arch("board").unwrap_err().to_string();
        assert!(said.contains("no driver") && said.contains("irqscope bench"), "{said}");
    }
}
