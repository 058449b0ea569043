// SPDX-License-Identifier: Apache-2.0 OR MIT
//! All that depends on a guest's architecture: the machine that QEMU plays, its kernel's packages,
//! the compilers, and where the generator's wires are.

pub use irqscope_scenario::Arch;
use irqscope_wire::Plan;

use crate::error::{Result, RigError};

/// A program and the package that has it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Program {
    pub name: &'static str,
    pub package: &'static str,
}

/// The architectures that are distinguished; a host is always a PC.
pub(crate) trait Guest {
    /// Returns Debian's name for it.
    fn debian(self) -> &'static str;
    /// Returns the kernel's name for it, as `make ARCH=` takes it.
    fn kernel(self) -> &'static str;
    /// Returns whether the host's apt does not list it.
    fn foreign(self) -> bool;
    fn qemu(self) -> Program;
    /// Returns what the names of the compiler's programs begin with, if it is a foreign one.
    fn compiler(self) -> Option<Program>;
    /// Returns the twin's machine, with a counter of virtual nanoseconds.
    fn machine(self) -> [&'static str; 4];
    /// Returns the device by which a guest stops its machine.
    fn stop_device(self) -> [&'static str; 2];
    /// Returns the kernel's command line for it.
    fn command_line(self) -> &'static str;
    /// Returns how many response lines the wires have.
    fn lines(self) -> u8;
    /// Returns modules of the kernel and of the driver for the wires, with parameters.
    fn port_modules(self) -> PortModules;
    /// Returns an error if this machine cannot do what a plan asks.
    fn check(self, plan: &Plan, lines: usize) -> Result<()>;
}

/// `name` and `parameters` of each.
pub(crate) struct PortModules {
    pub kernel: Option<(&'static str, &'static str)>,
    pub driver: (&'static str, &'static str),
}

/// As trigger the last of a PL061's eight lines, the others as response lines: the plugin needs no
/// option, it has the same.
const PL061: &str = "trigger=9030000.pl061:7 responses=9030000.pl061:0,9030000.pl061:1,\
                    9030000.pl061:2,9030000.pl061:3,9030000.pl061:4,9030000.pl061:5,\
                    9030000.pl061:6";

/// Of a SiFive controller's sixteen lines the last eight are response lines, and one before them is
/// the trigger: the plugin, which adds the controller to the machine, has the same.
const SIFIVE: &str = "trigger=10060000.gpio:7 responses=10060000.gpio:8,10060000.gpio:9,\
                      10060000.gpio:10,10060000.gpio:11,10060000.gpio:12,10060000.gpio:13,\
                      10060000.gpio:14,10060000.gpio:15";

impl Guest for Arch {
    fn debian(self) -> &'static str {
        match self {
            Self::X86_64 => "amd64",
            Self::Arm64 => "arm64",
            Self::Riscv64 => "riscv64",
        }
    }

    fn kernel(self) -> &'static str {
        match self {
            Self::X86_64 => "x86",
            Self::Arm64 => "arm64",
            Self::Riscv64 => "riscv",
        }
    }

    fn foreign(self) -> bool {
        self != Self::X86_64
    }

    fn qemu(self) -> Program {
        match self {
            Self::X86_64 => Program { name: "qemu-system-x86_64", package: "qemu-system-x86" },
            Self::Arm64 => Program { name: "qemu-system-aarch64", package: "qemu-system-arm" },
            Self::Riscv64 => Program { name: "qemu-system-riscv64", package: "qemu-system-riscv" },
        }
    }

    fn compiler(self) -> Option<Program> {
        match self {
            Self::X86_64 => None,
            Self::Arm64 => {
                Some(Program { name: "aarch64-linux-gnu-", package: "gcc-aarch64-linux-gnu" })
            }
            Self::Riscv64 => {
                Some(Program { name: "riscv64-linux-gnu-", package: "gcc-riscv64-linux-gnu" })
            }
        }
    }

