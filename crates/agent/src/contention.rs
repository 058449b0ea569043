// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Faults about locks: the user stage needs a lock that a thread of low priority
//! holds while one of middle priority keeps that from running.
//!
//! The stage passes both locks before it answers, one with priority inheritance
//! and one without. The owner takes one at random instants and calls the thread
//! of middle priority, which runs at once. Without inheritance the stage waits
//! until that has done; with it the owner runs first, for as long.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use irqscope_wire::{
    Class, Cycles, Fault, FaultKind, Faults, LockProtocol, Message, Policy, Scheduling,
};

use crate::counter::now;
use crate::error::{Error, Result};
use crate::sink::Sink;
use crate::sync::{Event, Futex, Lock, ThreadGroup, ThreadSpec, Working};

/// Above every ordinary thread, and below the stages that are threads.
const MIDDLE: Scheduling = Scheduling { policy: Policy::Fifo, priority: 40 };
const ORDINARY: Scheduling = Scheduling { policy: Policy::Other, priority: 0 };
/// Rounds that are kept; memory is locked, and made before the run.
const KEPT: usize = 65_536;
/// Well below `MAX_FRAME_BYTES`.
const BATCH: usize = 4096;

/// Locks that the user stage needs before it answers.
#[derive(Debug)]
pub struct Locks {
    plain: Lock,
    inheriting: Lock,
}

impl Locks {
    fn new() -> Self {
        Self { plain: Lock::new(LockProtocol::None), inheriting: Lock::new(LockProtocol::Inherit) }
    }

    fn of(&self, kind: FaultKind) -> &Lock {
        if kind == FaultKind::Inheritance { &self.inheriting } else { &self.plain }
    }

    /// Takes each and gives it back: a few instructions, if it is free.
    ///
    /// # Errors
    /// The kernel refuses a futex.
    pub fn pass(&self) -> Result<()> {
        for lock in [&self.plain, &self.inheriting] {
            lock.take()?;
            lock.give()?;
        }
        Ok(())
    }
}

/// The threads that contend for them, and what they did.
#[derive(Debug)]
pub struct Contention {
    threads: Working,
    truth: Receiver<Vec<Fault>>,
}

/// Makes the locks of a plan that asks for faults about them.
pub fn locks(faults: Option<&Faults>) -> Option<Arc<Locks>> {
    let asked = faults?.kinds.iter().any(|kind| kind.is_locks());
    asked.then(|| Arc::new(Locks::new()))
}

impl Contention {
    /// Starts the threads: they act, each kind as often as one of the module's does.
    ///
    /// # Errors
    /// A thread cannot be made, or not have its priority.
    pub fn start(faults: &Faults, cpu: u32, locks: Arc<Locks>) -> Result<Contention> {
        let kinds: Vec<FaultKind> =
            faults.kinds.iter().copied().filter(|kind| kind.is_locks()).collect();
        let each = Duration::from_nanos(faults.interval_ns.into()) * faults.kinds.len() as u32;
        let (tell, truth) = channel();
        let round = Arc::new(Round {
            locks,
            interval: each / kinds.len() as u32,
            kinds,
            length: Duration::from_nanos(faults.length_ns.into()),
            seed: faults.seed,
            middle: Futex::default(),
            middle_is_done: Futex::default(),
            owner_waits: AtomicBool::new(false),
            began: AtomicU64::new(0),
            done: AtomicU64::new(0),
            ended: AtomicBool::new(false),
        });
        let spec = |name, scheduling| ThreadSpec {
            name,
            cpu: Some(cpu),
            class: Class::Fixed(scheduling),
            period_ns: 0,
        };
        let mut group = ThreadGroup::default();
        let other = Arc::clone(&round);
        group.add(spec("irqscope-middle", MIDDLE), move |_| {
            other.disturb();
            Ok(())
        });
        group.add(spec("irqscope-owner", ORDINARY), move |go| {
            let result = round.lead(&mut |fault| drop(tell.send(fault)), &|| go.is_cancelled());
            round.ended.store(true, Ordering::Release);
            round.middle.wake();
            result
        });
        Ok(Contention { threads: group.start()?, truth })
    }

