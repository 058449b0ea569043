// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The rigs by name, and one table of what each of them is. Code that depends on a rig asks for a
//! fact; only `irqscope-rig`, which carries cases out, has code for each.

use irqscope_wire::Line;
use serde::Deserialize;

use crate::arch::Arch;

/// How a target is reached and triggered.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Deserialize, serde::Serialize, schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum RigKind {
    /// A guest on QEMU's virtual clock.
    Twin,
    /// A guest in real time.
    Vm,
    /// This machine.
    Local,
    /// Another machine over ssh.
    Ssh,
    /// A generator board, and whatever it is wired to.
    Board,
}

/// Which kernels the cases of a rig run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kernels {
    /// Those that the scenario names: the rig boots them.
    Booted,
    /// The one that runs on the target, which is asked for its release.
    Running,
    /// Not known: the target is not reached. The scenario may give it a name.
    Unseen,
}

/// The facts about a rig, as far as scenarios, options and the executor depend on it.
#[derive(Clone, Copy, Debug)]
pub struct RigFacts {
    /// As scenarios and options call it; the variant's name in lower case.
    pub name: &'static str,
    /// One line for a list of rigs.
    pub about: &'static str,
    /// Which kernels its cases run.
    pub kernels: Kernels,
    /// The wires that the rig's own generator watches, by the kernel's architecture;
    /// `None` for a rig without a generator of its own.
    pub wires: fn(Arch) -> Option<Line>,
    /// The target runs on QEMU's virtual clock. The length of its tick and of an
    /// instruction is then known beforehand, paths can be traced, faults injected, and
    /// cases can run at the same time without an effect on each other.
    pub virtual_clock: bool,
}

impl RigKind {
    /// All rigs, in the order of lists.
    pub const ALL: [RigKind; 5] =
        [RigKind::Twin, RigKind::Vm, RigKind::Local, RigKind::Ssh, RigKind::Board];

    /// Returns this rig's line of the table.
    pub const fn facts(self) -> RigFacts {
        let real = RigFacts {
            name: "",
            about: "",
            kernels: Kernels::Running,
            wires: |_| None,
            virtual_clock: false,
        };
        match self {
            RigKind::Twin => RigFacts {
                name: "twin",
                about: "A guest on QEMU's virtual clock",
                kernels: Kernels::Booted,
                wires: |arch| Some(arch.line()),
                virtual_clock: true,
            },
            RigKind::Vm => RigFacts {
                name: "vm",
                about: "A guest in real time, with a doorbell",
                kernels: Kernels::Booted,
                wires: |_| Some(Line::Ivshmem),
                ..real
            },
            RigKind::Local => RigFacts { name: "local", about: "This machine", ..real },
            RigKind::Ssh => RigFacts { name: "ssh", about: "Another machine over ssh", ..real },
            RigKind::Board => RigFacts {
                name: "board",
                about: "A generator at an address, whatever it is wired to",
                kernels: Kernels::Unseen,
                ..real
            },
        }
    }

    /// Returns the name that scenarios and options use.
    pub const fn name(self) -> &'static str {
        self.facts().name
    }

    /// Returns whether the rig boots kernels of the scenario's choice.
    pub const fn boots(self) -> bool {
        matches!(self.facts().kernels, Kernels::Booted)
    }

    /// Returns whether the rig runs the agent on the target: loads, benchmarks and the
    /// view from inside need it.
    pub const fn reaches_target(self) -> bool {
        !matches!(self.facts().kernels, Kernels::Unseen)
    }

    /// Returns the wires that the rig's own generator watches while a kernel runs.
    pub fn wires(self, kernel: &str) -> Option<Line> {
        (self.facts().wires)(Arch::of_kernel(kernel))
    }
}

impl std::str::FromStr for RigKind {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let names = Self::ALL.map(Self::name);
        let found = Self::ALL.into_iter().find(|rig| rig.name() == name);
        found.ok_or_else(|| crate::suggestion("rig", name, &names))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::de::IntoDeserializer;
    use serde::de::value::Error;

    #[test]
    fn a_scenario_and_an_option_know_a_rig_by_the_same_name() {
        for rig in RigKind::ALL {
            let name = rig.name();
            assert_eq!(name.parse(), Ok(rig));
            let text: Result<_, Error> = RigKind::deserialize(name.into_deserializer());
            assert_eq!(text, Ok(rig));
        }
        assert!("bord".parse::<RigKind>().unwrap_err().contains("board"));
    }
}
