// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Faults about memory: the user stage touches pages that it does not have.
//!
//! At random instants, when it is called, it touches one page after the other before it answers,
//! until as much time has passed as was asked for; each has to be given to it by a page fault. It
//! gives them back to the kernel once it has answered.

use std::ffi::c_void;
use std::num::NonZeroUsize;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use irqscope_wire::{Fault, FaultKind, Faults, Message};
use nix::errno::Errno;
use nix::sys::mman::{MapFlags, MmapAdvise, ProtFlags, madvise, mmap_anonymous, munlock, munmap};

use crate::counter::now;
use crate::error::{Error, Result};
use crate::sink::Sink;

/// Of x86-64, for which culprits are.
const PAGE_BYTES: usize = 4 << 10;
/// A length in which more are touched ends early.
const BYTES: NonZeroUsize = NonZeroUsize::new(1024 * PAGE_BYTES).expect("not zero");
/// Faults that are kept; memory is made before the run.
const KEPT: usize = 65_536;
/// Well below `MAX_FRAME_BYTES`.
const BATCH: usize = 4096;

/// Memory that the user stage touches before some of its answers.
#[derive(Debug)]
pub struct Pages {
    memory: AtomicPtr<c_void>,
    length: Duration,
    /// Mean distance of two.
    interval: Duration,
    /// The stage's alone until the run has ended.
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    next: Instant,
    random: fastrand::Rng,
    /// Bytes that are to be given back.
    touched: usize,
    truth: Vec<Fault>,
}

impl Pages {
    /// Makes the memory of a plan that asks for faults about it: it acts as often as each of the
    /// other kinds does.
    ///
    /// # Errors
    /// There is none.
    pub fn of(faults: Option<&Faults>) -> Result<Option<Arc<Pages>>> {
        let Some(faults) = faults.filter(|all| all.kinds.contains(&FaultKind::PageFaults)) else {
            return Ok(None);
        };
        let access = ProtFlags::PROT_READ | ProtFlags::PROT_WRITE;
        // SAFETY: a new private mapping at an address that the kernel chooses.
        let mapped = unsafe { mmap_anonymous(None, BYTES, access, MapFlags::MAP_PRIVATE) };
        let memory = mapped.map_err(system("map memory to touch"))?;
        let pages = Pages {
            memory: AtomicPtr::new(memory.as_ptr()),
            length: Duration::from_nanos(faults.length_ns.into()),
            interval: Duration::from_nanos(faults.interval_ns.into()) * faults.kinds.len() as u32,
            state: Mutex::new(State {
                next: Instant::now(),
                random: fastrand::Rng::with_seed(faults.seed),
                touched: BYTES.get(),
                truth: Vec::with_capacity(KEPT),
            }),
        };
        // Locked, as all of the process is, they would not go.
        // SAFETY: exactly what was mapped.
        unsafe { munlock(memory, BYTES.get()) }.map_err(system("unlock memory to touch"))?;
        pages.give_back()?;
        Ok(Some(Arc::new(pages)))
    }

    /// Touches pages for as long as was asked for, if it is time to.
    pub fn touch(&self) {
        let mut state = self.state();
        let since = Instant::now();
        if since < state.next {
            return;
        }
        let begin = now();
        while state.touched < BYTES.get() && since.elapsed() < self.length {
            // SAFETY: within the mapping, which is writable and lives as long as `self`; volatile,
            // because it is never read and the page fault is all that is wanted.
            unsafe { self.memory().cast::<u8>().add(state.touched).write_volatile(1) };
            state.touched += PAGE_BYTES;
        }
        if state.truth.len() < KEPT {
            state.truth.push(Fault { kind: FaultKind::PageFaults, begin, end: now() });
        }
        let pause = self.interval.mul_f64(0.5 + state.random.f64());
        state.next = since + pause;
    }

    /// Gives back what was touched.
    ///
    /// # Errors
    /// The kernel does not take it.
    pub fn give_back(&self) -> Result<()> {
        let touched = std::mem::take(&mut self.state().touched);
        if touched == 0 {
            return Ok(());
        }
        // SAFETY: within what was mapped; no reference into it exists, and what it holds is never
        // read.
        unsafe { madvise(self.memory(), touched, MmapAdvise::MADV_DONTNEED) }
            .map_err(system("give memory back"))
    }

    /// Sends the truth about what was touched.
    ///
    /// # Errors
    /// It cannot be sent.
    pub fn tell(&self, sink: &mut Sink) -> Result<()> {
        let truth = std::mem::take(&mut self.state().truth);
        truth.chunks(BATCH).try_for_each(|some| sink.send(Message::Truth(some.to_vec())))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn memory(&self) -> NonNull<c_void> {
        let memory = NonNull::new(self.memory.load(Ordering::Relaxed));
        memory.unwrap_or(NonNull::dangling()) // mmap() returns no null
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        // SAFETY: exactly what was mapped, and the last that knows of it ends here.
        let _ = unsafe { munmap(self.memory(), BYTES.get()) };
    }
}

fn system(what: &'static str) -> impl Fn(Errno) -> Error {
    move |errno| Error::System { what, source: errno.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_touched_when_it_is_time_to_and_given_back() {
        let kinds = vec![FaultKind::PageFaults];
        let faults = Faults { kinds, length_ns: 1_000_000, interval_ns: 1, seed: 0 };
        let pages = Pages::of(Some(&faults)).unwrap().unwrap();
        for count in 1..3 {
            std::thread::sleep(Duration::from_micros(1));
            pages.touch();
            assert_eq!(pages.state().truth.len(), count);
            assert!(pages.state().touched >= PAGE_BYTES);
            pages.give_back().unwrap();
            assert_eq!(pages.state().touched, 0);
        }
        let later = Faults { interval_ns: u32::MAX, ..faults.clone() };
        let pages = Pages::of(Some(&later)).unwrap().unwrap();
        pages.touch();
        pages.touch();
        assert_eq!(pages.state().truth.len(), 1, "it is not time yet");
        let other = Faults { kinds: vec![FaultKind::IrqsOff], ..faults };
        assert!(Pages::of(Some(&other)).unwrap().is_none());
    }
}
