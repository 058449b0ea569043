// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `inversion`: three threads on one CPU, A above B above C (Rostedt and Hart,
//! "Internals of the RT Patch", 2007). C takes a lock, A wakes and asks for it, B
//! wakes; how long does A wait?
//!
//! Nothing depends on timing. C wakes the others from within its critical
//! section: A preempts it at once and blocks, so that C, which inherits A's
//! priority or does not, decides by that whether B runs now or later. A guard
//! above all three ends a B that never yields.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::time::Duration;

use irqscope_wire::{Class, Instant, Inversion, Middle, Policy, Scheduling};

use super::work::{Pace, work};
use super::{Fixture, Go, Recorded, Recorder, Running, Series, Start, ThreadGroup};
use crate::clock::now;
use crate::error::Result;
use crate::sync::Lock;
use crate::sync::ThreadSpec;
use crate::sync::event::{Event, Futex};

pub fn start(inversion: &Inversion, fixture: &Fixture<'_>) -> Result<Start> {
    if !fixture.class.is_real_time() {
        let why = "without real-time policies there are no priorities to invert";
        return Ok(Start::Unavailable(why.into()));
    }
    let round = Arc::new(Round::new(inversion));
    let spec = |name, above| ThreadSpec {
        class: Class::Fixed(Scheduling {
            policy: Policy::Fifo,
            priority: inversion.priority.saturating_add(above).min(99),
        }),
        ..fixture.spec(name, fixture.cpu)
    };
    let mut group = ThreadGroup::default();
    for (name, above, body) in OTHERS {
        let round = Arc::clone(&round);
        group.add(spec(name, above), move |_| body(&round));
    }
    let (mut recorders, series) = recorders(inversion.count, fixture);
    let count = inversion.count;
    group.add(spec("bench-c", 0), move |go| round.lead(count, &mut recorders, go));
    let longest = inversion.limit_ns.max(inversion.middle_ns).saturating_add(inversion.hold_ns);
    let silence = Duration::from_nanos(longest.saturating_mul(4));
    Ok(Start::Running(Running { series, threads: group.start()?, silence }))
}

type Body = fn(&Round) -> Result<()>;

/// All but C, which leads: names, how far above C, and what they do.
const OTHERS: [(&str, u8, Body); 3] =
    [("bench-guard", 3, Round::guard), ("bench-a", 2, Round::want), ("bench-b", 1, Round::disturb)];

struct Recorders {
    wait: Recorder,
    instants: [Recorder; Instant::ALL.len()],
}

fn recorders(count: u64, fixture: &Fixture<'_>) -> (Recorders, Vec<Series>) {
    let cpu = Some(fixture.cpu);
    let (wait, recorded) = fixture.recorder(count);
    let mut series = vec![Series::new(Instant::WAIT, cpu, recorded)];
    let instants = std::array::from_fn(|place| {
        let (recorder, recorded): (Recorder, Recorded) = fixture.recorder(count);
        series.push(Series::new(Instant::ALL[place].name(), cpu, recorded));
        recorder
    });
    (Recorders { wait, instants }, series)
}

/// State that the threads share.
struct Round {
    lock: Lock,
    middle: Middle,
    /// Turns of C and of B.
    hold_ns: u64,
    middle_ns: u64,
    limit: Duration,
    pace: std::sync::OnceLock<Pace>,
    /// The futex that the threads wait for between rounds.
    a: Futex,
    b: Futex,
    guarded: Futex,
    /// The futex that C and the guard wait for.
    a_is_done: Futex,
    b_is_done: Futex,
    is_over: Futex,
    ended: AtomicBool,
    /// A has the lock, or the time is up.
    b_may_end: AtomicBool,
    instants: [AtomicI64; Instant::ALL.len()],
}

