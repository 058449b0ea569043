// SPDX-License-Identifier: GPL-2.0-or-later
//! `isolate=1`: everything that takes a CPU away from a loop that should have it alone, by the
//! instructions that the CPU executes meanwhile.
//!
//! The loop says where it is by an instruction that does nothing else (`irqscope_wire::LOOP_MARK`), and
//! the CPU that executes it is under test until the loop's end. Of a block that begins with that
//! instruction only the block is called for; of all others each instruction is, while a loop is under
//! way: what was translated before is thrown away then. Nothing is added to the guest, and other CPUs'
//! turns are in no length.
//!
//! An interrupt from another CPU is known by that CPU's write to its local APIC (the registers at
//! 0x300 and 0x310, Intel SDM volume 3, chapter on the APIC), and the way that led there is kept. The
//! thread that runs is read in the guest's memory, from where the loop says that the kernel keeps it.

use std::ffi::{c_int, c_uint, c_void};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use irqscope_wire::{Disturbances, Failure, LOOP_END, LOOP_MARK, LOOP_PAGE, Message, Sender};

use crate::apic::{Apic, Interrupt};
use crate::args::Output;
use crate::disturbed::{Disturbed, History};
use crate::output::Stream;
use crate::registers::{Architecture, Registers};
use crate::threads::{Current, Layout};
use crate::trace::Insn;
use crate::translations::{Flush, flush};
use crate::turns;
use crate::ways::Ways;
use crate::wiring::not_exported;

/// Disturbances in one message.
const BATCH: usize = 1 << 9;
/// Runs in one message.
const RUNS: usize = 1 << 13;

/// Whether instructions are wanted of what is translated now.
static TRANSLATES: AtomicBool = AtomicBool::new(false);
/// Whether a loop is under way: one load for each instruction where it is not.
static OPEN: AtomicBool = AtomicBool::new(false);
static STATE: Mutex<Option<State>> = Mutex::new(None);

fn lock() -> MutexGuard<'static, Option<State>> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

struct State {
    registers: Registers,
    flush: Option<Flush>,
    /// None: the machine has one CPU.
    apic: Option<Apic>,
    cpus: Vec<Cpu>,
    ways: Ways,
    layout: Layout,
    stream: Stream,
    /// A loop has begun.
    begun: bool,
}

// SAFETY: used by the CPUs' one thread only, and by QEMU's exit when that has ended.
unsafe impl Send for State {}

struct Cpu {
    disturbed: Option<Disturbed>,
    /// When the loop began, virtual ns.
    since: u64,
    history: History,
    current: Current,
}

/// Looks for loops from now on.
///
/// # Errors
/// Why that cannot be done here.
pub fn prepare(cpus: c_int, target: &str, output: &Output) -> Result<(), String> {
    if target != "x86_64" {
        return Err("isolate is for a PC: leave it out".to_owned());
    }
    let Output::Path(path) = output else { return Err("isolate needs out=PATH".to_owned()) };
    let count = usize::try_from(cpus).unwrap_or(0);
    let registers = Registers::look_up(Architecture::X86).map_err(not_exported)?;
    let missing = |names: Vec<&str>| {
        format!("this QEMU does not export {}: use QEMU 9.2 or later", names.join(", "))
    };
    let apic = (count > 1).then(|| Apic::look_up(count)).transpose().map_err(missing)?;
    let cpu =
        || Cpu { disturbed: None, since: 0, history: History::new(), current: Current::default() };
    let flush = flush();
    TRANSLATES.store(flush.is_none(), Ordering::Relaxed);
    *lock() = Some(State {
        registers,
        flush,
        apic,
        cpus: std::iter::repeat_with(cpu).take(count).collect(),
        ways: Ways::default(),
        layout: Layout::default(),
        stream: Stream::open(path)?,
        begun: false,
    });
    Ok(())
}

/// Returns the number by which a block is called for, if it is one of a loop's: its address, and in
/// the bits that a page's address has not, its instructions.
pub fn loop_block(address: u64, instructions: usize, first: &[u8]) -> Option<u64> {
    let is_page = address.is_multiple_of(LOOP_PAGE) && (instructions as u64) < LOOP_PAGE;
    (is_page && first == LOOP_MARK).then_some(address | instructions as u64)
}

