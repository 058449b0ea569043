// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Samples on their way from a measured thread to the one that sends them: a
//! ring that is made before the run, written by one thread and read by another.
//!
//! Useful invariant: slots below `written` and not below `read` belong to the
//! reader, all others to the writer.

use std::ffi::c_void;
use std::num::NonZeroUsize;
use std::ops::Deref;
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use nix::sys::mman::{MapFlags, ProtFlags, mmap_anonymous, munmap};

#[derive(Debug, Default)]
struct Slot {
    at: AtomicI64,
    value: AtomicI64,
}

#[derive(Debug, Default)]
struct Head {
    written: AtomicU64,
    read: AtomicU64,
    skipped: AtomicU64,
    dropped: AtomicU64,
}

/// A head, and slots behind it, in memory that processes share: a writer may be the agent's child.
#[derive(Debug)]
struct Ring {
    memory: NonNull<c_void>,
    length: NonZeroUsize,
    slots: usize,
}

// SAFETY: the memory is the ring's own until it is dropped, and all in it is atomic.
unsafe impl Send for Ring {}
// SAFETY: as above.
unsafe impl Sync for Ring {}

impl Ring {
    fn new(slots: usize) -> Ring {
        let length = size_of::<Head>() + slots * size_of::<Slot>();
        let length = NonZeroUsize::new(length).unwrap_or(NonZeroUsize::MIN);
        let access = ProtFlags::PROT_READ | ProtFlags::PROT_WRITE;
        let shared = MapFlags::MAP_SHARED | MapFlags::MAP_POPULATE;
        // SAFETY: a new mapping where the kernel likes.
        let mapped = unsafe { mmap_anonymous(None, length, access, shared) };
        // As an allocation that fails would.
        let memory = mapped.unwrap_or_else(|errno| panic!("no memory for samples: {errno}"));
        Ring { memory, length, slots }
    }

    fn slots(&self) -> &[Slot] {
        // SAFETY: the mapping is page-aligned, zeroed and long enough for the head and the slots.
        unsafe {
            let first = self.memory.cast::<Head>().add(1).cast::<Slot>();
            std::slice::from_raw_parts(first.as_ptr(), self.slots)
        }
    }
    fn slot(&self, number: u64) -> &Slot {
        &self.slots()[(number % self.slots as u64) as usize]
    }
}

impl Deref for Ring {
    type Target = Head;

    fn deref(&self) -> &Head {
        // SAFETY: the mapping begins with it, zeroed.
        unsafe { self.memory.cast::<Head>().as_ref() }
    }
}

impl Drop for Ring {
    fn drop(&mut self) {
        // SAFETY: the mapping that was made; nothing refers to it any more.
        let _ = unsafe { munmap(self.memory, self.length.get()) };
    }
}

/// The measured thread's end.
#[derive(Debug)]
pub struct Recorder {
    ring: Arc<Ring>,
    next: u64,
    /// Where the writer would overtake the reader, as last seen.
    end: u64,
}

/// The sending thread's end.
#[derive(Debug)]
pub struct Recorded {
    ring: Arc<Ring>,
    next: u64,
}

/// Makes a recorder with room for `room` samples that were not yet read; at least one.
pub fn recorder(room: u64) -> (Recorder, Recorded) {
    let end = room.max(1);
    let ring = Arc::new(Ring::new(end as usize));
    (Recorder { ring: Arc::clone(&ring), next: 0, end }, Recorded { ring, next: 0 })
}

impl Recorder {
    /// Keeps a sample, or counts it as dropped. Two loads and three stores.
    #[inline]
    pub fn take(&mut self, at: i64, value: i64) {
        if self.next == self.end && !self.find_room() {
            self.ring.dropped.fetch_add(1, Ordering::Relaxed);
            return;
        }
        let slot = self.ring.slot(self.next);
        slot.at.store(at, Ordering::Relaxed);
        slot.value.store(value, Ordering::Relaxed);
        self.next += 1;
        self.ring.written.store(self.next, Ordering::Release);
    }

    /// Counts periods that had passed before their thread could see to them.
    pub fn skip(&self, periods: u64) {
        self.ring.skipped.fetch_add(periods, Ordering::Relaxed);
    }

    fn find_room(&mut self) -> bool {
        let read = self.ring.read.load(Ordering::Acquire);
        self.end = read + self.ring.slots as u64;
        self.next < self.end
    }
}

impl Recorded {
    /// Hands out up to `most` samples, in order: instant and value.
    pub fn read(&mut self, most: usize) -> Vec<(i64, i64)> {
        let written = self.ring.written.load(Ordering::Acquire);
        let end = written.min(self.next.saturating_add(most as u64));
        let copy = |number| {
            let slot = self.ring.slot(number);
            (slot.at.load(Ordering::Relaxed), slot.value.load(Ordering::Relaxed))
        };
        let samples = (self.next..end).map(copy).collect();
        self.next = end;
        self.ring.read.store(end, Ordering::Release);
        samples
    }

    /// Returns how many samples were written until now.
    pub fn written(&self) -> u64 {
        self.ring.written.load(Ordering::Acquire)
    }

    pub fn skipped(&self) -> u64 {
        self.ring.skipped.load(Ordering::Relaxed)
    }

    pub fn dropped(&self) -> u64 {
        self.ring.dropped.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_ring_drops_and_counts_and_goes_on_when_it_was_read() {
        let (mut recorder, mut recorded) = recorder(2);
        (0..3).for_each(|n| recorder.take(n, -n));
        assert_eq!(recorded.read(9), [(0, 0), (1, -1)]);
        assert_eq!((recorded.written(), recorded.dropped()), (2, 1));
        recorder.take(4, -4);
        recorder.skip(7);
        assert_eq!(recorded.read(9), [(4, -4)]);
        assert_eq!((recorded.dropped(), recorded.skipped()), (1, 7));
        assert_eq!(recorded.read(9), []);
    }

    #[test]
    fn two_threads_lose_nothing_that_is_not_counted() {
        const COUNT: i64 = 200_000;
        let (mut recorder, mut recorded) = recorder(64);
        let writer = std::thread::spawn(move || {
            (0..COUNT).for_each(|n| recorder.take(n, 2 * n));
        });
        let mut read = Vec::new();
        while !writer.is_finished() {
            read.extend(recorded.read(16));
        }
        writer.join().unwrap();
        read.extend(recorded.read(usize::MAX));
        assert!(read.windows(2).all(|pair| pair[0].0 < pair[1].0));
        assert!(read.iter().all(|(at, value)| *value == 2 * at));
        assert_eq!(read.len() as u64 + recorded.dropped(), COUNT as u64);
    }
}
