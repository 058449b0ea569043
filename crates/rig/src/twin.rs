// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Rig `twin`: an unmodified kernel on QEMU's virtual clock, where the same
//! scenario gives the same bits.
//!
//! Each case is a boot of its own, so that no case depends on the ones before
//! it. The plan lies in the initramfs and the samples leave through a virtio
//! port whose driver is loaded when the measurement is over: between boot and
//! result nothing outside can touch the virtual clock.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use irqscope_scenario::Twin;
use irqscope_wire::Plan;
use tempfile::NamedTempFile;

use crate::case::{Event, Events, Follower};
use crate::command::output;
use crate::error::Result;
use crate::image::{Image, List};
use crate::kernel::Kernel;
use crate::plan::needs_parport;
use crate::qemu::{Machine, Qemu};
use crate::stop::Stop;

/// `tsc=reliable`: the counter is the virtual clock itself; no watchdog timer.
/// `random.trust_cpu=on` with no RDRAND: nothing waits for entropy.
const CMDLINE: &str = "console=ttyS0 loglevel=5 panic=-1 oops=panic nokaslr tsc=reliable \
                       random.trust_cpu=on net.ifnames=0";

/// An error if this machine lacks a program that a guest needs.
pub fn check_programs() -> Result<()> {
    output(Command::new("setpriv").arg("--version"), "util-linux")?;
    output(Command::new("qemu-system-x86_64").arg("--version"), "qemu-system-x86").map(drop)
}

/// Runs one case in a fresh guest. The console log is written to `console`.
pub fn run_case(
    kernel: &Kernel,
    plan: &Plan,
    twin: Twin,
    console: &Path,
    stop: &Stop,
    events: &mut Events<'_>,
) -> Result<()> {
    events(Event::Phase("preparing the guest"))?;
    let image = image(kernel, plan)?;
    let machine = Machine {
        kernel: &kernel.image(),
        initramfs: image.path(),
        append: CMDLINE,
        args: machine_args(twin, plan),
        console,
        limit: Duration::from_secs(twin.limit),
    };
    let mut qemu = Qemu::start(&machine, stop)?;
    events(Event::Phase("measuring on the virtual clock"))?;
    let mut follower = Follower::default();
    let ran = qemu.read_to_end(stop, &mut |bytes| {
        follower.push(bytes, events)?;
        Ok(follower.has_ended())
    });
    drop(qemu);
    follower.judge(ran, console)
}

/// A PC with one CPU, a counted clock, and nothing that the host could disturb.
fn machine_args(twin: Twin, plan: &Plan) -> Vec<String> {
    let mut args: Vec<String> = [
        "-machine",
        "pc",
        "-accel",
        "tcg",
        "-cpu",
        "qemu64",
        "-smp",
        "1",
        "-rtc",
        "base=2026-01-01,clock=vm",
    ]
    .map(String::from)
    .into();
    args.extend(["-icount".into(), format!("shift={},sleep=off", twin.shift)]);
    args.extend(["-m".into(), twin.memory.to_string()]);
    if needs_parport(plan) {
        args.extend(
            ["-chardev", "null,id=lpt", "-device", "isa-parallel,chardev=lpt"].map(String::from),
        );
    }
    args
}

fn image(kernel: &Kernel, plan: &Plan) -> Result<NamedTempFile> {
    let mut image = Image::new(kernel, plan)?;
    let mut early = List::default();
    if needs_parport(plan) {
        image.kernel_module(&mut early, "parport_pc", "io=0x378 irq=none")?;
    }
    image.driver_module(&mut early, "irqscope")?;
    if needs_parport(plan) {
        image.driver_module(&mut early, "irqscope_parport")?;
    }
    image.list("modules", &early)?;
    let mut late = List::default();
    for name in ["virtio_pci", "virtio_console"] {
        image.kernel_module(&mut late, name, "")?;
    }
    image.list("modules.late", &late)?;
    image.finish()
}
