// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Rig `twin`: an unmodified kernel on QEMU's virtual clock, where the same
//! scenario gives the same bits.
//!
//! A guest is booted once, and each case goes on from its state, so that no case
//! depends on the ones before it. The guest reads its plan from a device that answers
//! at once, and the samples leave through a virtio port whose driver is loaded when the
//! measurement is over: between boot and result nothing outside can touch the virtual
//! clock. The generator is a plugin in QEMU, on the same clock; its settings are given
//! before the guest goes on.

use std::time::Duration;

use irqscope_quantity::Span;
use irqscope_scenario::{Case, Devices, Payload, Twin};
use irqscope_wire::{Faults, HostByte, Plan};
use tempfile::NamedTempFile;

use crate::arch::{Arch, Guest, PortModules};
use crate::case::{Event, Events};
use crate::error::{Result, RigError};
use crate::generator::plugin::{self, Plugin};
use crate::guest::devices;
use crate::guest::emulator::Emulator;
use crate::guest::image::{Image, List};
use crate::guest::qemu::Machine;
use crate::guest::riscv;
use crate::guest::snapshot::{Given, Snapshot, Start};
use crate::plan::{encoded, needs_parport};
use crate::prepared::Prepared;
use crate::rigs::{Job, Rig};
use crate::stop::Stop;

/// The drivers of the port that frames leave by.
const PORT: [&str; 2] = ["virtio_pci", "virtio_console"];

/// The longest turn of a CPU while a guest boots. It decides the kept state.
pub(super) const BOOT_NS: u64 = 50_000;

/// The culprits of `[faults]` that are the kernel's.
const FAULTS: &str = "irqscope_faults";

/// The twin of a run, and what its cases boot.
pub(crate) struct TwinRig {
    twin: Twin,
    devices: Devices,
    payload: Payload,
    prepared: Vec<Prepared>,
    emulators: Vec<(Arch, Emulator)>,
}

impl TwinRig {
    pub fn new(twin: Twin, devices: Devices, payload: Payload) -> Self {
        Self { twin, devices, payload, prepared: Vec::new(), emulators: Vec::new() }
    }
}

impl Rig for TwinRig {
    fn prepare(&mut self, cases: &mut [Case], say: &dyn Fn(&str), stop: &Stop) -> Result<()> {
        let foreign = |case: &&mut Case| Arch::of_kernel(&case.kernel.label).foreign();
        if let Some(case) = cases.iter_mut().find(foreign).filter(|case| case.plan.isolates()) {
            return Err(RigError::unready(
                format!(
                    "isolate in the twin follows x86-64 CPUs, not those of {}",
                    case.kernel.label
                ),
                "name a kernel for x86-64, or measure on the machine itself: --rig local or ssh",
            ));
        }
        self.prepared = Prepared::all(cases, &self.payload, self.twin.sections, say, stop)?;
        for arch in Arch::ALL {
            if self.prepared.iter().any(|one| one.kernel.arch() == arch) {
                self.emulators.push((arch, Emulator::of(arch, self.twin.cpus, say)?));
            }
        }
        Ok(())
    }

    /// Runs a case; where QEMU does not take the plugin it is run again without, with the driver's
    /// own timer.
    fn run_case(&self, job: &Job<'_>, events: &mut Events<'_>) -> Result<()> {
        let ran = self.measure(job, true, events);
        let Some(why) = ran.as_ref().err().and_then(plugin::unusable) else {
            return ran;
        };
        if job.plan.isolates() {
            return Err(RigError::unready(
                format!("what takes a CPU away from its loop cannot be seen: {why}"),
                "use another QEMU (with several CPUs 9.2 or later)",
            ));
        }
        if self.twin.cpus > 1 {
            return Err(RigError::unready(
                format!("the turns of several CPUs cannot be decided: {why}"),
                "use another QEMU, or set twin.cpus to 1",
            ));
        }
        if self.twin.sections {
            return Err(RigError::unready(
                format!("sections cannot be seen: {why}"),
                "use another QEMU, or leave --sections out",
            ));
        }
        let instead = match job.plan.outside() {
            Some(_) => "the driver's own timer triggers, and there is no view from outside",
            None => "two runs can differ by some hundred nanoseconds, very seldom",
        };
        events(Event::warning(format!("the generator cannot be used ({why}): {instead}")))?;
        self.measure(&Job { plan: &job.plan.without_generator(), ..*job }, false, events)
    }
}

impl TwinRig {
    fn emulator(&self, arch: Arch) -> Result<&Emulator> {
        let found = self.emulators.iter().find(|(of, _)| *of == arch);
        let unprepared = || RigError::unready("the twin was not prepared", "report this");
        found.map(|(_, emulator)| emulator).ok_or_else(unprepared)
    }

