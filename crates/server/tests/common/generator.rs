// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A generator of the real core, behind a real socket, on the host's clock.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use irqscope_generator::server::Server;
use irqscope_generator::words::hello;
use irqscope_generator::{Act, Source};
use irqscope_wire::{GeneratorKind, Tick};

pub const LINES: u8 = 4;
/// Every n-th trigger the last line is late, by a known latency.
pub const LATE_EVERY: u64 = 500;
pub const LATE_NS: u64 = 9_000;

pub struct Generator {
    pub address: SocketAddr,
    over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

/// Returns how long after its trigger a line answers.
pub fn latency(line: u8, trigger: u64) -> u64 {
    let late = line + 1 == LINES && trigger % LATE_EVERY == LATE_EVERY - 1;
    if late { LATE_NS } else { 700 + 300 * u64::from(line) + trigger % 97 }
}

impl Generator {
    /// Starts it; `room`: messages that may wait for a host that does not read.
    pub fn start(room: usize) -> Self {
        let mut hello = hello(GeneratorKind::Board, Tick { femtoseconds: 1_000_000 }, LINES, false);
        hello.limits.period.lowest = 10_000;
        let source = Source::new(hello, 1024, room, 0);
        let server = Server::start("127.0.0.1:0", &source).unwrap();
        let (address, over) = (server.address(), Arc::new(AtomicBool::new(false)));
        let stop = Arc::clone(&over);
        let thread = std::thread::Builder::new().name("generator".into());
        let thread = thread.spawn(move || generate(source, server, &stop)).unwrap();
        Self { address, over, thread: Some(thread) }
    }
}

impl Drop for Generator {
    fn drop(&mut self) {
        self.over.store(true, Relaxed);
        drop(self.thread.take().map(JoinHandle::join));
    }
}

fn generate(mut source: Source, mut server: Server, over: &AtomicBool) {
    let (begin, mut trigger) = (Instant::now(), 0);
    while !over.load(Relaxed) {
        let now = u64::try_from(begin.elapsed().as_nanos()).unwrap_or(u64::MAX);
        if source.due().is_none() {
            trigger = 0;
        }
        while let Some(due) = source.due().filter(|due| *due <= now) {
            if source.tick(due) == Act::Raise {
                (0..LINES).for_each(|line| source.edge(line, due + latency(line, trigger)));
                trigger += 1;
            }
            source.pump();
        }
        if server.exchange(&mut source, now) {
            server.wake();
        }
        std::thread::sleep(Duration::from_micros(500));
    }
}
