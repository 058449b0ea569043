// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Rig `vm`: an unmodified kernel in a virtual machine, in real time, with a
//! generator on the host behind an ivshmem doorbell.
//!
//! With KVM it is a measurement of a virtual machine: exits, injection and the
//! host's own scheduling are part of every latency. Without KVM QEMU emulates
//! the machine, and its figures are the emulator's: good for trying transport,
//! live views and drivers, and for nothing that has to be true of a machine.
//!
//! Two CPUs: the one under test, and one for the agent and its frames, which
//! leave at once.

use std::sync::OnceLock;
use std::time::Duration;

use irqscope_scenario::{Case, Devices, Payload, Vm};
use irqscope_wire::{HostByte, Line, Plan};
use tempfile::NamedTempFile;

use crate::arch::Guest;
use crate::case::{Event, Events};
use crate::error::{Result, RigError};
use crate::generator::doorbell::Doorbell;
use crate::generator::outside::Outside;
use crate::guest::devices::{Blank, cards};
use crate::guest::emulator::Emulator;
use crate::guest::image::{Image, List};
use crate::guest::kvm::{Kvm, LIMIT, probe};
use crate::guest::qemu::{Machine, Qemu};
use crate::parts::Part;
use crate::prepared::Prepared;
use crate::rigs::{Job, Rig};
use crate::stop::Stop;
use crate::text::words;

const CMDLINE: &str = "console=ttyS0 loglevel=5 panic=-1 oops=panic random.trust_cpu=on \
                       net.ifnames=0";

/// Remarks why the figures are an emulator's, if they are.
fn remark(kvm: &Kvm) -> Option<String> {
    let why = match kvm {
        Kvm::Works => return None,
        Kvm::Absent => "there is no KVM here".to_owned(),
        Kvm::Hangs => format!("a guest on /dev/kvm hangs (tried for {LIMIT:?})"),
        Kvm::Refused(said) => {
            format!("KVM does not work ({})", said.lines().next().unwrap_or("QEMU says nothing"))
        }
    };
    Some(format!(
        "{why}, so QEMU emulated the machine: the figures are the emulator's (medians of about \
         100 us and tails of 5 ms are usual) and measure no kernel; use rig twin, or a machine \
         with KVM"
    ))
}

/// The virtual machine of a run, and what its cases boot.
pub(crate) struct VmRig {
    vm: Vm,
    devices: Devices,
    payload: Payload,
    prepared: Vec<Prepared>,
    /// Found out by the first case.
    kvm: OnceLock<Kvm>,
}

impl VmRig {
    pub fn new(vm: Vm, devices: Devices, payload: Payload) -> Self {
        Self { vm, devices, payload, prepared: Vec::new(), kvm: OnceLock::new() }
    }
}

impl Rig for VmRig {
    fn prepare(&mut self, cases: &mut [Case], say: &dyn Fn(&str), stop: &Stop) -> Result<()> {
        if cases.iter().any(|case| case.plan.outside().is_some()) {
            Part::Doorbell.find()?;
        }
        self.prepared = Prepared::all(cases, &self.payload, false, say, stop)?;
        Ok(())
    }

