// SPDX-License-Identifier: GPL-2.0-or-later
//! The parts of the plugin that its arguments ask for.

use std::net::{Ipv4Addr, SocketAddr};

use irqscope_generator::server::Server;
use irqscope_generator::{Source, initial};
use irqscope_wire::{
    Command, GeneratorHello, GeneratorKind, Limits, PROTOCOL, Range, Shape, TWIN_LISTENS, Tick,
};

use crate::args::Args;
use crate::qemu::Memory;
use crate::smi::Smi;
use crate::unusable::Unusable;
use crate::wiring::{Wiring, not_exported};

const HOUR_NS: u64 = 3_600_000_000_000;
/// Messages that may wait for a host that does not read.
const ROOM: usize = 1024;
/// A virtual nanosecond.
const TICK: Tick = Tick { femtoseconds: 1_000_000 };

const PERIOD: Range = Range { lowest: 1_000, highest: HOUR_NS };

const LIMITS: Limits = Limits {
    period: PERIOD,
    interval: PERIOD,
    jitter_amount: Range { lowest: 0, highest: HOUR_NS },
    timeout: PERIOD,
    pulse: 100,
    shape: Range { lowest: 0, highest: Shape::Pulse as u64 },
    sees_arming: true,
    ..Limits::USUAL
};

/// Finds what raises system management interrupts, where there are such.
pub fn smi(args: &Args, wiring: Wiring) -> Result<(Smi, Memory), String> {
    if !matches!(wiring, Wiring::Parport(_)) {
        return Err("smi is for a PC: leave it out".to_owned());
    }
    let memory = Memory::look_up().map_err(not_exported)?;
    Ok((Smi::new(args.smi, args.smi_seed, initial(&LIMITS, TICK)), memory))
}

/// Hosts may connect from now on.
pub fn serve(port: u16, source: &Source) -> Result<Server, String> {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let server = Server::start(address, source).map_err(|error| error.to_string())?;
    if port == 0 {
        eprintln!("irqscope: {TWIN_LISTENS}{}", server.address());
    }
    Ok(server)
}

/// Makes the generator with its settings, started: virtual time has not begun.
pub fn source(args: &Args) -> Result<Source, Unusable> {
    let hello = GeneratorHello {
        protocol: PROTOCOL,
        kind: GeneratorKind::Twin,
        tool_version: env!("CARGO_PKG_VERSION").to_owned(),
        tick: TICK,
        lines: args.lines,
        limits: LIMITS,
        challenge: None,
    };
    let mut source = Source::new(hello, args.window, ROOM, args.delay);
    let settings = Command::Set(args.settings.in_ticks(TICK));
    for command in [Some(settings), args.start.map(Command::Start)].into_iter().flatten() {
        source.set(command, 0).map_err(Unusable::Settings)?;
    }
    Ok(source)
}
