// SPDX-License-Identifier: Apache-2.0 OR MIT
//! From the arguments to the end.

use std::io::{Read, Write};

use irqscope_generator::Source;
use irqscope_generator::server::{Server, read_secret};
use irqscope_generator::words::{self, hello};
use irqscope_wire::GeneratorKind;

use crate::args::Options;
use crate::doorbell::Doorbell;
use crate::error::{Result, Trying};
use crate::wires::{DoorbellWires, TICK};

/// Triggers that may be open at once: ten seconds of 1 kHz, and more.
const WINDOW: usize = 1 << 14;
/// Messages that may wait for a host that does not read.
const ROOM: usize = 1024;
/// From the target's arming to the first trigger.
const ARMED_DELAY: u64 = 1_000_000;

/// Serves machines and hosts until stdin ends.
///
/// # Errors
/// No socket, no memory, no thread.
pub fn serve(options: &Options) -> Result<()> {
    let doorbell = Doorbell::new(options.lines)?;
    let _socket = doorbell.serve(&options.doorbell)?;
    let hello = hello(GeneratorKind::Vm, TICK, options.lines, true);
    let source = Source::new(hello, WINDOW, ROOM, ARMED_DELAY);
    let secret = options.secret_file.as_deref().map(read_secret).transpose()?;
    let server = Server::guarded(options.listen.as_str(), &source, secret)?;
    let address = server.address();
    let wires = DoorbellWires { doorbell, cpu: options.cpu };
    let running = words::start(source, server, wires).trying("start the generator")?;
    let mut stdout = std::io::stdout();
    writeln!(stdout, "{address}").and_then(|()| stdout.flush()).trying("print the address")?;
    await_end();
    running.stop()?;
    Ok(())
}

fn await_end() {
    let mut stdin = std::io::stdin().lock();
    while let Ok(1..) = stdin.read(&mut [0; 256]) {}
}
