// SPDX-License-Identifier: GPL-2.0-or-later
//! The turns that several CPUs take on a counted clock, so that each run is the same.
//!
//! QEMU executes all CPUs in one thread, one after the other (accel/tcg/tcg-accel-ops-rr.c). Which one
//! is next, and for how long, depends there on the host as well: its threads for RCU and for the main
//! loop let a CPU leave the guest's code when they like, and the next one goes on. With one CPU that
//! changes nothing, with several it changes their order.
//!
//! So only one CPU may run at a time, the others count as stopped, and the choice is made here: at
//! the end of a turn, when a CPU halts, and when a timer wakes one while all sleep. All three are instants
//! of virtual time. The decision itself is work for QEMU's thread of CPUs, which does it before it
//! executes any more of the guest. A turn that the host breaks goes on with the same CPU.
//!
//! A CPU is stopped by the flag `stopped` of its object, whose place differs by version. It is found by
//! trial: it is the byte that makes `cpu_is_stopped` say yes.

use std::ffi::{c_int, c_uint, c_void};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use irqscope_wire::TWIN_UNUSABLE;

use crate::qemu::{Qemu, Timer, VIRTUAL, symbols};
use crate::turned::Record;

/// `QEMU_TIMER_ATTR_ALL`.
const ALL_TIMERS: c_int = -1;
/// A turn while nothing is measured, ns: long ones cost the host less.
const COARSE: u64 = 50_000;
/// A turn is shorter than the longest by this at most, ns: an instruction is 2 ns, and loops that wait are short.
const MOST_LESS: u64 = 256;
/// How long is slept where there is no timer at all, ns.
const NO_TIMER: u64 = 1_000_000_000;
/// The generic part of a CPU's object is not longer, in bytes.
const OBJECT: usize = 1 << 16;

/// `run_on_cpu_func`, with its union as a word.
type Work = unsafe extern "C" fn(*mut c_void, u64);

symbols! { Symbols:
    qemu_get_cpu: unsafe extern "C" fn(c_int) -> *mut c_void,
    cpu_is_stopped: unsafe extern "C" fn(*mut c_void) -> bool,
    cpu_thread_is_idle: unsafe extern "C" fn(*mut c_void) -> bool,
    cpu_work_list_empty: unsafe extern "C" fn(*mut c_void) -> bool,
    async_run_on_cpu: unsafe extern "C" fn(*mut c_void, Work, u64),
    qemu_clock_deadline_ns_all: unsafe extern "C" fn(c_int, c_int) -> i64,
}

static TURNS: Mutex<Option<Turns>> = Mutex::new(None);
/// Takes the turns that were recorded, if they are to be.
static RECORDED: OnceLock<fn(irqscope_wire::Turns)> = OnceLock::new();

/// The CPU whose turn it is, once that was decided here.
static RUNNING: AtomicU32 = AtomicU32::new(c_uint::MAX);
/// When its turn began, virtual ns.
static SINCE: AtomicU64 = AtomicU64::new(0);

fn lock() -> MutexGuard<'static, Option<Turns>> {
    TURNS.lock().unwrap_or_else(PoisonError::into_inner)
}

struct Turns {
    symbols: Symbols,
    cpus: c_int,
    /// The CPUs' objects are one array.
    is_array: bool,
    /// The longest turn while something is measured, ns.
    fine: u64,
    is_fine: bool,
    record: Record,
    timer: Option<(Qemu, Timer)>,
    /// Where the flag is in a CPU's object.
    stopped: Option<usize>,
    /// The CPU whose turn it is or was.
    current: c_int,
    /// A decision is on its way to the thread of CPUs.
    is_deciding: bool,
}

/// Makes turns of at most `quantum` ns for each of `cpus`. There is nothing to decide where the machine
/// has one CPU, or the quantum is 0. `is_array`: the machine's CPUs are one array (`riscv_harts_realize()`
/// in hw/riscv/riscv_hart.c), and not allocated one by one.
///
/// # Errors
/// The names of what this QEMU does not export.
pub fn want(quantum: u64, cpus: c_int, is_array: bool) -> Result<(), Vec<&'static str>> {
    if cpus > 1 && quantum > 0 {
        let symbols = Symbols::look_up()?;
        *lock() = Some(Turns {
            symbols,
            cpus,
            is_array,
            fine: quantum,
            is_fine: false,
            record: Record::default(),
            timer: None,
            stopped: None,
            current: 0,
            is_deciding: false,
        });
    }
    Ok(())
}

