// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The driver's ring, mapped read-only, and its samples in the protocol's form.

use std::ffi::c_void;
use std::fs::File;
use std::num::NonZeroUsize;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::path::Path;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, Ordering};

use irqscope_wire::{Counters, Cycles, Nanoseconds, Outcome, Response, Sample, Seq, Stage};
use nix::sys::mman::{MapFlags, ProtFlags, mmap, munmap};

use crate::error::{Error, Result};
use crate::uapi;

/// /dev/irqscope, held open: closing it stops the run, so a killed agent does.
#[derive(Debug)]
pub struct Device(File);

impl Device {
    /// Opens the driver's device.
    ///
    /// # Errors
    /// The driver is not loaded, or the device is in use.
    pub fn open(root: &Path) -> Result<Device> {
        let path = root.join("dev/irqscope");
        let file = File::options().read(true).write(true).open(&path);
        file.map(Device).map_err(|source| Error::Open { path, source })
    }

    /// Maps the ring as it is now; settings must not change afterwards.
    ///
    /// # Errors
    /// It cannot be mapped, or has another version.
    pub fn map(self) -> Result<Ring> {
        let header = Mapping::of(&self.0, size_of::<uapi::Ring>())?.header();
        let expected = size_of::<uapi::Sample>();
        if header.magic != uapi::MAGIC || header.abi != uapi::ABI {
            return Err(Error::Ring(format!("magic {:#x}, ABI {}", header.magic, header.abi)));
        }
        if header.sample_size as usize != expected || !header.slots.is_power_of_two() {
            let (size, slots) = (header.sample_size, header.slots);
            return Err(Error::Ring(format!("{slots} slots of {size} bytes, not {expected}")));
        }
        let length = header.samples_offset as usize + header.slots as usize * expected;
        let mapping = Mapping::of(&self.0, length)?;
        Ok(Ring { device: self, mapping, header, next: 0, released: 0 })
    }
}

#[derive(Debug)]
struct Mapping {
    address: NonNull<c_void>,
    length: NonZeroUsize,
}

impl Mapping {
    fn of(file: &File, length: usize) -> Result<Mapping> {
        let length = NonZeroUsize::new(length).ok_or(Error::Ring("empty".into()))?;
        let (protection, flags) = (ProtFlags::PROT_READ, MapFlags::MAP_SHARED);
        // SAFETY: a new mapping at an address that the kernel chooses.
        let mapped = unsafe { mmap(None, length, protection, flags, file, 0) };
        let address = mapped.map_err(Error::system("map the driver's ring"))?;
        Ok(Mapping { address, length })
    }

    fn header(&self) -> uapi::Ring {
        // SAFETY: every mapping is at least as long as the header and aligned to
        // a page; the driver writes it at any time, hence volatile.
        unsafe { self.address.cast::<uapi::Ring>().read_volatile() }
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours, and no reference into it outlives it.
        let _ = unsafe { munmap(self.address, self.length.get()) };
    }
}

/// The driver's ring, mapped.
#[derive(Debug)]
pub struct Ring {
    mapping: Mapping,
    device: Device,
    /// As it was when mapped: its layout does not change.
    header: uapi::Ring,
    /// The sample to read next, counted from 0 without overruns.
    next: u64,
    /// Those below were handed back. Useful invariant: at most as many samples as
    /// there are slots were read and not handed back, or the first of them, still
    /// marked as done, would be read as the next one.
    released: u64,
}

impl Ring {
    /// Returns the ring's header as it is now.
    pub fn header(&self) -> uapi::Ring {
        self.mapping.header()
    }

    /// Returns how many samples have room.
    pub fn slots(&self) -> u64 {
        self.header.slots.into()
    }

    /// Returns the driver's counters as they are now.
    pub fn counters(&self) -> Counters {
        let header = self.header();
        Counters {
            triggers: header.triggers,
            complete: header.complete,
            missing: header.missing,
            coalesced: header.coalesced,
            dropped: header.overrun,
            skipped: header.skipped,
            spurious: header.spurious,
        }
    }