    /// Returns the machine. Arm: a GIC of version 2, which the plugin knows; no seeds in the device
    /// tree, which are the host's own randomness; 1 GHz instead of 62.5 MHz. RISC-V: without Sstc, whose
    /// timer QEMU lets expire at instants that differ by microseconds from run to run.
    fn machine(self) -> [&'static str; 4] {
        match self {
            Self::X86_64 => ["-machine", "pc", "-cpu", "qemu64"],
            Self::Arm64 => [
                "-machine",
                "virt,gic-version=2,dtb-randomness=off",
                "-cpu",
                "cortex-a72,cntfrq=1000000000",
            ],
            Self::Riscv64 => ["-machine", "virt", "-cpu", "rv64,sstc=false"],
        }
    }

    fn stop_device(self) -> [&'static str; 2] {
        match self {
            Self::X86_64 => ["-device", "pvpanic"],
            Self::Arm64 | Self::Riscv64 => ["-device", "pvpanic-pci"],
        }
    }

    /// Returns the command line. `tsc=reliable`: the counter is the virtual clock itself; no
    /// watchdog timer. `random.trust_cpu=on` with no RDRAND: nothing waits for entropy.
    /// `norandmaps`: a program has the same addresses in each of its processes, so that QEMU
    /// translates it once (before 8.0 it keeps a translation by its virtual address).
    fn command_line(self) -> &'static str {
        match self {
            Self::X86_64 => {
                "console=ttyS0 loglevel=5 panic=-1 oops=panic nokaslr norandmaps \
                 tsc=reliable random.trust_cpu=on net.ifnames=0"
            }
            Self::Arm64 => {
                "console=ttyAMA0 loglevel=5 panic=-1 oops=panic nokaslr norandmaps net.ifnames=0"
            }
            Self::Riscv64 => {
                "console=ttyS0 loglevel=5 panic=-1 oops=panic nokaslr norandmaps net.ifnames=0"
            }
        }
    }

    fn lines(self) -> u8 {
        match self {
            Self::X86_64 => 12,
            Self::Arm64 => 7,
            Self::Riscv64 => 8,
        }
    }

    fn port_modules(self) -> PortModules {
        match self {
            Self::X86_64 => PortModules {
                kernel: Some(("parport_pc", "io=0x378 irq=none")),
                driver: ("irqscope_parport", ""),
            },
            Self::Arm64 => PortModules { kernel: None, driver: ("irqscope_gpio", PL061) },
            Self::Riscv64 => PortModules { kernel: None, driver: ("irqscope_gpio", SIFIVE) },
        }
    }

    fn check(self, plan: &Plan, lines: usize) -> Result<()> {
        let refuse = |what: String, remedy: &str| Err(RigError::unready(what, remedy));
        if plan.line() == self.line() && lines > usize::from(self.lines()) {
            let most = self.lines();
            return refuse(
                format!(
                    "{lines} stages are asked, and line {} of this machine has {most}",
                    plan.line()
                ),
                &format!("name at most {most} in the scenario's stages"),
            );
        }
        if self.foreign() && plan.stages().is_some_and(|asked| asked.faults.is_some()) {
            return refuse(
                "the culprits of [faults] are for x86-64".into(),
                "leave [faults] out, or name a kernel for x86-64",
            );
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use irqscope_wire::{Line, StagePlan};

    #[test]
    fn a_plan_that_a_machine_cannot_do_is_refused_with_a_remedy() {
        let plan = |line| Plan::of_stages(StagePlan { line, ..StagePlan::default() });
        assert!(Arch::X86_64.check(&plan(Line::Parport), 11).is_ok());
        assert!(Arch::Arm64.check(&plan(Line::Gpio), 7).is_ok());
        assert!(Arch::Arm64.check(&plan(Line::Record), 11).is_ok());
        let error = Arch::Arm64.check(&plan(Line::Gpio), 8).unwrap_err().to_string();
        assert!(error.contains("8 stages") && error.contains("at most 7"), "{error}");
    }

    #[test]
    fn the_drivers_lines_are_as_many_as_the_machine_has() {
        for arch in [Arch::Arm64, Arch::Riscv64] {
            let PortModules { driver: (_, parameters), .. } = arch.port_modules();
            let lines = parameters.split_once("responses=").unwrap().1.split(',').count();
            assert_eq!(lines, usize::from(arch.lines()));
        }
    }
}
