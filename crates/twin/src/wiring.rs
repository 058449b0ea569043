// SPDX-License-Identifier: GPL-2.0-or-later
//! The parts of a machine to which a generator can be wired.

use crate::parport;
use crate::pl061;
use crate::port::Seen;
use crate::qemu::{IrqFn, Isa, Memory, Pin, Qemu};
use crate::sifive;

/// A part that cannot be found, and a remedy.
pub type Absent = (&'static str, &'static str);

/// By what it is looked at.
#[derive(Clone, Copy)]
pub enum Wiring {
    /// A PC's parallel port; the triggers go to a pin of the IOAPIC.
    Parport(Isa),
    /// An Arm machine's GPIO controller, and the line that is the trigger's.
    Pl061(Memory, u32),
    /// The GPIO controller that a RISC-V machine gets, and the same.
    SiFive(Memory, u32),
}

impl Wiring {
    /// Looks up the symbols of QEMU's program for this target, `x86_64`.
    ///
    /// # Errors
    /// Why it cannot be used.
    pub fn look_up(target: &str, pin: u32) -> Result<Self, String> {
        let lines = match target {
            "aarch64" => pl061::LINES,
            "riscv64" => sifive::INPUTS,
            _ => u32::MAX,
        };
        if pin >= lines {
            return Err(format!("pin={pin} is out of range: 0 to {}", lines - 1));
        }
        let memory = || Memory::look_up().map_err(not_exported);
        match target {
            "x86_64" => Isa::look_up().map(Self::Parport).map_err(not_exported),
            "aarch64" => Ok(Self::Pl061(memory()?, pin)),
            "riscv64" => Ok(Self::SiFive(memory()?, pin)),
            _ => Err(format!(
                "it knows no wires of a machine {target}: use x86_64, aarch64 or riscv64"
            )),
        }
    }

    /// Returns where triggers go in.
    pub fn pin(&self, qemu: &Qemu, number: u32) -> Result<Pin, Absent> {
        match self {
            Self::Parport(_) => {
                qemu.pin(c"ioapic", number).ok_or(("there is no IOAPIC", "use -machine pc"))
            }
            Self::Pl061(..) => {
                qemu.pin(pl061::TYPE, number).ok_or(("there is no PL061", "use -machine virt"))
            }
            Self::SiFive(..) => {
                let remedy = "use -machine virt, without aia";
                qemu.pin(sifive::TYPE, number).ok_or(("there is no PLIC", remedy))
            }
        }
    }

    /// Has QEMU report each write to the port's registers: all of them update its interrupt output.
    /// `alone` gets that of a parallel port, whose interrupt goes nowhere else; `between` has to
    /// pass it on, and `latch` only where it changes.
    pub fn intercept(
        &self,
        qemu: &Qemu,
        [alone, between, latch]: [IrqFn; 3],
    ) -> Result<(), Absent> {
        match self {
            Self::Parport(isa) => {
                let pin = isa.pin(parport::INTERRUPT);
                let pin = pin.ok_or(("there is no ISA bus", "use -machine pc"))?;
                qemu.intercept(pin, alone);
            }
            Self::Pl061(..) => {
                let pin = qemu.pin(pl061::CONTROLLER, pl061::INTERRUPT);
                let remedy = "use -machine virt,gic-version=2";
                qemu.intercept(pin.ok_or(("there is no GIC", remedy))?, between);
            }
            // QEMU's PLIC takes each report of a level that is high for another interrupt, also while
            // the handler of the first one runs, as no gateway does (RISC-V PLIC Specification, 1.3).
            Self::SiFive(_, input) => {
                let pin = qemu.pin(sifive::CONTROLLER, sifive::INTERRUPT + input);
                let remedy = "use -machine virt, without aia";
                qemu.intercept(pin.ok_or(("there is no PLIC", remedy))?, latch);
            }
        }
        Ok(())
    }

    /// Reads the registers; None if there is no port.
    pub fn seen(&self) -> Option<Seen> {
        match self {
            Self::Parport(isa) => parport::seen(isa.inb(parport::DATA), isa.inb(parport::CONTROL)),
            Self::Pl061(memory, input) => {
                let [data, direction, enable] = [pl061::DATA, pl061::DIRECTION, pl061::ENABLE]
                    .map(|register| memory.read(register).to_le_bytes()[0]);
                Some(pl061::seen(data, direction, enable, *input))
            }
            Self::SiFive(memory, input) => {
                let [output, enable] =
                    [sifive::OUTPUT, sifive::OUTPUT_ENABLE].map(|register| memory.read(register));
                let enables = sifive::INTERRUPT_ENABLES.map(|register| memory.read(register));
                Some(sifive::seen(output, enable, enables, *input))
            }
        }
    }
}

/// Formats what this QEMU lacks, for a message.
pub fn not_exported(missing: Vec<&str>) -> String {
    format!("this QEMU does not export {}: use QEMU 7.2 or later", missing.join(", "))
}
