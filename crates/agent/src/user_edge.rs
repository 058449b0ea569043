// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The user stage's edge, made by its own thread where it can drive its line: a bit of a PC's
//! port, with the instruction OUT, or a word of line `memory`, with a store. Elsewhere the driver
//! makes it, when the answer is written. kernel/irqscope/include/irqscope.h is the contract.

use std::fs::File;
use std::num::NonZeroUsize;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use irqscope_wire::Line;
use nix::errno::Errno;
use nix::sys::mman::{MapFlags, ProtFlags, mmap};

use crate::uapi::{
    CALL_BYTES, Call, EDGE_CONTROL, EDGE_DATA, EDGE_WORD, USER_EDGE_PAGE, USER_WORDS_PAGE,
};

/// A page of every kernel that the driver supports with its own edges.
const PAGE_BYTES: usize = 4096;

/// `struct irqscope_user_edge`. The driver and other CPUs write to it at any time.
#[derive(Debug)]
#[repr(C)]
pub struct Layout {
    /// The levels of a port's lines.
    pub wires: AtomicU32,
    /// How this run lets the thread make its edges.
    pub way: AtomicU32,
    /// The number that the next edge adds to `wires`.
    pub step: AtomicU32,
    /// The I/O port.
    pub port: AtomicU32,
    /// The bits of the control register that are no lines.
    pub keep: AtomicU32,
    /// Where the response word lies in its page, in bytes.
    pub word: AtomicU32,
}

/// Stands where the driver makes the edges: all of its fields are zero.
static DRIVER: Layout = Layout {
    wires: AtomicU32::new(0),
    way: AtomicU32::new(0),
    step: AtomicU32::new(0),
    port: AtomicU32::new(0),
    keep: AtomicU32::new(0),
    word: AtomicU32::new(0),
};

/// The thread's half of its line.
#[derive(Debug)]
pub struct UserEdge {
    layout: &'static Layout,
    /// The page of response words, where the line has them.
    words: Option<NonNull<AtomicU64>>,
}

impl UserEdge {
    /// Leaves all edges to the driver.
    pub fn by_driver() -> UserEdge {
        UserEdge { layout: &DRIVER, words: None }
    }

    /// Maps what the thread needs for this line, and asks for access to I/O ports if it is one.
    /// Call it in the thread itself, which alone gets that access.
    ///
    /// # Errors
    /// The kernel refuses it: EPERM without `CAP_SYS_RAWIO`, or with a kernel that is locked down.
    pub fn open(device: &File, line: Line) -> Result<UserEdge, Errno> {
        match line {
            Line::Parport if cfg!(target_arch = "x86_64") => allow_ports()?,
            Line::Memory => {}
            _ => return Ok(Self::by_driver()),
        }
        let layout = map(device, USER_EDGE_PAGE)?.cast::<Layout>();
        let words = match line {
            Line::Memory => Some(map(device, USER_WORDS_PAGE)?.cast::<AtomicU64>()),
            _ => None,
        };
        // SAFETY: page-aligned, long enough, never unmapped, and all of it is atomic.
        Ok(UserEdge { layout: unsafe { layout.as_ref() }, words })
    }

    /// Makes the edge that a call asks for. Returns whether it did; else the driver has to.
    ///
    /// All of it stands between the thread's stamp and its edge: 13 instructions for a line of
    /// the data register, which are the most frequent ones.
    #[inline(always)]
    pub fn rise(&self, call: &[u8; CALL_BYTES]) -> bool {
        if self.layout.way.load(Ordering::Relaxed) == EDGE_DATA {
            self.toggle(|wires| wires as u8);
            return true;
        }
        self.rise_otherwise(call)
    }

    #[cold]
    fn rise_otherwise(&self, call: &[u8; CALL_BYTES]) -> bool {
        match self.layout.way.load(Ordering::Relaxed) {
            EDGE_CONTROL => self.toggle_control(),
            EDGE_WORD => return self.store(Call::from_bytes(*call).number),
            _ => return false,
        }
        true
    }

