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

use crate::agent;
use crate::case::{Event, Events, Follower};
use crate::command::output;
use crate::console::first_complaint;
use crate::driver::{Build, Driver};
use crate::error::{Result, Trying, lost};
use crate::initramfs::Initramfs;
use crate::kernel::Kernel;
use crate::modules::Modules;
use crate::plan::{encoded, needs_parport};
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
    let initramfs = initramfs(kernel, plan)?;
    let file = tempfile::NamedTempFile::new().trying(|| "cannot create the initramfs".into())?;
    std::fs::write(file.path(), initramfs).trying(|| "cannot write the initramfs".into())?;
    let machine = Machine {
        kernel: &kernel.image(),
        initramfs: file.path(),
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
    judge(ran, follower, console)
}

/// The target's own word counts first; then its kernel's log; then the way it
/// ended.
fn judge(ran: Result<()>, follower: Follower, console: &Path) -> Result<()> {
    let log = std::fs::read(console).unwrap_or_default();
    if let Some(complaint) = first_complaint(&String::from_utf8_lossy(&log)) {
        return Err(lost(format!("the guest's kernel complained: {}", complaint.trim()), console));
    }
    ran?;
    follower.end().unwrap_or_else(|| Err(lost("the guest ended without a result", console)))
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

fn initramfs(kernel: &Kernel, plan: &Plan) -> Result<Vec<u8>> {
    let headers = kernel.headers();
    let build = Build { headers: &headers, release: &kernel.release, test: plan.delay.is_some() };
    let driver = Driver::build(build, &|_| {})?;
    let agent = agent::find()?;
    let agent = std::fs::read(&agent).trying(|| format!("cannot read {}", agent.display()))?;
    let mut initramfs = Initramfs::new(&agent)?;
    let modules = Modules::of(kernel)?;

    let mut early = List::default();
    if needs_parport(plan) {
        early.add_kernel_modules(&mut initramfs, &modules, "parport_pc", "io=0x378 irq=none")?;
    }
    early.add_driver(&mut initramfs, &driver, "irqscope")?;
    if needs_parport(plan) {
        early.add_driver(&mut initramfs, &driver, "irqscope_parport")?;
    }
    initramfs.file("irqscope/modules", early.text.as_bytes())?;

    let mut late = List::default();
    for name in ["virtio_pci", "virtio_console"] {
        late.add_kernel_modules(&mut initramfs, &modules, name, "")?;
    }
    initramfs.file("irqscope/modules.late", late.text.as_bytes())?;

    initramfs.file("irqscope/plan", &encoded(plan)?)?;
    initramfs.finish()
}

/// A list of modules for the agent, one `path parameters` per line.
#[derive(Default)]
struct List {
    text: String,
}

impl List {
    fn add_kernel_modules(
        &mut self,
        initramfs: &mut Initramfs,
        modules: &Modules,
        name: &str,
        parameters: &str,
    ) -> Result<()> {
        for (module, contents) in modules.load_order(name)? {
            let parameters = if module == name { parameters } else { "" };
            self.add(initramfs, &module, &contents, parameters)?;
        }
        Ok(())
    }

    fn add_driver(&mut self, initramfs: &mut Initramfs, driver: &Driver, name: &str) -> Result<()> {
        let path = driver.module(name);
        let contents = std::fs::read(&path).trying(|| format!("cannot read {}", path.display()))?;
        self.add(initramfs, name, &contents, "")
    }

    fn add(
        &mut self,
        initramfs: &mut Initramfs,
        name: &str,
        contents: &[u8],
        parameters: &str,
    ) -> Result<()> {
        let path = format!("modules/{name}.ko");
        let line = format!("/{path} {parameters}\n");
        if self.text.contains(&format!("/{path} ")) {
            return Ok(());
        }
        self.text.push_str(&line);
        initramfs.file(&path, contents)
    }
}
