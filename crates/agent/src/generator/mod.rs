// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `irqscope-agent generator`: a CPU of the target that injects interrupts into
//! another one and watches its response words.
//!
//! ```text
//! host ── TCP ── server's threads ── loop on the spare CPU ── ioctl ──> driver: inject
//!                                             ^                              │
//!                                             └── words in shared memory <── stages
//! ```
//!
//! A trigger's instant is the counter right before the injection, read by the driver
//! on the spare CPU; an edge's that of the look that saw it, by the same counter. So
//! the CPU under test reads no clock: it executes one store per response.

mod memory;
mod spare;
mod wires;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use irqscope_generator::Source;
use irqscope_generator::server::{Server, new_secret, read_secret};
use irqscope_generator::words::{self, hello};
use irqscope_wire::secret::Secret;
use irqscope_wire::{GeneratorKind, Listening, Message, Note, Tick};
use nix::sys::prctl::set_pdeathsig;
use nix::sys::signal::Signal;

use crate::error::{Error, Result};
use crate::stop::Stop;
use crate::{facts, scheduling};

pub use memory::{Layout, MOST_LINES};

use memory::Memory;
use spare::Spare;
use wires::SpareWires;

/// Triggers that may be open at once: ten seconds of 1 kHz, and more.
const WINDOW: usize = 1 << 14;
/// Messages that may wait for a host that does not read.
const ROOM: usize = 1024;
/// From the target's arming to the first trigger.
const ARMED_DELAY_FS: u64 = 1_000_000_000_000;
/// How often it is seen that the loop has ended by itself.
const LOOK: Duration = Duration::from_millis(250);

/// The options of `irqscope-agent generator`.
#[derive(Debug, PartialEq, Eq)]
pub struct GeneratorOptions {
    /// Response words that are watched.
    pub lines: u8,
    /// The address and port that hosts connect to.
    pub listen: String,
    /// Where it runs; None: the best one for it.
    pub cpu: Option<u32>,
    /// The CPU under test.
    pub under_test: u32,
    /// The hosts that it serves.
    pub guard: Guard,
    /// Ends it when stdin ends.
    pub stop_on_eof: bool,
}

/// The hosts that a generator serves.
#[derive(Debug, PartialEq, Eq)]
pub enum Guard {
    /// Every one.
    Open,
    /// Those that know the secret in this file.
    File(PathBuf),
    /// Those that know a secret which is drawn now, and goes to the program that starts it.
    Own,
}

impl Default for GeneratorOptions {
    fn default() -> Self {
        let listen = "127.0.0.1:0".into();
        let guard = Guard::Open;
        Self { lines: 11, listen, cpu: None, under_test: 0, guard, stop_on_eof: false }
    }
}

/// Runs the generator until it is stopped; returns the exit status.
pub fn run(options: &GeneratorOptions) -> ExitCode {
    match serve(options) {
        Ok(()) | Err(Error::Stopped(_)) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("irqscope-agent: error: {error}; {}", error.remedy());
            ExitCode::from(error.exit_code())
        }
    }
}

fn serve(options: &GeneratorOptions) -> Result<()> {
    let root = Path::new("/");
    // The session on this target puts it back: never without it.
    set_pdeathsig(Signal::SIGTERM).map_err(Error::system("ask to end with the starter"))?;
    let stop = Stop::on_signals()?.or_on_eof(options.stop_on_eof);
    let memory = Memory::open(root)?;
    let tick = tick(root)?;
    let spare = Spare::choose(root, options.cpu, options.under_test)?;
    let (placement, notes) = spare.take(root, options.under_test);
    scheduling::lock_memory()?;

    let mut hello = hello(GeneratorKind::Cpu, tick, options.lines, true);
    // Half a word has no room for one more, from 1.
    hello.limits.count.highest = u32::MAX.into();
    let mut source = Source::new(hello, WINDOW, ROOM, ARMED_DELAY_FS / tick.femtoseconds.max(1));
    notes.into_iter().for_each(|note: Note| source.outbox.push(Message::Note(note)));
    let (secret, own) = secret(&options.guard)?;
    let server = Server::guarded(options.listen.as_str(), &source, secret)
        .map_err(|error| Error::Generator(error.to_string()))?;
    let address = server.address();
    let running = words::start(source, server, SpareWires { memory, placement })
        .map_err(|source| Error::System { what: "start the generator", source })?;
    let mut stdout = std::io::stdout();
    writeln!(stdout, "{}", Listening { address, cpu: spare.cpu, secret: own })
        .and_then(|()| stdout.flush())
        .map_err(Error::Output)?;
    let stopped = await_end(&stop, &running);
    let ended = running.stop().map_err(|broken| Error::Generator(broken.to_string()));
    ended.map(drop).and(stopped)
}

/// Returns the secret that hosts have to know, and its text where it is drawn here.
fn secret(guard: &Guard) -> Result<(Option<Secret>, Option<String>)> {
    match guard {
        Guard::Open => Ok((None, None)),
        Guard::File(path) => {
            let read = read_secret(path).map_err(|error| Error::Generator(error.to_string()))?;
            Ok((Some(read), None))
        }
        Guard::Own => {
            let text =
                new_secret().map_err(|source| Error::System { what: "draw a secret", source })?;
            let secret = Secret::new(&text).map_err(|error| Error::Generator(error.to_string()))?;
            Ok((Some(secret), Some(text)))
        }
    }
}

fn await_end(stop: &Stop, running: &words::Running) -> Result<()> {
    while !running.has_ended() {
        stop.nap(LOOK, None)?;
    }
    Ok(())
}

fn tick(root: &Path) -> Result<Tick> {
    let path = root.join("sys/class/misc/irqscope/tick_fs");
    let text = facts::read_line(&path).unwrap_or_default();
    match text.parse() {
        Ok(femtoseconds) => Ok(Tick { femtoseconds }),
        Err(_) => Err(Error::Unreadable { path, text }),
    }
}