    /// Runs one case in a fresh guest.
    fn run_case(&self, job: &Job<'_>, events: &mut Events<'_>) -> Result<()> {
        let Job { plan, console, stop, .. } = *job;
        let prepared = &self.prepared[job.index];
        let arch = prepared.kernel.arch();
        if arch.foreign() {
            return Err(RigError::unready(
                format!(
                    "rig vm does not boot {}, a kernel for {}",
                    prepared.kernel.name,
                    arch.debian()
                ),
                "use rig = \"twin\"",
            ));
        }
        let kvm = self.kvm(prepared, events)?;
        events(Event::Phase("preparing the guest"))?;
        let mut generator = self.generator(prepared, plan, stop)?;
        let image = image(prepared, plan, self.devices, self.vm.memory)?;
        let disk = Blank::of(self.devices)?;
        let mut args = machine_args(self.vm, kvm, generator.as_ref());
        args.extend(cards(self.devices));
        args.extend(disk.iter().flat_map(Blank::args));
        let machine = Machine {
            emulator: &Emulator::installed(arch),
            kernel: &prepared.boots,
            initramfs: image.path(),
            append: &prepared.command_line(&cmdline(kvm)),
            args,
            console,
            limit: Duration::from_secs(self.vm.limit),
            limit_key: "vm.limit",
        };
        let mut qemu = Qemu::start(&machine, stop)?;
        events(Event::Phase("measuring in real time"))?;
        let mut target = prepared.follower();
        let ran = qemu.read_to_end(stop, &mut |bytes| {
            target.push(bytes, events)?;
            let ended = generator.as_mut().map_or(Ok(false), |it| it.outside.drain(events))?;
            let word = ended.then_some(HostByte::TriggersEnded);
            Ok(if target.has_ended() { Some(HostByte::HasAll) } else { word })
        });
        drop(qemu);
        target.judge(ran, console)?;
        generator.map_or(Ok(()), |mut it| it.outside.finish(console, events))
    }
}

impl VmRig {
    /// Starts the generator; `None` where a plan has no view from outside.
    fn generator(
        &self,
        prepared: &Prepared,
        plan: &Plan,
        stop: &Stop,
    ) -> Result<Option<Generator>> {
        let Some(asked) = plan.stages().filter(|asked| asked.outside.is_some()) else {
            return Ok(None);
        };
        let doorbell = Doorbell::start(prepared.lines(plan), self.vm.generator_cpu, stop)?;
        let outside = Outside::begin(&doorbell.address, None, asked, stop)?;
        Ok(Some(Generator { outside, doorbell }))
    }

    /// Returns whether KVM does it; if not, a warning says why.
    fn kvm(&self, prepared: &Prepared, events: &mut Events<'_>) -> Result<&Kvm> {
        events(Event::Phase("trying KVM"))?;
        let kvm = self.kvm.get_or_init(|| probe(&prepared.kernel.image));
        remark(kvm).map_or(Ok(()), |remark| events(Event::warning(remark)))?;
        Ok(kvm)
    }
}

/// Ends in this order: the connection, then the process.
struct Generator {
    outside: Outside,
    doorbell: Doorbell,
}

/// Returns the command line. The emulated counters do agree, which the kernel cannot know; and the
/// emulated timer works, though a busy host may be too late for the kernel's trial of it.
fn cmdline(kvm: &Kvm) -> String {
    let emulated = " tsc=reliable clocksource=tsc no_timer_check";
    let clock = if *kvm == Kvm::Works { "" } else { emulated };
    format!("{CMDLINE}{clock}")
}

fn machine_args(vm: Vm, kvm: &Kvm, generator: Option<&Generator>) -> Vec<String> {
    let cpu = match kvm {
        Kvm::Works => "-accel kvm -cpu host",
        _ => "-accel tcg,thread=multi -cpu qemu64,+rdrand",
    };
    let mut args = words(&format!("-machine pc {cpu} -smp 2 -m {}", vm.memory));
    args.extend(generator.iter().flat_map(|generator| generator.doorbell.args()));
    args
}

fn image(prepared: &Prepared, plan: &Plan, devices: Devices, memory: u32) -> Result<NamedTempFile> {
    let mut image = Image::new(prepared)?;
    image.plan(plan)?;
    let (mut modules, mut port) = (List::default(), List::default());
    for name in ["virtio_pci", "virtio_console"] {
        image.kernel_module(&mut port, name, "")?;
    }
    image.devices(&mut modules, devices)?;
    image.own_modules(&mut modules, &prepared.brought.modules)?;
    image.driver_module(&mut modules, "irqscope", "")?;
    if plan.line() == Line::Ivshmem {
        image.driver_module(&mut modules, "irqscope_ivshmem", "")?;
    }
    image.list("modules", &modules)?;
    image.list("modules.port", &port)?;
    image.list("live", &List::default())?;
    image.finish(memory, "vm.memory")
}