    /// Runs one case in a guest of its own, which goes on from where the boot ended.
    fn measure(&self, job: &Job<'_>, plugs: bool, events: &mut Events<'_>) -> Result<()> {
        events(Event::Phase("preparing the guest"))?;
        let Job { plan, console, stop, .. } = *job;
        let prepared = &self.prepared[job.index];
        let asked = plan.stages().filter(|asked| asked.outside.is_some());
        let isolates = plugs && plan.isolates();
        let sections = plugs && self.twin.sections;
        let turns = plugs && self.twin.cpus > 1 && plan.explains();
        let records = asked.is_some() || isolates || sections || turns;
        let mut plugin = records.then(Plugin::listen).transpose()?;
        let arch = prepared.kernel.arch();
        let image = image(prepared, plan, self.devices, self.twin.memory)?;
        let emulator = self.emulator(arch)?;
        let machine = Machine {
            emulator,
            kernel: &prepared.boots,
            initramfs: image.path(),
            append: &prepared.command_line(arch.command_line()),
            args: machine_args(arch, emulator, self.twin, self.devices, plan, "off")?,
            console,
            limit: Duration::from_secs(self.twin.limit),
            limit_key: "twin.limit",
        };
        let given = Given::new()?;
        let mut going_on = machine.clone();
        going_on.args.extend(work(&given, plan, false)?);
        let settles = self.twin.settled && plugs;
        if settles {
            going_on.args.extend(given.file("settled", b"1")?);
        }
        let mut target = prepared.follower();
        let snapshot = Snapshot::of(&machine)?;
        let (mut booting, mut settling) = (machine, going_on.clone());
        if let (Some(plugin), Some(asked)) = (&mut plugin, asked) {
            let first = job.first.map_or(self.twin.first, Span);
            let twin = Twin { first, ..self.twin };
            going_on.args.extend(plugin.args(asked, plan.cpu, prepared.lines(plan), twin)?);
        } else if let Some(plugin) = &plugin {
            going_on.args.extend(plugin.watching(plan, self.twin)?);
        } else if plugs {
            going_on.args.extend(plugin::clock_only(self.twin.cpus, self.twin.quantum.0)?);
        }
        if plugs {
            booting.args.extend(plugin::clock_only(self.twin.cpus, BOOT_NS)?);
            settling.args.extend(plugin::clock_only(self.twin.cpus, BOOT_NS)?);
        }
        let later = settles.then(|| later(&snapshot, plan)).transpose()?;
        let mut run = || {
            let mut report = |report: Start<'_>| {
                match report {
                    Start::Boots => events(Event::Phase("booting the guest"))?,
                    Start::Damaged(what) => events(Event::warning(what))?,
                    Start::Sends(bytes) => target.push(bytes, events)?,
                }
                Ok(target.has_ended().then_some(HostByte::HasAll))
            };
            let started = match &later {
                None => snapshot.start(&booting, &going_on, stop, &mut report)?,
                Some(later) => {
                    let machines = [&booting, &settling, &going_on];
                    snapshot.start_later(later, machines, stop, &mut report)?
                }
            };
            let Some(mut qemu) = started else { return Ok(()) };
            events(Event::Phase("measuring on the virtual clock"))?;
            qemu.read_to_end(stop, &mut |bytes| {
                target.push(bytes, events)?;
                plugin.as_mut().map_or(Ok(()), |plugin| plugin.drain(events))?;
                let needs_symbols = self.twin.trace > 0 || self.twin.sections || isolates;
                Ok(match target.has_ended() {
                    true if needs_symbols && target.owes_symbols() => Some(HostByte::SymbolsWanted),
                    true => Some(HostByte::HasAll),
                    false => None,
                })
            })
        };
        let ran = run();
        let outside = plugin.as_mut().map_or(Ok(()), |plugin| plugin.finish(console, events));
        // It is the reason why QEMU has ended.
        if let Err(RigError::Generator(_) | RigError::Refused { .. }) = &outside {
            return outside;
        }
        target.judge(ran, console)?;
        outside?;
        match plugin.is_some_and(|plugin| sections && !plugin.has_sections()) {
            true => Err(RigError::unready(
                format!("{} never said when something is measured", prepared.kernel.release),
                "leave --sections out: it needs the driver in a kernel for x86-64 or arm64",
            )),
            false => Ok(()),
        }
    }
}