/// Returns whether each instruction of what is translated now is to be called for.
pub fn translates() -> bool {
    TRANSLATES.load(Ordering::Relaxed)
}

/// Returns whether an instruction, given by its bytes, ends a loop.
pub fn is_end(insn: &[u8]) -> bool {
    insn == LOOP_END
}

/// Runs before a block of a loop.
pub unsafe extern "C" fn looping(named: c_uint, word: *mut c_void) {
    // SAFETY: QEMU calls this at the first instruction of a block, in the code of the CPU that runs.
    unsafe { loops(turns::running(named), word.addr() as u64) }
}

/// Runs before the instruction at which a loop ends.
pub unsafe extern "C" fn loop_ends(named: c_uint, _word: *mut c_void) {
    ends(turns::running(named));
}

/// Runs after the kernel has written to memory.
pub unsafe extern "C" fn written(named: c_uint, info: c_uint, address: u64, _word: *mut c_void) {
    // SAFETY: QEMU calls this for an access of the CPU that runs.
    unsafe { writes(turns::running(named), info, address) }
}

/// Takes note that a block of a loop is about to be executed.
///
/// # Safety
/// Called from a callback at the first instruction of a block, in the code of this CPU.
unsafe fn loops(cpu: c_uint, block: u64) {
    let mut state = lock();
    let Some(state) = state.as_mut() else { return };
    let (page, instructions) = (block & !(LOOP_PAGE - 1), block & (LOOP_PAGE - 1));
    let Some(one) = state.cpus.get_mut(cpu as usize) else { return };
    if one.disturbed.is_none() {
        // SAFETY: the caller's promise.
        state.layout = unsafe { Layout::told(&state.registers, cpu) };
        // SAFETY: as above.
        one.current = unsafe { Current::of_user(&state.registers, cpu) };
        one.since = turns::since();
        state.begun = true;
    }
    let is_first = !OPEN.swap(true, Ordering::Relaxed);
    let disturbed = one.disturbed.get_or_insert_with(|| Disturbed::new(page));
    disturbed.loops(instructions, &mut state.ways);
    if is_first {
        state.translate_again(cpu, true);
        return;
    }
    if disturbed.taken.len() >= BATCH || state.ways.new_runs >= RUNS {
        state.send(cpu, false);
    }
}

/// Takes note that a loop ends.
fn ends(cpu: c_uint) {
    let mut state = lock();
    let Some(state) = state.as_mut() else { return };
    state.send(cpu, true);
    let Some(one) = state.cpus.get_mut(cpu as usize) else { return };
    one.disturbed = None;
    let goes_on = state.cpus.iter().any(|one| one.disturbed.is_some());
    OPEN.store(goes_on, Ordering::Relaxed);
    if !goes_on {
        state.translate_again(cpu, false);
    }
}

/// Takes note that an instruction is about to be executed.
///
/// # Safety
/// Called from a callback in the code of this CPU.
pub unsafe fn executes(cpu: c_uint, insn: Insn) {
    if !OPEN.load(Ordering::Relaxed) {
        return;
    }
    let mut state = lock();
    let Some(State { registers, cpus, ways, layout, .. }) = state.as_mut() else { return };
    let Some(one) = cpus.get_mut(cpu as usize) else { return };
    let Some(disturbed) = &mut one.disturbed else { return one.history.executes(insn) };
    if disturbed.executes(insn, ways) {
        // SAFETY: the caller's promise.
        if let Some(thread) = unsafe { one.current.look(registers, cpu, layout) } {
            disturbed.runs(thread);
        }
    }
}