    /// Ends the threads and sends the truth about what they did.
    ///
    /// # Errors
    /// A thread has failed, or the truth cannot be sent.
    pub fn finish(self, sink: &mut Sink) -> Result<()> {
        self.threads.cancel();
        self.threads.join()?;
        let truth = self.truth.recv().map_err(|_| Error::Thread("it kept no truth".into()))?;
        truth.chunks(BATCH).try_for_each(|some| sink.send(Message::Truth(some.to_vec())))
    }
}

/// State that the two threads share.
struct Round {
    locks: Arc<Locks>,
    kinds: Vec<FaultKind>,
    length: Duration,
    /// Mean distance of two rounds.
    interval: Duration,
    seed: u64,
    middle: Futex,
    middle_is_done: Futex,
    owner_waits: AtomicBool,
    /// When it last did, in cycles; not yet done: 0.
    began: AtomicU64,
    done: AtomicU64,
    ended: AtomicBool,
}

impl Round {
    /// Runs the owner.
    fn lead(
        &self,
        tell: &mut dyn FnMut(Vec<Fault>),
        is_cancelled: &dyn Fn() -> bool,
    ) -> Result<()> {
        let mut random = fastrand::Rng::with_seed(self.seed);
        let mut truth = Vec::with_capacity(KEPT);
        let mut led = Ok(());
        while led.is_ok() && !is_cancelled() {
            std::thread::sleep(self.interval.mul_f64(0.5 + random.f64()));
            let kind = self.kinds[random.usize(..self.kinds.len())];
            match self.hold(kind) {
                Ok(fault) if truth.len() < KEPT => truth.push(fault),
                Ok(_) => {}
                Err(error) => led = Err(error),
            }
        }
        tell(truth);
        led
    }

    /// Holds a lock. Once it is called, the thread of middle priority runs before the next line
    /// does. With inheritance all of it may delay the stage, else only what that thread does.
    fn hold(&self, kind: FaultKind) -> Result<Fault> {
        let lock = self.locks.of(kind);
        let taken = now();
        self.done.store(0, Ordering::SeqCst);
        lock.take()?;
        self.middle.wake();
        if kind == FaultKind::Inheritance {
            spin(self.length);
        }
        lock.give()?;
        let given = now();
        self.await_middle();
        let [begin, end] = [&self.began, &self.done].map(|at| Cycles(at.load(Ordering::SeqCst)));
        Ok(match kind {
            FaultKind::Inheritance => Fault { kind, begin: taken, end: end.max(given) },
            _ => Fault { kind, begin, end },
        })
    }

    /// Waits for the middle thread. Waking a thread takes long, and would count as what it does
    /// after its end: so it is asked to only where the owner got ahead of it.
    fn await_middle(&self) {
        let has_done = || self.done.load(Ordering::SeqCst) != 0;
        while !has_done() {
            self.owner_waits.store(true, Ordering::SeqCst);
            if !has_done() {
                self.middle_is_done.wait();
            }
        }
    }

    /// Runs the thread of middle priority: it has nothing to do with the lock.
    fn disturb(&self) {
        loop {
            self.middle.wait();
            if self.ended.load(Ordering::Acquire) {
                return;
            }
            self.began.store(now().0, Ordering::Release);
            spin(self.length);
            self.done.store(now().0, Ordering::SeqCst);
            if self.owner_waits.swap(false, Ordering::SeqCst) {
                self.middle_is_done.wake();
            }
        }
    }
}

fn spin(length: Duration) {
    let begin = Instant::now();
    while begin.elapsed() < length {
        std::hint::black_box(());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_locks_can_be_passed_again_and_again() {
        let locks = Locks::new();
        for _ in 0..3 {
            locks.pass().unwrap();
        }
    }

    #[test]
    fn locks_are_made_for_faults_about_locks_only() {
        let faults = |kinds| Faults { kinds, length_ns: 1, interval_ns: 1, seed: 0 };
        assert!(locks(Some(&faults(vec![FaultKind::IrqsOff]))).is_none());
        assert!(locks(Some(&faults(vec![FaultKind::IrqsOff, FaultKind::Inversion]))).is_some());
        assert!(locks(None).is_none());
    }
}
