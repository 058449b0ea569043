// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A twin without a scenario, for `irqscope twin`: its target answers triggers until it
//! is stopped, and its generator serves hosts over TCP.

use std::path::Path;
use std::time::Duration;

use irqscope_scenario::{Devices, Twin};
use irqscope_wire::{Load, Outside, Plan, StagePlan, SystemState, TWIN_LISTENS, Trigger};

use crate::arch::{Arch, Guest};
use crate::case::{Follower, Stream};
use crate::error::{Result, lost};
use crate::generator::board::default_stages;
use crate::generator::plugin;
use crate::guest::emulator::Emulator;
use crate::guest::qemu::Machine;
use crate::guest::snapshot::{Given, Snapshot};
use crate::parts::Part;
use crate::prepared::Prepared;
use crate::rigs::twin::{BOOT_NS, image, machine_args, work};
use crate::stop::Stop;

/// A twin that stays up: its driver answers for an open-ended time, and its generator
/// serves hosts that connect to a TCP port. Idle virtual time passes as real time does,
/// so that the twin can be watched.
pub struct OpenTwin<'a> {
    /// The kernel, the driver and the agent.
    pub prepared: &'a Prepared,
    /// Its count is [`Plan::OPEN_END`], and nothing is recorded inside.
    pub plan: &'a Plan,
    /// The machine's settings.
    pub twin: Twin,
    /// On 127.0.0.1; 0 takes any that is free.
    pub port: u16,
    /// The file that gets the console's text.
    pub console: &'a Path,
}

impl OpenTwin<'_> {
    /// Boots, calls `address` with the generator's, and `answers` once the target
    /// answers triggers. Returns when `stop` is requested, or when the guest has ended.
    ///
    /// # Errors
    /// [`crate::RigError::Interrupted`] when stopped; else why the guest ended.
    pub fn run(
        &self,
        say: &dyn Fn(&str),
        stop: &Stop,
        address: &mut dyn FnMut(&str),
        answers: &mut dyn FnMut(),
    ) -> Result<()> {
        let Self { prepared, plan, twin, port, console } = *self;
        let plugin = Part::TwinPlugin.find()?;
        let arch = prepared.kernel.arch();
        let image = image(prepared, plan, Devices::default(), twin.memory)?;
        let emulator = Emulator::of(arch, twin.cpus, say)?;
        let machine = Machine {
            emulator: &emulator,
            kernel: &prepared.boots,
            initramfs: image.path(),
            append: arch.command_line(),
            args: machine_args(arch, &emulator, twin, Devices::default(), plan, "off")?,
            console,
            limit: FOR_EVER,
            limit_key: "none",
        };
        let given = Given::new()?;
        let mut going_on = machine.clone();
        going_on.args = machine_args(arch, &emulator, twin, Devices::default(), plan, "on")?;
        going_on.args.extend(work(&given, plan, true)?);
        let lines = prepared.lines(plan);
        going_on
            .args
            .extend(["-plugin".into(), format!("{},port={port},lines={lines}", plugin.display())]);
        let snapshot = Snapshot::of(&machine)?;
        let mut booting = machine;
        booting.args.extend(plugin::clock_only(twin.cpus, BOOT_NS)?);
        let mut qemu = snapshot
            .start(&booting, &going_on, stop, &mut |_| Ok(None))?
            .ok_or_else(|| lost("the guest has ended by itself", console))?;
        address(&qemu.line_after(TWIN_LISTENS, stop)?);
        let (mut target, mut announced) = (Follower::new(Stream::Target), false);
        qemu.read_to_end(stop, &mut |bytes| {
            target.push(bytes, &mut |_| Ok(()))?;
            if target.is_armed() && !announced {
                announced = true;
                answers();
            }
            Ok(None)
        })?;
        Err(lost("the guest has ended by itself", console))
    }
}

/// Returns a plan of every stage that has a line, from outside only, under these loads, without an
/// end.
pub fn open_plan(kernel: &str, loads: &[Load]) -> Plan {
    let arch = Arch::of_kernel(kernel);
    let name = if loads.is_empty() { "idle" } else { "load" };
    let asked = StagePlan {
        trigger: Trigger::Line,
        stages: default_stages(arch.lines()),
        line: arch.line(),
        count: Plan::OPEN_END,
        outside: Some(Outside::default()),
        inside: None,
        ..StagePlan::default()
    };
    Plan {
        case: format!("{kernel}/{name}"),
        state: SystemState::of(name, loads.to_vec()),
        tick: Some(arch.counter()),
        ..Plan::of_stages(asked)
    }
}

const FOR_EVER: Duration = Duration::from_secs(10 * 365 * 24 * 3600);