/// Returns the arguments of a machine with a counted clock and nothing that the host
/// could disturb. `sleep`: whether idle virtual time takes real time.
pub(super) fn machine_args(
    arch: Arch,
    emulator: &Emulator,
    twin: Twin,
    devices: Devices,
    plan: &Plan,
    sleep: &str,
) -> Result<Vec<String>> {
    let mut args: Vec<String> = arch.machine().map(String::from).into();
    // On a counted clock QEMU lets CPUs take turns in one thread.
    let (cpus, clock) = (twin.cpus.to_string(), "base=2026-01-01,clock=vm");
    args.extend(["-accel", "tcg", "-smp", &cpus, "-rtc", clock].map(String::from));
    args.extend(["-icount".into(), format!("shift={},sleep={sleep}", twin.shift)]);
    args.extend(["-m".into(), twin.memory.to_string()]);
    args.extend(arch.stop_device().map(String::from));
    if needs_parport(plan) {
        args.extend(
            ["-chardev", "null,id=lpt", "-device", "isa-parallel,chardev=lpt"].map(String::from),
        );
    }
    args.extend(devices::cards(devices));
    if arch == Arch::Riscv64 {
        let files = riscv::args(emulator, &args, plan.line() == arch.line())?;
        args.extend(files);
    }
    Ok(args)
}

/// Makes the image that cases boot: one for all plans with the same devices and modules.
pub(super) fn image(
    prepared: &Prepared,
    plan: &Plan,
    devices: Devices,
    memory: u32,
) -> Result<NamedTempFile> {
    let mut image = Image::new(prepared)?;
    let mut early = List::default();
    image.devices(&mut early, devices)?;
    image.own_modules(&mut early, &prepared.brought.modules)?;
    let arch = prepared.kernel.arch();
    let port = (plan.line() == arch.line()).then(|| arch.port_modules());
    // Without the kernel's own, the driver's module drives the port itself.
    let kernels = port.as_ref().filter(|_| prepared.kernel.has("PARPORT_PC"));
    if let Some((name, parameters)) = kernels.and_then(|port| port.kernel) {
        image.kernel_module(&mut early, name, parameters)?;
    }
    image.driver_module(&mut early, "irqscope", "")?;
    if let Some(PortModules { driver: (name, parameters), .. }) = port {
        image.driver_module(&mut early, name, parameters)?;
    }
    let faults = plan.stages().and_then(|asked| asked.faults.as_ref());
    if faults.is_some_and(|faults| modules(faults) != 0) {
        image.driver_module(&mut List::default(), FAULTS, "")?;
    }
    let mut port = List::default();
    for name in PORT {
        image.kernel_module(&mut port, name, "")?;
    }
    image.list("modules", &early)?;
    image.list("modules.port", &port)?;
    image.list("stops", &List::default())?;
    image.finish(memory, "twin.memory")
}

/// Returns the place of the state in which a plan's loads have settled.
fn later(snapshot: &Snapshot, plan: &Plan) -> Result<Snapshot> {
    snapshot.after(&[&encoded(plan)?, modules_of(plan).as_bytes()])
}

/// Returns QEMU's arguments for a plan that the guest finds when it goes on. `live`: its frames
/// leave at once, which moves the virtual clock.
pub(super) fn work(given: &Given, plan: &Plan, live: bool) -> Result<Vec<String>> {
    let mut args = Vec::from(given.file("plan", &encoded(plan)?)?);
    let list = modules_of(plan);
    if !list.is_empty() {
        args.extend(given.file("modules.case", list.as_bytes())?);
    }
    if live {
        args.extend(given.file("live", b"1")?);
    }
    Ok(args)
}

/// Returns the list of the modules that a plan alone needs, with their parameters.
fn modules_of(plan: &Plan) -> String {
    let faults = plan.stages().and_then(|asked| asked.faults.as_ref());
    let faults = faults.filter(|faults| modules(faults) != 0);
    faults
        .map(|faults| format!("/modules/{FAULTS}.ko {}\n", parameters(faults)))
        .unwrap_or_default()
}

/// Returns the module's kinds among those of a plan, as it takes them.
fn modules(faults: &Faults) -> u32 {
    let modules = faults.kinds.iter().filter(|kind| kind.is_modules());
    modules.fold(0, |mask, kind| mask | 1 << *kind as u32)
}

fn parameters(faults: &Faults) -> String {
    let kinds = modules(faults);
    let Faults { length_ns, interval_ns, seed, .. } = faults;
    // Zero has no successor in the module's generator.
    let seed = seed.max(&1);
    format!("kinds={kinds} length_ns={length_ns} interval_ns={interval_ns} seed={seed}")
}
