// SPDX-License-Identifier: Apache-2.0 OR MIT
//! /dev/irqscope-memory: the response words, and the call that injects.
//! kernel/irqscope/include/irqscope.h says what they mean.

use std::fs::File;
use std::num::NonZeroUsize;
use std::os::fd::AsRawFd;
use std::path::Path;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, Ordering};

use irqscope_generator::words::Word;
use nix::sys::mman::{MapFlags, ProtFlags, mmap};

use crate::error::{Error, Result};
use crate::uapi;

/// Words that there is room for.
pub const MOST_LINES: u8 = 16;

/// `struct irqscope_memory`. The driver writes to it at any time, so nothing in it
/// is anything but atomic.
#[derive(Debug)]
#[repr(C)]
pub struct Layout {
    /// 1 while the driver wants triggers.
    pub armed: AtomicU32,
    /// Fills the cache line.
    pub unused: [AtomicU32; 15],
    /// One word per response line.
    pub words: [Word; MOST_LINES as usize],
}

/// Mapped for as long as the process lives. Closing it ends a run that needs it.
#[derive(Debug)]
pub struct Memory {
    device: File,
    layout: &'static Layout,
}

impl Memory {
    pub fn open(root: &Path) -> Result<Self> {
        let path = root.join("dev/irqscope-memory");
        let device = File::options().read(true).write(true).open(&path);
        let device = device.map_err(|source| Error::Open { path, source })?;
        let layout = map(&device).map_err(Error::system("map the response words"))?;
        Ok(Self { device, layout })
    }

    /// Returns whether the driver wants triggers; it has set all words to 0 by then.
    pub fn armed(&self) -> bool {
        self.layout.armed.load(Ordering::Acquire) != 0
    }

    pub fn words(&self) -> &[Word] {
        &self.layout.words
    }

    /// Makes a trigger.
    pub fn inject(&self) -> nix::Result<uapi::Injection> {
        let mut injection = uapi::Injection::default();
        // SAFETY: the ioctl writes one struct, which outlives the call.
        unsafe { uapi::inject_now(self.device.as_raw_fd(), &mut injection) }?;
        Ok(injection)
    }
}

fn map(device: &File) -> nix::Result<&'static Layout> {
    let length = NonZeroUsize::new(size_of::<Layout>()).ok_or(nix::errno::Errno::EINVAL)?;
    // SAFETY: a new mapping where the kernel likes; nothing unmaps it.
    let mapped: NonNull<_> =
        unsafe { mmap(None, length, ProtFlags::PROT_READ, MapFlags::MAP_SHARED, device, 0) }?;
    // SAFETY: page-aligned, long enough, never unmapped, and every bit pattern is a
    // Layout; it is all atomics, of which only loads are made here.
    Ok(unsafe { mapped.cast::<Layout>().as_ref() })
}
