// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The driver's contract (kernel/irqscope/include/irqscope.h) in Rust. A test
//! compiles the header and compares.

pub const ABI: u32 = 5;
pub const MAGIC: u32 = 0x4952_5153;
pub const STAGE_SLOTS: usize = 16;

pub const ANSWERED: u32 = 1 << 0;
pub const MERGED: u32 = 1 << 1;

pub const SAMPLE_DONE: u32 = 2;

pub const INJECTION_MERGED: u32 = 1 << 0;
pub const INJECTION_DROPPED: u32 = 1 << 1;

#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Response {
    pub cycles: u64,
    pub cpu: u16,
    pub interrupts: u16,
    pub flags: u32,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Sample {
    pub state: u32,
    pub asked: u32,
    pub seq: u64,
    pub trigger_cycles: u64,
    pub trigger_ns: u64,
    pub responses: [Response; STAGE_SLOTS],
    pub executed: [u64; STAGE_SLOTS],
}

#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Ring {
    pub magic: u32,
    pub abi: u32,
    pub slots: u32,
    pub sample_size: u32,
    pub samples_offset: u32,
    pub running: u32,
    pub tick_fs: u64,
    pub triggers: u64,
    pub complete: u64,
    pub missing: u64,
    pub coalesced: u64,
    pub overrun: u64,
    pub skipped: u64,
    pub spurious: u64,
    pub published: u64,
}

/// Numbers `enum irqscope_event_kind`, and keeps the names for the test against
/// the header.
macro_rules! kinds {
    ($($name:ident)*) => {
        #[allow(non_camel_case_types, clippy::upper_case_acronyms, reason = "the header's names")]
        enum Kind { $($name),* }
        $(pub const $name: u8 = Kind::$name as u8;)*
        pub const KIND_NAMES: &[&str] = &[$(stringify!($name)),*];
        pub const EVENT_KINDS: u8 = KIND_NAMES.len() as u8;
    };
}

kinds! {
    TRIGGERED STACKED IRQ_ENTRY IRQ_EXIT VECTOR_ENTRY VECTOR_EXIT NMI SOFTIRQ_ENTRY SOFTIRQ_EXIT
    SOFTIRQ_RAISE TASKLET_ENTRY TASKLET_EXIT HRTIMER_ENTRY HRTIMER_EXIT TIMER_ENTRY TIMER_EXIT
    WORK_START WORK_END SWITCH WAKEUP STATISTICS CONTENTION_BEGIN CONTENTION_END IDLE_ENTRY
    IDLE_EXIT IRQS_OFF IRQS_ON PREEMPT_OFF PREEMPT_ON NAME NAME_REST SMI SCHEDULE
    CALLBACK_ENTRY CALLBACK_EXIT PAGE_FAULT PAGE_FAULT_END CALL_OTHERS CALL_OTHERS_END CPU
}

pub const PREEMPTED: u64 = 0x100;

#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Event {
    pub cycles: u64,
    pub address: u64,
    pub value: u32,
    pub pid: u32,
    pub order: u32,
    pub kind: u8,
    pub priority: u8,
    pub context: u16,
}

impl Event {
    pub fn from_bytes(bytes: &[u8; size_of::<Event>()]) -> Event {
        // SAFETY: as many bytes as the struct has, which has no padding and is
        // valid for any.
        unsafe { bytes.as_ptr().cast::<Event>().read_unaligned() }
    }
}

/// `struct irqscope_fault` (kernel/faults/faults.h).
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Fault {
    pub begin: u64,
    pub end: u64,
    pub kind: u32,
    pub number: u32,
}

impl Fault {
    pub fn from_bytes(bytes: &[u8; size_of::<Fault>()]) -> Fault {
        // SAFETY: as many bytes as the struct has, which has no padding and is
        // valid for any.
        unsafe { bytes.as_ptr().cast::<Fault>().read_unaligned() }
    }
}

/// `struct irqscope_call`: what /dev/irqscope-user is read for. Which sample, how many rounds
/// are to be executed for it, the number that a response word shows, and until when to sleep
/// before (ns of `CLOCK_MONOTONIC`, 0: not at all).
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Call {
    pub seq: u64,
    pub rounds: u64,
    pub number: u64,
    pub until_ns: u64,
}

pub const CALL_BYTES: usize = size_of::<Call>();

impl Call {
    #[inline(always)]
    pub fn from_bytes(bytes: [u8; CALL_BYTES]) -> Call {
        // SAFETY: as many bytes as the struct has, which is valid for any.
        unsafe { bytes.as_ptr().cast::<Call>().read_unaligned() }
    }
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Answer {
    pub seq: u64,
    pub cycles: u64,
    pub edge: u64,
}

impl Answer {
    pub fn bytes(self) -> [u8; size_of::<Answer>()] {
        let mut bytes = [0; size_of::<Answer>()];
        bytes[..8].copy_from_slice(&self.seq.to_ne_bytes());
        bytes[8..16].copy_from_slice(&self.cycles.to_ne_bytes());
        bytes[16..].copy_from_slice(&self.edge.to_ne_bytes());
        bytes
    }
}

pub const USER_EDGE_PAGE: i64 = 0;
pub const USER_WORDS_PAGE: i64 = 1;

pub const EDGE_DATA: u32 = 1;
pub const EDGE_CONTROL: u32 = 2;
pub const EDGE_WORD: u32 = 3;

/// `struct irqscope_injection`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Injection {
    pub cycles: u64,
    pub number: u32,
    pub flags: u32,
}

nix::ioctl_read!(
    /// `IRQSCOPE_INJECT_NOW`: makes a trigger, from the CPU that calls.
    inject_now, b'I', 2, Injection
);

nix::ioctl_write_ptr!(
    /// `IRQSCOPE_RELEASE`: all slots of samples below the number are free again.
    release, b'I', 1, u64
);
