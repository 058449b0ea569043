// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `async`: one thread waits for an event, another of one priority less causes
//! it; from just before it is caused to the waiting thread's first act.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::time::Duration;

use irqscope_wire::{Async, Class, Policy, Scheduling, Wake};

use super::clock::{now, sleep_until};
use super::event::{Condvar, Event, Eventfd, Futex, Mqueue, Pipe, Sent};
use super::group::Post;
use super::{Go, Recorder, Running, Series, Stand, ThreadGroup};
use crate::error::Result;

pub fn start(one: &Async, stand: &Stand<'_>) -> Result<Running> {
    match one.wake {
        Wake::Condvar => with(one, stand, Condvar::new()),
        Wake::Eventfd => with(one, stand, Eventfd::new()?),
        Wake::Futex => with(one, stand, Futex::default()),
        Wake::Pipe => with(one, stand, Pipe::new()?),
        Wake::Signal => with(one, stand, Sent::new()?),
        Wake::Mqueue => with(one, stand, Mqueue::new()?),
    }
}

fn with(one: &Async, stand: &Stand<'_>, event: impl Event) -> Result<Running> {
    let (recorder, recorded) = stand.recorder(one.count);
    let handler = Arc::new(Shared::new(event));
    let causer = Arc::clone(&handler);
    let (period, count) = (one.period_ns.cast_signed(), one.count);
    let mut group = ThreadGroup::default();
    group.add(stand.post("bench-handler", stand.cpu), move |_| {
        handler.handle(recorder);
        Ok(())
    });
    let cpu = one.from_cpu.unwrap_or(stand.cpu);
    let post = Post { class: below(stand.class), ..stand.post("bench-causer", cpu) };
    group.add(post, move |go| {
        causer.cause(period, count, go);
        Ok(())
    });
    let series = Series::new(format!("cpu{}", stand.cpu), Some(stand.cpu), recorded);
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