impl Round {
    fn new(inversion: &Inversion) -> Self {
        Self {
            lock: Lock::new(inversion.protocol),
            middle: inversion.middle,
            hold_ns: inversion.hold_ns,
            middle_ns: inversion.middle_ns,
            limit: Duration::from_nanos(inversion.limit_ns),
            pace: std::sync::OnceLock::new(),
            a: Futex::default(),
            b: Futex::default(),
            guarded: Futex::default(),
            a_is_done: Futex::default(),
            b_is_done: Futex::default(),
            is_over: Futex::default(),
            ended: AtomicBool::new(false),
            b_may_end: AtomicBool::new(false),
            instants: Default::default(),
        }
    }

    fn mark(&self, instant: Instant) {
        self.instants[instant as usize].store(now(), Ordering::Release);
    }

    fn turns(&self, nanoseconds: u64) -> u64 {
        self.pace.get().map_or(1, |pace| pace.turns(nanoseconds))
    }

    fn has_ended(&self) -> bool {
        self.ended.load(Ordering::Acquire)
    }

    /// Runs C: it holds the lock in every round, and is the one that counts rounds.
    fn lead(&self, count: u64, recorders: &mut Recorders, go: &Go) -> Result<()> {
        self.pace.get_or_init(Pace::measure);
        let mut led = Ok(());
        for _ in 0..count {
            led = self.play();
            if led.is_err() || self.has_ended() || go.is_cancelled() {
                break;
            }
            recorders.keep(&self.instants);
        }
        self.ended.store(true, Ordering::Release);
        [&self.a, &self.b, &self.guarded].into_iter().for_each(Event::wake);
        led
    }

    fn play(&self) -> Result<()> {
        self.b_may_end.store(false, Ordering::Release);
        self.guarded.wake();
        self.lock.take()?;
        self.mark(Instant::CLocks);
        self.a.wake();
        self.b.wake();
        work(self.turns(self.hold_ns));
        self.mark(Instant::CUnlocks);
        let given = self.lock.give();
        self.a_is_done.wait();
        self.b_is_done.wait();
        self.is_over.wake();
        given
    }

    /// Runs A: it wants the lock.
    fn want(&self) -> Result<()> {
        loop {
            self.a.wait();
            if self.has_ended() {
                return Ok(());
            }
            self.mark(Instant::AAsks);
            let taken = self.lock.take();
            self.mark(Instant::AHas);
            self.b_may_end.store(true, Ordering::Release);
            let given = taken.and_then(|()| self.lock.give());
            if given.is_err() {
                self.ended.store(true, Ordering::Release);
            }
            self.a_is_done.wake();
            given?;
        }
    }

    /// Runs B: it has nothing to do with the lock.
    fn disturb(&self) -> Result<()> {
        loop {
            self.b.wait();
            if self.has_ended() {
                return Ok(());
            }
            self.mark(Instant::BStarts);
            match self.middle {
                Middle::Bounded => work(self.turns(self.middle_ns)),
                Middle::Unbounded => {
                    while !self.b_may_end.load(Ordering::Acquire) {
                        std::hint::spin_loop();
                    }
                }
            }
            self.mark(Instant::BEnds);
            self.b_is_done.wake();
        }
    }

    /// Runs the guard, above all others: when a round takes too long, B may end.
    fn guard(&self) -> Result<()> {
        loop {
            self.guarded.wait();
            if self.has_ended() {
                return Ok(());
            }
            if !self.is_over.wait_for(self.limit) {
                self.b_may_end.store(true, Ordering::Release);
                self.is_over.wait();
            }
        }
    }
}

impl Recorders {
    /// Instants count from the round's beginning, when C has the lock.
    fn keep(&mut self, instants: &[AtomicI64]) {
        let at = |instant: Instant| instants[instant as usize].load(Ordering::Acquire);
        let begin = at(Instant::CLocks);
        let asked = at(Instant::AAsks);
        self.wait.take(asked, at(Instant::AHas) - asked);
        for (instant, recorder) in Instant::ALL.iter().zip(&mut self.instants) {
            recorder.take(begin, at(*instant) - begin);
        }
    }
}
