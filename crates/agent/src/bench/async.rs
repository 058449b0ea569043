// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `async`: one thread waits for an event, another of one priority less causes
//! it; from just before it is caused to the waiting thread's first act.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::time::Duration;

use irqscope_wire::{Async, Class, Policy, Scheduling, Wake};

use super::{Fixture, Go, Recorder, Running, Series, ThreadGroup};
use crate::clock::{now, sleep_until};
use crate::error::Result;
use crate::sync::ThreadSpec;
use crate::sync::event::{Condvar, Event, Eventfd, Futex, Mqueue, Pipe, Sent};

pub fn start(one: &Async, fixture: &Fixture<'_>) -> Result<Running> {
    match one.wake {
        Wake::Condvar => with(one, fixture, Condvar::new()),
        Wake::Eventfd => with(one, fixture, Eventfd::new()?),
        Wake::Futex => with(one, fixture, Futex::default()),
        Wake::Pipe => with(one, fixture, Pipe::new()?),
        Wake::Signal => with(one, fixture, Sent::new()?),
        Wake::Mqueue => with(one, fixture, Mqueue::new()?),
    }
}

fn with(one: &Async, fixture: &Fixture<'_>, event: impl Event) -> Result<Running> {
    let (recorder, recorded) = fixture.recorder(one.count);
    let handler = Arc::new(Shared::new(event));
    let causer = Arc::clone(&handler);
    let (period, count) = (one.period_ns.cast_signed(), one.count);
    let mut group = ThreadGroup::default();
    group.add(fixture.spec("bench-handler", fixture.cpu), move |_| {
        handler.handle(recorder);
        Ok(())
    });
    let cpu = one.from_cpu.unwrap_or(fixture.cpu);
    let spec = ThreadSpec { class: below(fixture.class), ..fixture.spec("bench-causer", cpu) };
    group.add(spec, move |go| {
        causer.cause(period, count, go);
        Ok(())
    });
    let series = Series::new(format!("cpu{}", fixture.cpu), Some(fixture.cpu), recorded);
    let silence = Duration::from_nanos(one.period_ns.saturating_mul(2));
    Ok(Running { series: vec![series], threads: group.start()?, silence })
}

/// Returns one priority less, so that on the same CPU waking preempts at once.
fn below(class: Class) -> Class {
    match class {
        Class::Fixed(Scheduling { policy, priority }) if policy != Policy::Other => {
            Class::Fixed(Scheduling { policy, priority: priority.saturating_sub(1).max(1) })
        }
        class => class,
    }
}

struct Shared<E> {
    event: E,
    /// The handler has left what must be done before its first wait behind.
    attends: AtomicBool,
    ended: AtomicBool,
    /// When the event was caused that is not yet handled; 0 if none.
    caused: AtomicI64,
}

impl<E: Event> Shared<E> {
    fn new(event: E) -> Self {
        Self {
            event,
            attends: AtomicBool::new(false),
            ended: AtomicBool::new(false),
            caused: AtomicI64::new(0),
        }
    }

    fn handle(&self, mut recorder: Recorder) {
        self.event.attend();
        self.attends.store(true, Ordering::Release);
        loop {
            self.event.wait();
            let handled = now();
            match self.caused.swap(0, Ordering::AcqRel) {
                0 if self.ended.load(Ordering::Acquire) => return,
                0 => {}
                caused => recorder.take(caused, handled - caused),
            }
        }
    }

    /// Causes one event per period; none before the last one was handled, and periods that pass
    /// meanwhile are no samples but time.
    fn cause(&self, period: i64, count: u64, go: &Go) {
        let mut due = now();
        let mut left = count;
        while left > 0 && !go.is_cancelled() {
            due = (due + period).max(now());
            sleep_until(due);
            if !self.attends.load(Ordering::Acquire) || self.caused.load(Ordering::Acquire) != 0 {
                continue;
            }
            self.caused.store(now(), Ordering::Release);
            self.event.wake();
            left -= 1;
        }
        while self.caused.load(Ordering::Acquire) != 0 && !go.is_cancelled() {
            sleep_until(now() + period);
        }
        self.ended.store(true, Ordering::Release);
        self.event.wake();
    }
}