/// Records the turns while something is measured; `take` has them from time to time.
pub fn record(take: fn(irqscope_wire::Turns)) {
    RECORDED.get_or_init(|| take);
}

/// Decides from now on; called when the machine is complete. `is_measured`: nothing says later when a
/// measurement begins.
pub fn begin(qemu: &Qemu, is_measured: bool) {
    if let Some(turns) = lock().as_mut() {
        turns.is_fine = is_measured;
        let (_, timer) = *turns.timer.get_or_insert_with(|| (*qemu, qemu.timer(over)));
        qemu.fire_at(timer, 0);
    }
}

/// Makes turns short while something is measured. Returns the end of their record when that is over.
pub fn measure(is_measured: bool) -> Option<irqscope_wire::Turns> {
    let mut turns = lock();
    let turns = turns.as_mut()?;
    turns.is_fine = is_measured;
    turns.end();
    if is_measured { None } else { turns.pause() }
}

/// Ends the record of turns. Returns what was not taken yet.
pub fn pause() -> Option<irqscope_wire::Turns> {
    lock().as_mut()?.pause()
}

/// Returns the virtual time at the beginning of the turn that goes on, ns; 0 before the first one.
pub fn since() -> u64 {
    SINCE.load(Ordering::Relaxed)
}

/// Returns the CPU that executes, within a callback for which QEMU names one. Where CPUs take turns in one
/// thread, versions since 9.1 name the one for which the code was translated first
/// (`gen_cpu_index` in accel/tcg/plugin-gen.c).
pub fn running(named: c_uint) -> c_uint {
    match RUNNING.load(Ordering::Relaxed) {
        c_uint::MAX => named,
        running => running,
    }
}

/// Takes note that the running CPU is about to halt.
pub fn halts() {
    if let Some(turns) = lock().as_ref() {
        turns.end();
    }
}

/// Ends a turn.
unsafe extern "C" fn over(_opaque: *mut c_void) {
    if let Some(turns) = lock().as_mut() {
        // SAFETY: a timer's turn, under QEMU's big lock.
        unsafe { turns.hand_over() }
    }
}

/// Chooses the next CPU.
unsafe extern "C" fn decide(_cpu: *mut c_void, _word: u64) {
    // SAFETY: QEMU does work for CPUs in their thread, under its big lock.
    let recorded = lock().as_mut().and_then(|turns| unsafe { turns.decide() });
    if let (Some(take), Some(recorded)) = (RECORDED.get(), recorded) {
        take(recorded);
    }
}

impl Turns {
    /// Lets the turn end at once.
    fn end(&self) {
        if let Some((qemu, timer)) = self.timer {
            qemu.fire_at(timer, 0);
        }
    }

    /// Stops all CPUs until it is decided which goes on.
    ///
    /// # Safety
    /// Under QEMU's big lock, as all of these.
    unsafe fn hand_over(&mut self) {
        if std::mem::replace(&mut self.is_deciding, true) {
            return;
        }
        // SAFETY: the caller's promise.
        unsafe {
            if self.stopped.is_none() {
                self.stopped = Some(self.find_flag());
            }
            (0..self.cpus).for_each(|cpu| self.set_stopped(cpu, true));
            self.ask(0);
        }
    }

    /// Lets the thread of CPUs decide when this CPU's other work is done.
    unsafe fn ask(&self, cpu: c_int) {
        // SAFETY: QEMU's function, with a CPU that is there and a function that is never unloaded.
        unsafe { (self.symbols.async_run_on_cpu)(self.object(cpu), decide, 0) }
    }

    /// Takes note of the CPU that goes on, if that is recorded.
    fn note(&mut self, now: u64, cpu: Option<c_int>) -> Option<irqscope_wire::Turns> {
        let wanted = self.is_fine && RECORDED.get().is_some();
        let cpu = cpu.map(|cpu| cpu as u16);
        wanted.then(|| self.record.note(now, cpu)).flatten()
    }

    fn pause(&mut self) -> Option<irqscope_wire::Turns> {
        let (qemu, _) = self.timer?;
        self.record.pause(qemu.now())
    }