/// Takes note that an instruction of the kernel has written to memory.
///
/// # Safety
/// Called from a callback of this access, in the code of this CPU.
unsafe fn writes(cpu: c_uint, info: u32, address: u64) {
    if !OPEN.load(Ordering::Relaxed) || !Apic::may_be(address) {
        return;
    }
    let mut state = lock();
    let Some(State { registers, apic: Some(apic), cpus, ways, layout, .. }) = state.as_mut() else {
        return;
    };
    // SAFETY: the caller's promise.
    let Some(interrupt) = (unsafe { apic.writes(cpu, info, address) }) else { return };
    for one in cpus.iter_mut().filter(|one| one.disturbed.is_some()) {
        // SAFETY: as above. A loop that was not disturbed yet still is where it began.
        unsafe { one.current.learn_own(registers, cpu, layout) }
    }
    let Some(from) = cpus.get_mut(cpu as usize).filter(|one| one.disturbed.is_none()) else {
        return;
    };
    let way = from.history.way(ways);
    // SAFETY: the caller's promise; it is the kernel's code.
    let thread = unsafe { from.current.name_in_kernel(registers, cpu, layout) };
    send_on(cpus, cpu, interrupt, &Sender { cpu: cpu as u16, thread, way });
}

fn send_on(cpus: &mut [Cpu], from: c_uint, interrupt: Interrupt, sender: &Sender) {
    for (number, one) in (0..).zip(cpus) {
        if let Some(disturbed) = one.disturbed.as_mut().filter(|_| interrupt.goes_to(number, from))
        {
            disturbed.sent(sender.clone());
        }
    }
}

/// Takes note that a CPU is about to halt.
pub fn halts(cpu: c_uint) {
    if OPEN.load(Ordering::Relaxed)
        && let Some(state) = lock().as_mut()
        && let Some(one) = state.cpus.get_mut(cpu as usize)
    {
        one.disturbed.iter_mut().for_each(Disturbed::halts);
    }
}

/// Ends the stream: a loop that has not ended, or never began, is an error of the case.
pub fn finish() {
    OPEN.store(false, Ordering::Relaxed);
    let Some(mut state) = lock().take() else { return };
    let unfinished = state.cpus.iter().any(|one| one.disturbed.is_some());
    if unfinished || !state.begun {
        let what = match unfinished {
            true => "the machine ended before the loop on its isolated CPU did",
            false => "no loop began on an isolated CPU",
        };
        let remedy = "see the guest's console log".into();
        state.stream.write(Message::Failed(Failure { what: what.into(), remedy, invalid: false }));
    }
}

impl State {
    /// Throws away what was translated; where that cannot be done all is always called for.
    fn translate_again(&self, cpu: c_uint, wanted: bool) {
        if let Some(flush) = self.flush {
            TRANSLATES.store(wanted, Ordering::Relaxed);
            // SAFETY: QEMU's function queues the work until this CPU has left its block.
            unsafe { flush(self.registers.object(cpu)) }
        }
    }

    /// Sends what this CPU has not sent yet.
    fn send(&mut self, cpu: c_uint, ended: bool) {
        let Some(one) = self.cpus.get_mut(cpu as usize) else { return };
        let elapsed_ns = turns::since().saturating_sub(one.since);
        let Some(disturbed) = &mut one.disturbed else { return };
        let (looped, taken) = (disturbed.looped, std::mem::take(&mut disturbed.taken));
        self.ways.new_runs = 0;
        let mut ways = std::mem::take(&mut self.ways.new).into_iter().peekable();
        // The disturbances come behind their ways.
        loop {
            let (mut some, mut runs) = (Vec::new(), 0);
            while let Some(way) = ways.next_if(|way| runs == 0 || runs + way.runs.len() <= RUNS) {
                runs += way.runs.len();
                some.push(way);
            }
            let last = ways.peek().is_none();
            let taken = if last { taken.clone() } else { Vec::new() };
            let (cpu, ended) = (cpu as u16, ended && last);
            let message = Disturbances { cpu, looped, elapsed_ns, ways: some, taken, ended };
            self.stream.write(Message::Disturbances(message));
            if last {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_of_a_loop_begins_a_page_with_the_mark() {
        assert_eq!(loop_block(0x5000, 503, &LOOP_MARK), Some(0x5000 | 503));
        assert_eq!(loop_block(0x5008, 503, &LOOP_MARK), None);
        assert_eq!(loop_block(0x5000, 503, &LOOP_END), None);
        assert!(is_end(&LOOP_END) && !is_end(&LOOP_MARK));
    }
}
