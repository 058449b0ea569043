// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Mapping memory, touching each page, unmapping it.

use std::convert::Infallible;
use std::ffi::c_void;
use std::num::NonZeroUsize;
use std::ptr::NonNull;

use nix::errno::Errno;
use nix::sys::mman::{MapFlags, ProtFlags, mmap_anonymous, munmap};

use super::Worker;

const BYTES: NonZeroUsize = NonZeroUsize::new(16 << 20).expect("not zero");

/// No page of Linux is smaller.
const PAGE_BYTES: usize = 4 << 10;

pub fn workers() -> Result<Vec<Worker>, String> {
    Ok(vec![Box::new(|| use_on().map_err(|errno| format!("mmap: {errno}")))])
}

fn use_on() -> Result<Infallible, Errno> {
    let protection = ProtFlags::PROT_READ | ProtFlags::PROT_WRITE;
    loop {
        // SAFETY: a new private mapping at an address that the kernel chooses.
        let mapped = unsafe { mmap_anonymous(None, BYTES, protection, MapFlags::MAP_PRIVATE) }?;
        touch(mapped);
        // SAFETY: exactly what was mapped above; no reference into it exists.
        unsafe { munmap(mapped, BYTES.get()) }?;
    }
}

fn touch(mapped: NonNull<c_void>) {
    for offset in (0..BYTES.get()).step_by(PAGE_BYTES) {
        // SAFETY: within the mapping, which is writable; volatile, because it is never read and the
        // page fault is all that is wanted.
        unsafe { mapped.cast::<u8>().add(offset).write_volatile(1) };
    }
}
