// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Rig `twin`: an unmodified kernel on QEMU's virtual clock, where the same
//! scenario gives the same bits.
//!
//! Each case is a boot of its own, so that no case depends on the ones before
//! it. The plan lies in the initramfs and the samples leave through a virtio
//! port whose driver is loaded when the measurement is over: between boot and
//! result nothing outside can touch the virtual clock. The generator is a plugin
//! in QEMU, on the same clock; its settings are given before that clock begins.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use irqscope_scenario::Twin;
use irqscope_wire::{Faults, HostByte, Load, Outside, Plan, SystemState, Tick, Trigger};
use tempfile::NamedTempFile;

use crate::agent::find_plugin;
use crate::arch::{Arch, Guest, PortModules, Program};
use crate::case::{Event, Events, Follower, Stream};
use crate::command::output;
use crate::error::{Result, lost};
use crate::generator::board::default_stages;
use crate::generator::plugin::{self, Plugin};
use crate::guest::image::{Image, List};
use crate::guest::qemu::{Machine, Qemu};
use crate::plan::needs_parport;
use crate::prepared::Prepared;
use crate::stop::Stop;

/// An error if this machine lacks a program that a guest with one of these kernels
/// needs.
pub fn check_programs<'a>(kernels: impl IntoIterator<Item = &'a str>) -> Result<()> {
    output(Command::new("setpriv").arg("--version"), "util-linux")?;
    for kernel in kernels {
        let Program { name, package } = Arch::of_kernel(kernel).qemu();
        output(Command::new(name).arg("--version"), package)?;
    }
    Ok(())
}

/// Runs one case in a fresh guest. The console log is written to `console`.
pub fn run_case(
    prepared: &Prepared,
    plan: &Plan,
    twin: Twin,
    console: &Path,
    stop: &Stop,
    events: &mut Events<'_>,
) -> Result<()> {
    let case = Case { prepared, twin, console, stop };
    let ran = case.run(plan, events);
    match ran.as_ref().err().and_then(plugin::refusal) {
        Some(why) => {
            events(Event::warning(format!(
                "the generator cannot be used ({why}): the driver's own timer triggers, and there is no view from outside"
            )))?;
            case.run(&plan.without_generator(), events)
        }
        None => ran,
    }
}

/// A twin that stays up, for `irqscope twin`: its driver answers for an open-ended
/// time, and its generator serves whoever connects to a TCP port. Idle virtual time
/// passes as real time does, so that one can look on.
pub struct OpenTwin<'a> {
    pub prepared: &'a Prepared,
    /// Its count is [`Plan::OPEN_END`], and nothing is recorded inside.
    pub plan: &'a Plan,
    pub twin: Twin,
    /// On 127.0.0.1; 0 takes any that is free.
    pub port: u16,
    pub console: &'a Path,
}

impl OpenTwin<'_> {
    /// Boots, tells the generator's address, and then, when the target answers, says
    /// so. Returns when `stop` is requested, or when the guest has ended.
    pub fn run(
        &self,
        stop: &Stop,
        address: &mut dyn FnMut(&str),
        answers: &mut dyn FnMut(),
    ) -> Result<()> {
        let Self { prepared, plan, twin, port, console } = *self;
        let plugin = find_plugin()?;
        let image = image(prepared, plan)?;
        let mut args = machine_args(prepared.kernel.arch(), twin, plan, "on");
        let lines = prepared.lines(plan);
        args.extend(["-plugin".into(), format!("{},port={port},lines={lines}", plugin.display())]);
        let arch = prepared.kernel.arch();
        let machine = Machine {
            program: arch.qemu(),
            kernel: &prepared.kernel.image(),
            initramfs: image.path(),
            append: arch.command_line(),
            args,
            console,
            limit: FOR_EVER,
            limit_key: "none",
        };
        let mut qemu = Qemu::start(&machine, stop)?;
        address(&qemu.hear(LISTENS, stop)?);
        let mut told = false;
        qemu.read_to_end(stop, &mut |_| {
            // The port's own driver is loaded when all is over; the console tells.
            if !told && says_that_it_answers(console) {
                told = true;
                answers();
            }
            Ok(None)
        })?;
        Err(lost("the guest has ended by itself", console))
    }
}

/// Every stage that has a line, from outside only, under these loads, without an end.
pub fn open_plan(kernel: &str, loads: &[Load]) -> Plan {
    let arch = Arch::of_kernel(kernel);
    let name = if loads.is_empty() { "idle" } else { "load" };
    Plan {
        case: format!("{kernel}/{name}"),
        trigger: Trigger::Line,
        stages: default_stages(arch.lines()),
        line: arch.line(),
        count: Plan::OPEN_END,
        state: SystemState { name: name.into(), loads: loads.to_vec(), hog: None },
        tick: Some(NANOSECOND),
        outside: Some(Outside::default()),
        inside: false,
        ..Plan::default()
    }
}

