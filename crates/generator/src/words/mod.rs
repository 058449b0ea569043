// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A generator whose response lines are words in shared memory: a doorbell's
//! BAR, or memory that a spare CPU of the target shares with its other CPUs.
//!
//! [`start`] gives it a thread that does nothing but poll: at its clock, at the words, at what is
//! due. The caller brings the clock, the words and the way to raise the interrupt ([`Wires`]), and
//! pins the thread to a CPU that nothing else uses ([`Wires::begin`]).
//!
//! # What the instants are
//!
//! A **trigger's** instant is read right before the interrupt is raised, an **edge's** right after
//! the look that saw the word changed. So a latency has the raising itself in it, and is too long
//! by up to the time between two looks. It is never too short. How often the loop looked, the
//! longest it was blind (it was preempted, or raised, or packed samples) and how soon after a
//! trigger it could look at all are counted ([`PollStats`]), and reported in a note at the end of every
//! run.
//!
//! # What a word says
//!
//! The low half of a word is the number of its line's responses until now, modulo 2^32. One more is
//! one edge. **More than one more** are responses between two looks: each is handed over as an edge
//! of its own, all at the instant of the look, for their number is known for certain and their
//! instants are not. Pairing then answers as many triggers, oldest first, by spans that are upper
//! bounds like all others; [`PollStats::together`] says how many there were. A word that went **back**,
//! or on by more than [`MOST_AT_ONCE`], is no response: the target has begun anew, or another
//! program writes there. Nothing is counted but [`PollStats::corrupt`], and the note is a warning.
//!
//! The high half says which trigger the last response answers, where the target
//! numbers them as they are made ([`Raised::Numbered`]); else it is passed over.
//!
//! Before the target wants triggers ([`Wires::armed`]) words are its own to
//! reset, and are not watched. When it wants no more, late responses still come.
//!
//! # When it does anything else
//!
//! Packing samples and talking to the server ([`Server::exchange`]) makes the
//! loop blind for some microseconds. It does so while no trigger waits for an
//! answer and none is due soon; only where there is no such time for 2 ms it
//! does it in between. It never waits: not for a lock, not for a host. While
//! there is no run it sleeps.

mod poll_stats;
mod spin;
mod watch;

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use irqscope_wire::{GeneratorHello, GeneratorKind, Limits, PROTOCOL, Range, Tick};

use crate::Source;
use crate::server::Server;

pub use poll_stats::PollStats;
pub use watch::{MOST_AT_ONCE, Word};

use spin::Spin;

/// How the interrupt was asserted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Raised {
    /// Right after this instant.
    At(u64),
    /// Right after this instant, and the one before was still pending: one
    /// response answers both.
    Merged(u64),
    /// Right after this instant; the target's responses call it by this number.
    Numbered(u64, u32),
    /// It was not: the target has no room for another trigger, or wants none.
    Dropped,
}

/// Why a generator cannot work any more, and how to mend it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}; {remedy}")]
pub struct Broken {
    /// The failure.
    pub what: String,
    /// How to fix it.
    pub remedy: String,
}

/// The parts that such a generator is made of.
pub trait Wires: Send {
    /// Prepares the loop; called once, first, on its own thread: to pin it, to give it its
    /// priority.
    fn begin(&mut self) {}

    /// Returns ticks of a clock that never goes back, the same on every CPU the thread may run on.
    /// Loads before it must have been done by then: on x86 `rdtscp`, or `lfence` and `rdtsc`.
    fn now(&mut self) -> u64;

    /// Asserts the interrupt, as soon as can be, and says when: right before.
    /// Must not wait for anything.
    ///
    /// # Errors
    /// It cannot be done any more. The run ends, and the loop.
    fn raise(&mut self) -> Result<Raised, Broken>;

    /// Ends that, where the interrupt has a level.
    fn lower(&mut self) {}

    /// Returns one word per line; at least as many as the hello says.
    fn words(&self) -> &[Word];

    /// Returns whether the target wants triggers: an acquire load. Where that cannot be seen it is
    /// true, and the hello's `limits.sees_arming` false.
    fn armed(&self) -> bool {
        true
    }

    /// Takes note that a run is over: no trigger is to come before the next.
    fn over(&mut self) {}

    /// Pauses; called in every turn of a loop that does not rest.
    fn pause(&self) {
        std::hint::spin_loop();
    }
}

const HOUR_MS: u64 = 3_600_000;
const FEMTOSECONDS_PER_US: u128 = 1_000_000_000;

/// Makes the hello of such a generator: 10 us to an hour, no divider.
pub fn hello(kind: GeneratorKind, tick: Tick, lines: u8, sees_arming: bool) -> GeneratorHello {
    let us = |us: u64| {
        let ticks = u128::from(us) * FEMTOSECONDS_PER_US / u128::from(tick.femtoseconds.max(1));
        u64::try_from(ticks).unwrap_or(u64::MAX).max(1)
    };
    let hour = us(HOUR_MS * 1000);
    let period = Range { lowest: us(10), highest: hour };
    let limits = Limits {
        period,
        interval: period,
        jitter_amount: Range { lowest: 0, highest: hour },
        timeout: period,
        pulse: us(1),
        sees_arming,
        ..Limits::USUAL
    };
    let tool_version = env!("CARGO_PKG_VERSION").into();
    GeneratorHello { protocol: PROTOCOL, kind, tool_version, tick, lines, limits, challenge: None }
}

/// A generator on its thread. Dropping it stops it.
#[derive(Debug)]
pub struct Running {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<Result<PollStats, Broken>>>,
}

/// Starts the loop. Settings may have been given to the source before, and a run
/// started in it; the server lets hosts in already.
///
/// # Errors
/// No thread can be made, or there are fewer words than lines.
pub fn start(source: Source, server: Server, wires: impl Wires + 'static) -> io::Result<Running> {
    let (words, lines) = (wires.words().len(), usize::from(source.hello().lines));
    if words < lines {
        let what = format!("{words} response words for {lines} lines");
        return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
    }
    let stop = Arc::new(AtomicBool::new(false));
    let stopped = Arc::clone(&stop);
    let thread = std::thread::Builder::new().name("irqscope-words".into()).spawn(move || {
        let mut spin = Spin::new(source, Some(server), wires);
        spin.begin();
        while !stopped.load(Ordering::Relaxed) && !spin.is_broken() {
            spin.turn();
        }
        spin.end()
    })?;
    Ok(Running { stop, thread: Some(thread) })
}

impl Running {
    /// Ends a run that is active, shuts the connection to a host down (which may take two seconds
    /// if it does not read) and joins the thread.
    ///
    /// # Errors
    /// The interrupt could not be asserted any more, or the caller's [`Wires`]
    /// have panicked.
    pub fn stop(mut self) -> Result<PollStats, Broken> {
        self.join()
    }

    /// Returns whether it has ended by itself: [`Running::stop`] says why.
    pub fn has_ended(&self) -> bool {
        self.thread.as_ref().is_none_or(JoinHandle::is_finished)
    }

    fn join(&mut self) -> Result<PollStats, Broken> {
        self.stop.store(true, Ordering::Relaxed);
        let panicked = || Broken { what: "its loop panicked".into(), remedy: "report it".into() };
        self.thread.take().and_then(|thread| thread.join().ok()).unwrap_or_else(|| Err(panicked()))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.join();
    }
}
