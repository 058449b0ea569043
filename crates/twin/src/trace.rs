// SPDX-License-Identifier: GPL-2.0-or-later
//! `trace=N`: every instruction that is executed from one of the first N triggers
//! until no trigger waits for an answer.
//!
//! Each instruction gets an execution callback when it is translated, for the guest a step that
//! takes no virtual time: its clock and its answers are those of a run without a trace, bit for
//! bit. Per instruction and not per block, because a block may be left in its middle, and the
//! clock, which cannot be read in a callback, would not show where.
//!
//! Of several CPUs one is followed: what others execute is not recorded.
//!
//! Before the target can take triggers, and once the last of them has been answered, nothing is called: what
//! was translated until then is thrown away.
//!
//! # What is called and not executed
//!
//! The callback comes before the instruction. One that faults (a page that is not there) is called,
//! takes no virtual time, and is called again after the fault. So a run that ends before its block
//! does says that it was broken off; a reader with the guest's symbols sees by what comes next
//! whether that was a fault or an interrupt. QEMU also begins a block anew from an instruction that
//! turns out to touch a device, but then it makes no call for this instruction: the next call is
//! the following one's, as if nothing had been.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use irqscope_wire::{Cycles, Mark, Message, Path, PathEnd, PathEvent, Run, Seq};

use crate::enabling::Enables;

/// Runs in one message: 20 bytes each at the most.
const CHUNK: usize = 1 << 14;
/// Runs in one stretch: about 20 ms of a busy guest, and 48 MB.
const LONGEST: usize = 1 << 21;

/// Whether instructions are wanted at all: one load for each that is not.
static OPEN: AtomicBool = AtomicBool::new(false);
/// Whether the target can take triggers, or could.
static BEGUN: AtomicBool = AtomicBool::new(false);
/// Whether all that was asked for is recorded.
static OVER: AtomicBool = AtomicBool::new(false);
static RECORDER: Mutex<Recorder> = Mutex::new(Recorder::new());

fn lock() -> MutexGuard<'static, Recorder> {
    RECORDER.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Traces the first `count` triggers.
pub fn want(count: u64) {
    lock().wanted = count;
}

/// Takes note that an instruction is about to be executed.
pub fn executed(insn: Insn) {
    // Set and cleared under QEMU's big lock while no instruction is executed.
    if OPEN.load(Ordering::Relaxed) {
        let mut recorder = lock();
        recorder.execute(insn);
        if recorder.is_full() {
            OPEN.store(false, Ordering::Relaxed);
        }
    }
}

/// Returns whether there is to be a trace.
pub fn is_wanted() -> bool {
    lock().wanted > 0
}

/// Takes a trigger that was raised: if it is one of the first, a stretch begins or goes on. One that is full ends
/// before it; that is returned.
pub fn trigger(seq: Seq, at: u64) -> Vec<Message> {
    let mut recorder = lock();
    if seq.0 >= recorder.wanted {
        return Vec::new();
    }
    let full = if recorder.is_full() { recorder.take() } else { Vec::new() };
    recorder.mark(at, PathEvent::Trigger(seq));
    OPEN.store(true, Ordering::Relaxed);
    full
}

pub fn edge(line: u8, at: u64) {
    let mut recorder = lock();
    if recorder.begun() {
        recorder.mark(at, PathEvent::Edge(line));
    }
}

/// Ends the stretch, if one was begun: no trigger waits any more, or the clock ends.
pub fn close() -> Vec<Message> {
    OPEN.store(false, Ordering::Relaxed);
    lock().take()
}

/// Takes note that the target can take triggers. Returns whether a record begins.
pub fn begins() -> bool {
    lock().wanted > 0 && !BEGUN.swap(true, Ordering::Relaxed)
}

/// Takes note that no trigger waits, of which `raised` there were until now. Returns whether the last one that
/// is recorded was among them, once.
pub fn ends(raised: u64) -> bool {
    let wanted = lock().wanted;
    wanted > 0 && raised >= wanted && !OVER.swap(true, Ordering::Relaxed)
}

/// Returns whether triggers may come that are recorded.
pub fn is_due() -> bool {
    BEGUN.load(Ordering::Relaxed) && !OVER.load(Ordering::Relaxed)
}

/// An instruction, in the word that QEMU hands back with each call: 48 bits of
/// address, which are sign-extended (the twin's CPU has no more), 4 of length, whether its block ends
/// with it, and whether it may enable interrupts. Nothing has to be kept for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Insn(u64);

const ADDRESS_BITS: u32 = 48;
const LENGTH_BITS: u32 = 4;

impl Insn {
    pub fn new(address: u64, length: usize, ends_block: bool) -> Self {
        let address = address & ((1 << ADDRESS_BITS) - 1);
        let length = (length as u64 & 0xf) << ADDRESS_BITS;
        Self(address | length | u64::from(ends_block) << (ADDRESS_BITS + LENGTH_BITS))
    }

    /// Adds what it may do to interrupts.
    pub fn enabling(self, enables: Enables) -> Self {
        Self(self.0 | enables.bits() << (ADDRESS_BITS + LENGTH_BITS + 1))
    }

    pub fn enables(self) -> Enables {
        Enables::of_bits(self.0 >> (ADDRESS_BITS + LENGTH_BITS + 1))
    }

    pub fn from_word(word: u64) -> Self {
        Self(word)
    }

    pub fn word(self) -> u64 {
        self.0
    }

    pub fn address(self) -> u64 {
        let unused = 64 - ADDRESS_BITS;
        ((self.0 << unused).cast_signed() >> unused).cast_unsigned()
    }