/// QEMU's counter counts virtual nanoseconds, whatever an instruction takes.
const NANOSECOND: Tick = Tick { femtoseconds: 1_000_000 };

/// What the plugin says before its address.
const LISTENS: &str = "listens on ";
/// What the agent says on the console of an open-ended plan.
const ANSWERS: &str = "irqscope-agent: answers";
const FOR_EVER: Duration = Duration::from_secs(10 * 365 * 24 * 3600);

fn says_that_it_answers(console: &Path) -> bool {
    std::fs::read_to_string(console).is_ok_and(|log| log.contains(ANSWERS))
}

/// What stays the same when a case is tried again.
struct Case<'a> {
    prepared: &'a Prepared,
    twin: Twin,
    console: &'a Path,
    stop: &'a Stop,
}

impl Case<'_> {
    fn run(&self, plan: &Plan, events: &mut Events<'_>) -> Result<()> {
        events(Event::Phase("preparing the guest"))?;
        let mut plugin = plan.outside.map(|_| Plugin::listen()).transpose()?;
        let image = image(self.prepared, plan)?;
        let mut args = machine_args(self.prepared.kernel.arch(), self.twin, plan, "off");
        if let (Some(plugin), Some(outside)) = (&plugin, plan.outside) {
            let lines = self.prepared.lines(plan);
            args.extend(plugin.args(plan, outside, lines, self.twin.trace)?);
        }
        let arch = self.prepared.kernel.arch();
        let machine = Machine {
            program: arch.qemu(),
            kernel: &self.prepared.kernel.image(),
            initramfs: image.path(),
            append: arch.command_line(),
            args,
            console: self.console,
            limit: Duration::from_secs(self.twin.limit),
            limit_key: "twin.limit",
        };
        let mut qemu = Qemu::start(&machine, self.stop)?;
        events(Event::Phase("measuring on the virtual clock"))?;
        let mut target = Follower::new(Stream::Target);
        let ran = qemu.read_to_end(self.stop, &mut |bytes| {
            target.push(bytes, events)?;
            plugin.as_mut().map_or(Ok(()), |plugin| plugin.drain(events))?;
            let traced = self.twin.trace > 0;
            Ok(match target.has_ended() {
                true if traced && target.owes_symbols() => Some(HostByte::SymbolsWanted),
                true => Some(HostByte::HasAll),
                false => None,
            })
        });
        drop(qemu);
        let outside = plugin.map_or(Ok(()), |plugin| plugin.finish(self.console, events));
        target.judge(ran, self.console)?;
        outside
    }
}

/// A machine with one CPU, a counted clock, and nothing that the host could disturb.
/// `sleep`: whether idle virtual time takes real time.
fn machine_args(arch: Arch, twin: Twin, plan: &Plan, sleep: &str) -> Vec<String> {
    let mut args: Vec<String> = arch.machine().map(String::from).into();
    let common = ["-accel", "tcg", "-smp", "1", "-rtc", "base=2026-01-01,clock=vm"];
    args.extend(common.map(String::from));
    args.extend(["-icount".into(), format!("shift={},sleep={sleep}", twin.shift)]);
    args.extend(["-m".into(), twin.memory.to_string()]);
    if needs_parport(plan) {
        args.extend(
            ["-chardev", "null,id=lpt", "-device", "isa-parallel,chardev=lpt"].map(String::from),
        );
    }
    args
}

fn image(prepared: &Prepared, plan: &Plan) -> Result<NamedTempFile> {
    let mut image = Image::new(prepared, plan)?;
    let mut early = List::default();
    let arch = prepared.kernel.arch();
    let port = (plan.line == arch.line()).then(|| arch.port_modules());
    if let Some((name, parameters)) = port.as_ref().and_then(|port| port.kernel) {
        image.kernel_module(&mut early, name, parameters)?;
    }
    image.driver_module(&mut early, "irqscope", "")?;
    if let Some(PortModules { driver: (name, parameters), .. }) = port {
        image.driver_module(&mut early, name, parameters)?;
    }
    if let Some(faults) = plan.faults.as_ref().filter(|faults| modules(faults) != 0) {
        image.driver_module(&mut early, "irqscope_faults", &parameters(faults))?;
    }
    image.list("modules", &early)?;
    let mut late = List::default();
    for name in ["virtio_pci", "virtio_console"] {
        image.kernel_module(&mut late, name, "")?;
    }
    image.list("modules.late", &late)?;
    image.finish()
}

/// The module's kinds among those of a plan, as it takes them.
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
