// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The memory that the guest sees as BAR 2: the layout of
//! kernel/irqscope/include/irqscope_doorbell.h, where its meaning is written.

use std::ffi::c_void;
use std::fs::File;
use std::num::NonZeroUsize;
use std::os::fd::{AsFd, BorrowedFd};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, Ordering};

use irqscope_generator::words::Word;
use nix::fcntl::{FcntlArg, SealFlag, fcntl};
use nix::sys::memfd::{MFdFlags, memfd_create};
use nix::sys::mman::{MapFlags, ProtFlags, mmap};

use crate::error::{Result, Trying};

/// Begins the shared memory: "IBER".
pub const MAGIC: u32 = 0x5245_4249;
/// The layout's version; see `irqscope_doorbell.h`.
pub const VERSION: u32 = 2;
/// Words that there is room for.
pub const MOST_LINES: u8 = 16;
/// A PCI region's size is a power of two, and no smaller than a page.
const BYTES: usize = 4096;

/// `struct irqscope_doorbell`. The guest may write to any of it at any time, so
/// nothing in it is anything but atomic.
#[derive(Debug)]
#[repr(C)]
pub struct Layout {
    /// [`MAGIC`].
    pub magic: AtomicU32,
    /// [`VERSION`].
    pub version: AtomicU32,
    /// The number of response lines.
    pub lines: AtomicU32,
    /// Fills the cache line.
    pub unused: [AtomicU32; 13],
    /// 1 while the target wants triggers.
    pub armed: AtomicU32,
    /// Fills the cache line.
    pub unused_armed: [AtomicU32; 15],
    /// One word per response line.
    pub words: [Word; MOST_LINES as usize],
}

/// Mapped for as long as the process lives: guests come and go.
#[derive(Debug)]
pub struct Memory {
    file: File,
    layout: &'static Layout,
    lines: u8,
}

impl Memory {
    /// Makes the memory with the generator's part filled in, and the target's zero.
    ///
    /// # Errors
    /// No memory, or a kernel without memfd (before 3.17).
    pub fn new(lines: u8) -> Result<Self> {
        let lines = lines.min(MOST_LINES);
        let file = sealed().trying("make memory to share with the guest")?;
        let layout = map(&file).trying("map the memory that the guest shares")?;
        layout.version.store(VERSION, Ordering::Relaxed);
        layout.lines.store(lines.into(), Ordering::Relaxed);
        layout.magic.store(MAGIC, Ordering::Release);
        Ok(Self { file, layout, lines })
    }

    /// Returns whether the target wants triggers; it has set all words to 0 by then.
    pub fn armed(&self) -> bool {
        self.layout.armed.load(Ordering::Acquire) != 0
    }

    /// Returns the lines that are watched.
    pub fn words(&self) -> &[Word] {
        &self.layout.words[..usize::from(self.lines)]
    }

    /// Disarms for the next guest: no triggers are wanted.
    pub fn disarm(&self) {
        self.layout.armed.store(0, Ordering::Release);
    }
}

impl AsFd for Memory {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}

/// Makes a sealed file: no other holder can cut it short, which would kill this process.
fn sealed() -> nix::Result<File> {
    let flags = MFdFlags::MFD_CLOEXEC | MFdFlags::MFD_ALLOW_SEALING;
    let file = File::from(memfd_create(c"irqscope-doorbell", flags)?);
    nix::unistd::ftruncate(&file, BYTES as i64)?;
    let seals = SealFlag::F_SEAL_SHRINK | SealFlag::F_SEAL_GROW | SealFlag::F_SEAL_SEAL;
    fcntl(&file, FcntlArg::F_ADD_SEALS(seals))?;
    Ok(file)
}

fn map(file: &File) -> nix::Result<&'static Layout> {
    const { assert!(size_of::<Layout>() <= BYTES) };
    let length = NonZeroUsize::new(BYTES).ok_or(nix::errno::Errno::EINVAL)?;
    let access = ProtFlags::PROT_READ | ProtFlags::PROT_WRITE;
    // SAFETY: a new mapping where the kernel likes, of a file of that length which
    // cannot shrink; nothing unmaps it.
    let mapped: NonNull<c_void> =
        unsafe { mmap(None, length, access, MapFlags::MAP_SHARED, file, 0) }?;
    // SAFETY: page-aligned, long enough (above), never unmapped, and every bit
    // pattern is a Layout; it is all atomics, so others may write to it.
    Ok(unsafe { mapped.cast::<Layout>().as_ref() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::mem::offset_of;
    use std::os::unix::fs::FileExt;

    fn write(memory: &Memory, at: usize, value: u32) {
        memory.file.write_all_at(&value.to_ne_bytes(), at as u64).unwrap();
    }

    #[test]
    fn what_the_guest_stores_is_seen_and_what_it_reads_is_there() {
        let memory = Memory::new(3).unwrap();
        let mut head = [0; 12];
        memory.file.read_exact_at(&mut head, 0).unwrap();
        assert_eq!(head[..4], MAGIC.to_ne_bytes());
        assert_eq!(head[4..8], VERSION.to_ne_bytes());
        assert_eq!(head[8..], 3u32.to_ne_bytes());
        assert!(!memory.armed());
        write(&memory, offset_of!(Layout, armed), 1);
        write(&memory, offset_of!(Layout, words) + 2 * size_of::<Word>(), 7);
        assert!(memory.armed());
        assert_eq!(memory.words().iter().map(Word::count).collect::<Vec<_>>(), [0, 0, 7]);
        memory.disarm();
        assert!(!memory.armed());
    }

    #[test]
    fn the_file_cannot_be_cut_short() {
        let memory = Memory::new(1).unwrap();
        assert!(memory.file.set_len(0).is_err());
        assert_eq!(memory.file.metadata().unwrap().len(), BYTES as u64);
    }
}
