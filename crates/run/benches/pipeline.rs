// SPDX-License-Identifier: Apache-2.0 OR MIT
//! How many samples per second go from a generator into the run log without a
//! loss: core, TCP over loopback, client, `run.log`, each on a thread of its own.
//!
//! The generator's clock is made up and goes on as fast as there is room, so it
//! is the threads' CPU time that limits the rate: on a machine that does nothing
//! else that of the first in the table, whose share is then near 100 %.
#![expect(clippy::unwrap_used, reason = "a measurement that cannot go on has failed")]

#[path = "../tests/synthetic/mod.rs"]
mod synthetic;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use irqscope_generator::server::Server;
use irqscope_generator::{Act, Source};
use irqscope_rig::Stop;
use irqscope_rig::generator::Client;
use irqscope_run::{LogWriter, RunDir, Source as From};
use irqscope_wire::{
    Changes, Cycles, GeneratorKind, Message, RunState, StartAt, Status, Tick, Totals,
};

const LINES: u8 = 8;
const SAMPLES: u64 = 1_000_000;
/// The size of the benchmark.
const WANTED: f64 = 200_000.0;
/// 5 us: as if it were 200,000 Hz.
const PERIOD: u64 = 5_000;
/// While there is no room, or no run.
const PAUSE: Duration = Duration::from_micros(100);
/// /proc counts a thread's time in these.
const TICKS_PER_SECOND: f64 = 100.0;

fn main() {
    println!("{SAMPLES} samples of {LINES} lines, {PERIOD} virtual ns apart, into run.log");
    println!(
        "{:>7} {:>11} {:>7} {:>9} {:>8}  CPU time per sample",
        "packet", "samples/s", "MB/s", "B/sample", "dropped"
    );
    let slowest = [16, 256].map(measure).into_iter().fold(f64::INFINITY, f64::min);
    let verdict = if slowest >= WANTED { "reached" } else { "NOT reached" };
    println!("{WANTED} samples/s without a loss: {verdict}");
}

/// Measures one run; returns samples per second.
fn measure(packet: u16) -> f64 {
    let parent = tempfile::tempdir().unwrap();
    let plan = synthetic::plan("bench/idle", &[], SAMPLES);
    let run = RunDir::create(parent.path().join("run"), &synthetic::draft(&[plan])).unwrap();
    let tick = Tick { femtoseconds: 1_000_000 };
    let mut hello = irqscope_generator::words::hello(GeneratorKind::Vm, tick, LINES, false);
    hello.limits.period.lowest = PERIOD;
    let source = Source::new(hello, 1024, 1024, 0);
    let server = Server::start("127.0.0.1:0", &source).unwrap();
    let mut client = Client::connect(&server.address().to_string(), &Stop::default()).unwrap();
    let over = Arc::new(AtomicBool::new(false));
    let generator = generate(source, server, over.clone());
    let settings = Changes::default().count(SAMPLES).period(Cycles(PERIOD)).packet(packet);
    client.set(settings).unwrap();
    let (begun, before) = (Instant::now(), cpu_times());
    client.start(StartAt::Now).unwrap();
    let log = run.log();
    let host = named("host", move || {
        let kept = keep(&mut client, &log);
        (kept, cpu_times())
    });
    let ((done, samples), after) = host.join().unwrap();
    let seconds = begun.elapsed().as_secs_f64();
    let busy = difference(&before, &after);
    over.store(true, Relaxed);
    generator.join().unwrap();

    judge(&done.totals, samples);
    let bytes = std::fs::metadata(run.path().join("run.log")).unwrap().len() as f64;
    let rate = samples as f64 / seconds;
    println!(
        "{packet:>7} {rate:>11.0} {:>7.1} {:>9.1} {:>8}  {}",
        bytes / seconds / 1e6,
        bytes / samples as f64,
        done.totals.dropped,
        shares(&busy, seconds, samples)
    );
    rate
}

