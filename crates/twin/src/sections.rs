// SPDX-License-Identifier: GPL-2.0-or-later
//! `sections=1`: every section in which the CPU takes no interrupt, is not preempted, or owes a call
//! of the scheduler, from its first instruction to its last, and what began it.
//!
//! It is what Linux' irqsoff and preemptoff tracers, and intlat and schedlat before them, look for;
//! but nothing is added to the guest, and a length is a number of executed instructions.
//!
//! Before each instruction the CPU's flag of interrupts and the kernel's count of what keeps it from
//! preemption are looked at; where they have changed, the instruction before did it, or an interrupt or a
//! system call if the CPU has jumped. The driver says where the count is ([`crate::preemption`]), and when
//! something is measured, by an instruction that does nothing (`kernel/irqscope/mark.h`). An interrupt that comes
//! as soon as they are enabled ends a section that no flag shows to end ([`crate::enabling`]). A halted CPU executes nothing: there
//! each section ends, and what goes on beyond (the idle task has preemption disabled for ever) begins
//! anew with the first instruction after it. Of several CPUs one is followed; while others have their turns it
//! executes nothing, and their instructions are in no length.

use std::ffi::c_uint;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use irqscope_wire::Message;

use crate::cpu::Cpu;
use crate::sectioned::Recorder;
use crate::trace::Insn;

/// The bytes of the driver's marks, whose register RAX or X0 is 0 at the end of what is measured:
/// `nopl 0x73717269(%rax,%rax,1)` and `orr xzr, xzr, x0, lsl #57`.
const MARKS: [&[u8]; 2] =
    [&[0x0f, 0x1f, 0x84, 0x00, 0x69, 0x72, 0x71, 0x73], &[0xff, 0xe7, 0x00, 0xaa]];
/// Its second mark: `orr xzr, xzr, x0, lsl #59`.
const SECOND_MARK: &[u8] = &[0xff, 0xef, 0x00, 0xaa];

/// Whether something is measured: one load for each instruction that is not.
static OPEN: AtomicBool = AtomicBool::new(false);
static STATE: Mutex<Option<State>> = Mutex::new(None);

struct State {
    cpu: Cpu,
    recorder: Recorder,
}

fn lock() -> MutexGuard<'static, Option<State>> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Looks for sections from the driver's first mark on.
pub fn want(cpu: Cpu) {
    *lock() = Some(State { cpu, recorder: Recorder::default() });
}

/// Returns whether an instruction, given by its bytes, is the driver's mark.
pub fn is_mark(insn: &[u8]) -> bool {
    MARKS.contains(&insn)
}

/// Returns whether an instruction, given by its bytes, is the driver's second mark.
pub fn is_second_mark(insn: &[u8]) -> bool {
    insn == SECOND_MARK
}

/// Takes the driver's mark: what is measured begins or ends.
///
/// # Safety
/// Called from a callback at the first instruction of a block of the CPU `at`, which need not be the one that is
/// followed.
pub unsafe fn marked(at: c_uint) {
    if let Some(state) = lock().as_mut() {
        // SAFETY: the caller's promise.
        let begins = unsafe { state.cpu.marked(at) };
        state.recorder.pause();
        OPEN.store(begins, Ordering::Relaxed);
    }
}

/// Takes the driver's second mark.
///
/// # Safety
/// As above.
pub unsafe fn marked_again(at: c_uint) {
    if let Some(state) = lock().as_mut() {
        // SAFETY: the caller's promise.
        unsafe { state.cpu.marked_again(at) }
    }
}

/// Takes note that an instruction is about to be executed.
///
/// # Safety
/// Called from a callback in the code of the CPU that is followed.
pub unsafe fn executes(insn: Insn) {
    if !OPEN.load(Ordering::Relaxed) {
        return;
    }
    if let Some(State { cpu, recorder }) = lock().as_mut() {
        // SAFETY: the caller's promise.
        let (takes_interrupts, preemption) =
            unsafe { (cpu.takes_interrupts(), cpu.preemption(insn.address())) };
        recorder.look(insn, takes_interrupts, preemption);
    }
}

/// Takes note that the CPU that is followed is about to halt.
pub fn halts() {
    if OPEN.load(Ordering::Relaxed)
        && let Some(state) = lock().as_mut()
    {
        state.recorder.halt();
    }
}

/// Returns what was found, once.
pub fn take() -> Vec<Message> {
    OPEN.store(false, Ordering::Relaxed);
    lock().take().map(|state| state.recorder.messages()).unwrap_or_default()
}