    pub fn length(self) -> u32 {
        (self.0 >> ADDRESS_BITS & 0xf) as u32
    }

    pub fn ends_block(self) -> bool {
        self.0 >> (ADDRESS_BITS + LENGTH_BITS) & 1 != 0
    }
}

/// One stretch in the making.
#[derive(Debug)]
struct Recorder {
    wanted: u64,
    stretch: u64,
    runs: Vec<Run>,
    marks: Vec<Mark>,
    instructions: u64,
    /// Where the instruction after the last one lies.
    next: u64,
    last_ended_block: bool,
}

impl Recorder {
    const fn new() -> Self {
        Self {
            wanted: 0,
            stretch: 0,
            runs: Vec::new(),
            marks: Vec::new(),
            instructions: 0,
            next: 0,
            last_ended_block: true,
        }
    }

    /// Returns whether a stretch has begun, which a trigger's mark does.
    fn begun(&self) -> bool {
        !self.marks.is_empty()
    }

    fn is_full(&self) -> bool {
        self.runs.len() >= LONGEST
    }

    fn mark(&mut self, at: u64, event: PathEvent) {
        self.marks.push(Mark { position: self.instructions, at: Cycles(at), event });
    }

    fn execute(&mut self, insn: Insn) {
        let (address, length) = (insn.address(), insn.length());
        match self.runs.last_mut() {
            Some(run) if address == self.next => {
                run.instructions += 1;
                run.bytes += length;
            }
            last => {
                if let Some(run) = last {
                    run.broken_off = !self.last_ended_block;
                }
                let step = address.wrapping_sub(self.next).cast_signed();
                self.runs.push(Run { step, instructions: 1, bytes: length, broken_off: false });
            }
        }
        self.instructions += 1;
        self.next = address.wrapping_add(length.into());
        self.last_ended_block = insn.ends_block();
    }

    fn take(&mut self) -> Vec<Message> {
        if !self.begun() {
            return Vec::new();
        }
        let whole = if self.is_full() { PathEnd::TooLong } else { PathEnd::Complete };
        let mut marks = std::mem::take(&mut self.marks);
        let runs = std::mem::take(&mut self.runs);
        let stretch = self.stretch;
        *self = Self { wanted: self.wanted, stretch: stretch + 1, ..Self::new() };
        let chunks = runs.len().div_ceil(CHUNK).max(1);
        (0..chunks)
            .map(|chunk| {
                let runs = runs.iter().skip(chunk * CHUNK).take(CHUNK).copied().collect();
                let end = if chunk + 1 < chunks { PathEnd::Continues } else { whole };
                // They are few: a handful for each trigger.
                let marks = std::mem::take(&mut marks);
                Message::Path(Path { stretch, runs, marks, end })
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use irqscope_wire::{Frame, MAX_FRAME_BYTES, encode};
    use proptest::prelude::*;

    const KERNEL: u64 = 0xffff_ffff_8100_0000;

    fn recorded(insns: &[Insn]) -> Vec<Run> {
        let mut recorder = Recorder::new();
        insns.iter().for_each(|insn| recorder.execute(*insn));
        recorder.runs
    }

    #[test]
    fn what_follows_in_memory_is_one_run_and_a_jump_begins_another() {
        let runs = recorded(&[
            Insn::new(KERNEL, 3, false),
            Insn::new(KERNEL + 3, 2, true),
            Insn::new(KERNEL + 5, 5, true),
            Insn::new(KERNEL, 3, false),
        ]);
        let first =
            Run { step: KERNEL.cast_signed(), instructions: 3, bytes: 10, broken_off: false };
        assert_eq!(runs, [first, Run { step: -10, instructions: 1, bytes: 3, broken_off: false }]);
    }

    #[test]
    fn a_block_that_is_left_in_its_middle_is_broken_off() {
        let handler = Insn::new(KERNEL + 0x1000, 1, true);
        let at = |ends| Insn::new(0x40_0000, 4, ends);
        assert!(recorded(&[at(false), handler])[0].broken_off);
        assert!(!recorded(&[at(true), handler])[0].broken_off);
    }

    #[test]
    fn a_long_stretch_comes_in_frames_that_are_not_too_long() {
        let mut recorder = Recorder::new();
        recorder.mark(5, PathEvent::Trigger(Seq(0)));
        for n in 0..2 * CHUNK as u64 + 1 {
            recorder.execute(Insn::new(if n % 2 == 0 { KERNEL } else { 0x40_0000 }, 15, true));
        }
        let messages = recorder.take();
        let ends: Vec<PathEnd> = messages
            .iter()
            .map(|message| match message {
                Message::Path(path) => path.end,
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(ends, [PathEnd::Continues, PathEnd::Continues, PathEnd::Complete]);
        for message in messages {
            assert!(encode(&Frame { number: 0, message }).unwrap().len() < MAX_FRAME_BYTES);
        }
        assert!(recorder.take().is_empty());
        assert_eq!(recorder.stretch, 1);
    }

    proptest! {
        #[test]
        fn an_instruction_comes_back_from_its_word(address: u64, length in 1usize..16, ends: bool) {
            let canonical = ((address << 16).cast_signed() >> 16).cast_unsigned();
            let insn = Insn::from_word(Insn::new(canonical, length, ends).word());
            prop_assert_eq!(insn.address(), canonical);
            prop_assert_eq!((insn.length() as usize, insn.ends_block()), (length, ends));
        }
    }
}