    /// Lets the next CPU in turn go on that has something to execute. Returns turns that are to be taken.
    unsafe fn decide(&mut self) -> Option<irqscope_wire::Turns> {
        let (qemu, timer) = self.timer?;
        // SAFETY: the caller's promise; the objects are the CPUs'.
        unsafe {
            // Work that waits makes a CPU look busy, and it depends on the host when it came.
            let busy = |cpu: &c_int| !(self.symbols.cpu_work_list_empty)(self.object(*cpu));
            if let Some(cpu) = (0..self.cpus).find(busy) {
                self.ask(cpu);
                return None;
            }
            self.is_deciding = false;
            let now = qemu.now();
            SINCE.store(now, Ordering::Relaxed);
            for cpu in (1..=self.cpus).map(|step| (self.current + step) % self.cpus) {
                self.set_stopped(cpu, false);
                if !(self.symbols.cpu_thread_is_idle)(self.object(cpu)) {
                    self.current = cpu;
                    RUNNING.store(cpu.cast_unsigned(), Ordering::Relaxed);
                    let longest = if self.is_fine { self.fine } else { COARSE };
                    qemu.fire_at(timer, now + length(now, longest));
                    return self.note(now, Some(cpu));
                }
                self.set_stopped(cpu, true);
            }
            // All sleep. The timer that wakes one runs before this one of the same instant.
            let until = (self.symbols.qemu_clock_deadline_ns_all)(VIRTUAL, ALL_TIMERS);
            qemu.fire_at(timer, now + u64::try_from(until).unwrap_or(NO_TIMER));
            self.note(now, None)
        }
    }

    unsafe fn object(&self, cpu: c_int) -> *mut c_void {
        // SAFETY: QEMU's function only looks for it, and the machine has that many.
        unsafe { (self.symbols.qemu_get_cpu)(cpu) }
    }

    unsafe fn set_stopped(&self, cpu: c_int, stopped: bool) {
        if let Some(offset) = self.stopped {
            // SAFETY: the flag's place in an object that is never freed.
            unsafe { self.object(cpu).cast::<u8>().add(offset).write_volatile(stopped.into()) }
        }
    }

    /// Finds the flag in the object of the last CPU, which does not execute now.
    unsafe fn find_flag(&self) -> usize {
        // SAFETY: the object was allocated with malloc or posix_memalign, which know how long it is, or it
        // is as long as the one before it in an array of several; each byte has its value again before
        // anything else looks at it.
        let found = unsafe {
            let object = self.object(self.cpus - 1);
            let bytes = object.cast::<u8>();
            let length = match self.is_array {
                true => object.addr().saturating_sub(self.object(self.cpus - 2).addr()),
                false => libc::malloc_usable_size(object),
            };
            let length = length.min(OBJECT);
            (0..length).find(|offset| {
                let byte = bytes.add(*offset);
                if byte.read_volatile() != 0 {
                    return false;
                }
                byte.write_volatile(1);
                let says_so = (self.symbols.cpu_is_stopped)(object);
                byte.write_volatile(0);
                says_so
            })
        };
        found.unwrap_or_else(|| {
            eprintln!(
                "irqscope: {TWIN_UNUSABLE}the flag that stops one of this QEMU's CPUs is not found"
            );
            std::process::exit(1)
        })
    }
}

/// Returns how long a turn is that begins now, ns: a little less than the longest, by what follows from
/// the instant alone. Were all turns alike, a CPU that takes a lock again and again could end each of them
/// with the lock held, and the CPU that waits for the lock would wait for ever (SeaBIOS' `smp_scan` did).
fn length(now: u64, longest: u64) -> u64 {
    let most = (longest / 8).min(MOST_LESS);
    // Fibonacci hashing: the high bits depend on all of the instant's.
    longest - (now.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) % (most + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_end_at_every_place_of_a_loop_and_are_never_longer() {
        for (longest, instructions) in [(100, 5), (1_000, 40), (5_000, 40), (COARSE, 40)] {
            for place in 0..instructions {
                // The instants are those at which one turn after the other begins.
                let mut now = 1_000_000;
                let reached = (0..2_000).any(|_| {
                    let length = length(now, longest);
                    assert!(length <= longest && longest - length <= longest / 8);
                    now += length;
                    (now / 2) % instructions == place
                });
                assert!(reached, "{longest} ns, instruction {place} of {instructions}");
            }
        }
    }

    #[test]
    fn only_several_cpus_take_turns() {
        assert!(want(1000, 1, false).is_ok() && want(0, 2, false).is_ok());
        assert!(lock().is_none());
        assert_eq!(running(3), 3);
        // Outside QEMU.
        assert!(want(1000, 2, true).unwrap_err().contains(&"cpu_thread_is_idle"));
    }
}