/// Runs the owner's thread: triggers and edges as fast as the host takes them.
fn generate(mut source: Source, mut server: Server, over: Arc<AtomicBool>) -> JoinHandle<()> {
    named("generator", move || {
        let mut now = 0;
        while !over.load(Relaxed) {
            if server.exchange(&mut source, now) {
                server.wake();
            }
            // A real one would drop here; this one's clock stands still.
            if !source.outbox.has_room() || source.due().is_none() {
                std::thread::sleep(PAUSE);
            } else {
                now = batch(&mut source);
            }
        }
    })
}

/// Makes some triggers, each answered on all lines; returns the time.
fn batch(source: &mut Source) -> u64 {
    let mut now = 0;
    for _ in 0..64 {
        let Some(due) = source.due().filter(|_| source.outbox.has_room()) else { break };
        now = due;
        if source.tick(due) == Act::Raise {
            let spread = due % 97;
            for line in 0..LINES {
                source.edge(line, due + 700 + 300 * u64::from(line) + spread);
            }
        }
        // Each trigger makes one sample final, for which there is room now.
        source.pump();
    }
    now
}

/// Runs the host: every frame into the log, until the run is done.
fn keep(client: &mut Client, log: &LogWriter) -> (Status, u64) {
    let mut samples = 0;
    loop {
        let Some(received) = client.next(Duration::from_secs(10)).unwrap() else { continue };
        log.append(0, From::Generator, &received.encoded).unwrap();
        assert_eq!(received.missed, 0, "a frame was lost");
        match received.frame.unwrap().message {
            Message::Packet(packet) => samples += packet.samples.len() as u64,
            Message::Status(status) if status.state == RunState::Done && status.run > 0 => {
                return (status, samples);
            }
            _ => {}
        }
    }
}

fn judge(totals: &Totals, samples: u64) {
    assert!(totals.identity_holds(), "{totals:?}");
    assert_eq!((totals.triggers, totals.complete), (SAMPLES, SAMPLES), "{totals:?}");
    assert_eq!((totals.dropped, samples), (0, SAMPLES));
}

fn named<T: Send + 'static>(
    name: &str,
    body: impl FnOnce() -> T + Send + 'static,
) -> JoinHandle<T> {
    std::thread::Builder::new().name(name.to_owned()).spawn(body).unwrap()
}

/// Returns the seconds of CPU time of each of this process's threads, by name.
fn cpu_times() -> BTreeMap<String, f64> {
    let mut times = BTreeMap::new();
    for task in std::fs::read_dir("/proc/self/task").unwrap().flatten() {
        let stat = std::fs::read_to_string(task.path().join("stat")).unwrap_or_default();
        let Some((name, rest)) = stat.split_once('(').and_then(|(_, rest)| rest.rsplit_once(") "))
        else {
            continue;
        };
        let ticks: f64 =
            rest.split(' ').skip(11).take(2).filter_map(|n| n.parse::<f64>().ok()).sum();
        *times.entry(name.to_owned()).or_default() += ticks / TICKS_PER_SECOND;
    }
    times
}

fn difference(before: &BTreeMap<String, f64>, after: &BTreeMap<String, f64>) -> Vec<(String, f64)> {
    let spent = |(name, seconds): (&String, &f64)| {
        (name.clone(), seconds - before.get(name).copied().unwrap_or_default())
    };
    let mut all: Vec<_> = after.iter().map(spent).filter(|(_, spent)| *spent > 0.05).collect();
    all.sort_by(|one, other| other.1.total_cmp(&one.1));
    all
}

/// Formats `irqscope-serve 0.93 us (88 %)`: the first limits the rate where every thread has a CPU,
/// and all together where there is but one.
fn shares(busy: &[(String, f64)], seconds: f64, samples: u64) -> String {
    let share = |(name, spent): &(String, f64)| {
        let each = spent / samples as f64 * 1e6;
        format!("{name} {each:.2} us ({:.0} %)", spent / seconds * 100.0)
    };
    busy.iter().map(share).collect::<Vec<_>>().join(", ")
}