    /// Returns the next sample if it is done, and there is room to have read it.
    pub fn read(&mut self) -> Option<Sample> {
        if self.next - self.released >= self.slots() {
            return None;
        }
        let slot = (self.next & (self.slots() - 1)) as usize;
        let offset = self.header.samples_offset as usize + slot * size_of::<uapi::Sample>();
        // SAFETY: the offset lies within the mapping, whose length was computed
        // from the same header; only atomic loads go through this reference.
        let state = unsafe { self.mapping.address.byte_add(offset).cast::<AtomicU32>().as_ref() };
        if state.load(Ordering::Acquire) != uapi::SAMPLE_DONE {
            return None;
        }
        // SAFETY: as above; a sample that is done is not written until it has
        // been released, and that is for us to do.
        let sample = unsafe { self.mapping.address.byte_add(offset).cast::<uapi::Sample>().read() };
        self.next += 1;
        Some(to_wire(&sample))
    }

    /// Hands back all slots that were read.
    ///
    /// # Errors
    /// The driver refuses it.
    pub fn release(&mut self) -> Result<()> {
        // SAFETY: the ioctl takes a pointer to one u64, which outlives the call.
        let released = unsafe { uapi::release(self.device.0.as_raw_fd(), &self.next) };
        released.map_err(Error::system("hand slots of the ring back"))?;
        self.released = self.next;
        Ok(())
    }
}

impl AsFd for Ring {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.device.0.as_fd()
    }
}

fn to_wire(sample: &uapi::Sample) -> Sample {
    let asked = Stage::ALL.iter().filter(|stage| sample.asked & (1 << stage.index()) != 0);
    let respond =
        |stage: &Stage| Response { stage: *stage, outcome: outcome(sample, stage.index()) };
    Sample {
        seq: Seq(sample.seq),
        trigger_cycles: Cycles(sample.trigger_cycles),
        trigger_ns: Nanoseconds(sample.trigger_ns as i64),
        responses: asked.map(respond).collect(),
    }
}

fn outcome(sample: &uapi::Sample, stage: usize) -> Outcome {
    let response = &sample.responses[stage];
    if response.flags & uapi::ANSWERED != 0 {
        let executed = sample.executed[stage];
        Outcome::Answered {
            latency: response.cycles.wrapping_sub(sample.trigger_cycles) as i64,
            cpu: response.cpu,
            interrupts: response.interrupts,
            executed: (executed > 0).then_some(Cycles(executed)),
        }
    } else if response.flags & uapi::MERGED != 0 {
        Outcome::Coalesced
    } else {
        Outcome::Missing
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_asked_stage_has_one_outcome() {
        let mut sample = uapi::Sample { asked: 0b1000_0000_0111, seq: 9, ..Default::default() };
        sample.trigger_cycles = 1_000;
        sample.executed[0] = 70_000;
        let answered = |cycles| uapi::Response {
            cycles,
            cpu: 3,
            interrupts: 2,
            flags: uapi::ANSWERED | 1 << 3,
        };
        sample.responses[0] = answered(1_567);
        sample.responses[1] = answered(990);
        sample.responses[2].flags = uapi::MERGED;
        let wire = to_wire(&sample);
        let outcomes: Vec<_> = wire.responses.iter().map(|response| response.outcome).collect();
        let expected =
            |latency, executed| Outcome::Answered { latency, cpu: 3, interrupts: 2, executed };
        let first = expected(567, Some(Cycles(70_000)));
        assert_eq!(outcomes, [first, expected(-10, None), Outcome::Coalesced]);
        sample.asked = 1 << Stage::User.index();
        assert_eq!(to_wire(&sample).responses[0].outcome, Outcome::Missing);
    }
}
