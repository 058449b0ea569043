// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Benchmarks: measurements from user space that need no driver. One file each; what they share is
//! a group of threads, recorders and clocks.
//!
//! Every benchmark does the same: it starts its threads, which measure into
//! recorders that were made before, and hands both over to be followed.

mod r#async;
mod case;
pub mod command;
mod follow;
mod gtod;
mod inversion;
mod isolate;
mod jitter;
pub mod options;
mod realfeel;
mod recorder;
mod rights;
mod sched;
mod sections;
mod sleep;
mod spin;
mod undisturbed;
mod watch;
mod work;

use std::path::Path;
use std::time::Duration;

use irqscope_wire::{Benchmark, Class, Tick};

use crate::clock::Scale;
use crate::error::Result;
use crate::sync::{Go, ThreadGroup, ThreadSpec, Working};
use recorder::{Recorded, Recorder, recorder};

pub use case::measure;

/// The parameters of a benchmark.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fixture<'a> {
    pub root: &'a Path,
    /// The CPU under test.
    pub cpu: u32,
    /// The rights that its threads really have.
    pub class: Class,
    pub scale: Scale,
    /// The virtual time that an instruction takes; the twin only.
    pub instruction: Option<Tick>,
    /// Samples that a series may hold until they are read.
    pub room: u64,
}

impl Fixture<'_> {
    fn spec(&self, name: &'static str, cpu: u32) -> ThreadSpec {
        ThreadSpec { name, cpu: Some(cpu), class: self.class, period_ns: 0 }
    }

    /// Makes a recorder with room for `count` samples, or for what may be kept.
    fn recorder(&self, count: u64) -> (Recorder, Recorded) {
        recorder(count.min(self.room))
    }

    /// Returns the CPUs that were asked for, or the one under test.
    fn cpus(&self, asked: &[u32]) -> Vec<u32> {
        if asked.is_empty() { vec![self.cpu] } else { asked.to_vec() }
    }
}

/// One thing that a benchmark records.
#[derive(Debug)]
pub(crate) struct Series {
    name: String,
    cpu: Option<u32>,
    recorded: Recorded,
    /// Where instants and values are cycles.
    scale: Option<Scale>,
    sent: u64,
}

impl Series {
    fn new(name: impl Into<String>, cpu: Option<u32>, recorded: Recorded) -> Series {
        Series { name: name.into(), cpu, recorded, scale: None, sent: 0 }
    }
}

/// A benchmark under way.
#[derive(Debug)]
pub(crate) struct Running {
    series: Vec<Series>,
    threads: Working,
    /// How long it may rightly have nothing to send.
    silence: Duration,
}

/// The result of starting one.
pub(crate) enum Start {
    Running(Running),
    /// Why this machine cannot run it.
    Unavailable(String),
}

/// Starts a benchmark; this is the table of them.
fn start(benchmark: &Benchmark, fixture: &Fixture<'_>) -> Result<Start> {
    let running = match benchmark {
        Benchmark::Gtod(one) => gtod::start(one, fixture),
        Benchmark::Async(one) => r#async::start(one, fixture),
        Benchmark::Sleep(one) => sleep::start(one, fixture),
        Benchmark::Jitter(one) => jitter::start(one, fixture),
        Benchmark::Spin(one) => spin::start(one, fixture),
        Benchmark::Sched(one) => return sched::start(one, fixture),
        Benchmark::Inversion(one) => return inversion::start(one, fixture),
        Benchmark::Realfeel(one) => return realfeel::start(one, fixture),
        // These have ways of their own: see `case`.
        Benchmark::Watch(_) | Benchmark::Isolate(_) => {
            return Ok(Start::Unavailable(String::new()));
        }
    };
    running.map(Start::Running)
}