    /// Ends the pulse of an execution; a word has said all there is to say. Returns whether that
    /// was done; else the driver has to.
    pub fn fall(&self) -> bool {
        match self.layout.way.load(Ordering::Relaxed) {
            EDGE_DATA => self.toggle(|wires| wires as u8),
            EDGE_CONTROL => self.toggle_control(),
            EDGE_WORD => {}
            _ => return false,
        }
        true
    }

    fn toggle_control(&self) {
        let keep = self.layout.keep.load(Ordering::Relaxed);
        self.toggle(|wires| (wires >> 8 | keep) as u8);
    }

    /// Changes this thread's bit of the wires. No other thread changes it, so that adding can carry
    /// into no other bit.
    #[inline(always)]
    fn toggle(&self, register: impl Fn(u32) -> u8) {
        let Layout { wires: shared, step, port, .. } = self.layout;
        let change = step.load(Ordering::Relaxed);
        let mut wires = shared.fetch_add(change, Ordering::SeqCst).wrapping_add(change);
        let port = port.load(Ordering::Relaxed) as u16;
        out(port, register(wires));
        // Another CPU's stage came in between, as in irqscope_edge() of the driver.
        while shared.load(Ordering::SeqCst) != wires {
            wires = shared.load(Ordering::SeqCst);
            out(port, register(wires));
        }
        step.store(change.wrapping_neg(), Ordering::Relaxed);
    }

    /// Stores a response word, as `irqscope_show()` of the driver does. The high half says which
    /// trigger is answered, the low one counts.
    fn store(&self, number: u64) -> bool {
        let Some(words) = self.words else { return false };
        let index = self.layout.word.load(Ordering::Relaxed) as usize / size_of::<AtomicU64>();
        if index >= PAGE_BYTES / size_of::<AtomicU64>() {
            return false;
        }
        // SAFETY: within the page, which is mapped for good.
        let word = unsafe { words.add(index).as_ref() };
        let count = (word.load(Ordering::Relaxed) as u32).wrapping_add(1);
        word.store(number << 32 | u64::from(count), Ordering::Relaxed);
        true
    }
}

// SAFETY: the pages hold atomics alone, and are mapped in the whole process.
unsafe impl Send for UserEdge {}

fn map(device: &File, page: i64) -> Result<NonNull<core::ffi::c_void>, Errno> {
    let length = NonZeroUsize::new(PAGE_BYTES).ok_or(Errno::EINVAL)?;
    let access = ProtFlags::PROT_READ | ProtFlags::PROT_WRITE;
    let offset = page * PAGE_BYTES as i64;
    // SAFETY: a new mapping where the kernel likes; nothing unmaps it.
    unsafe { mmap(None, length, access, MapFlags::MAP_SHARED, device, offset as _) }
}

/// Lets this thread use all I/O ports. `ioperm()` would name three of them, and cost each switch
/// to the thread the copy of a bitmap of up to 8 KiB; for `iopl()` the kernel only points to one
/// that is there (`native_tss_update_io_bitmap()` in arch/x86/kernel/process.c).
#[cfg(target_arch = "x86_64")]
fn allow_ports() -> Result<(), Errno> {
    // SAFETY: changes what this thread may do, and touches no memory.
    Errno::result(unsafe { nix::libc::iopl(3) }).map(drop)
}

#[cfg(not(target_arch = "x86_64"))]
fn allow_ports() -> Result<(), Errno> {
    Err(Errno::ENOSYS)
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn out(port: u16, value: u8) {
    // SAFETY: only where iopl() was granted, to the port that the driver names.
    unsafe {
        std::arch::asm!("out dx, al", in("dx") port, in("al") value,
                        options(nostack, preserves_flags));
    }
}

#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
fn out(_port: u16, _value: u8) {}

const _: () = assert!(size_of::<crate::generator::Layout>() <= PAGE_BYTES);
