// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Events as bpf/watch.bpf.c pushes them.

/// One event of the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// CLOCK_MONOTONIC, in nanoseconds.
    pub at: u64,
    /// The CPU that it happened on.
    pub cpu: u16,
    /// The event itself.
    pub what: What,
}

/// A thread's name, as the kernel keeps it.
pub type Comm = [u8; 16];

/// The kinds of events.
#[allow(missing_docs, reason = "fields are the tracepoints' own")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    IrqEntry(u32),
    IrqExit(u32),
    SoftirqRaise(u8),
    SoftirqEntry(u8),
    SoftirqExit(u8),
    /// A poll of this network device has ended.
    NapiPoll {
        device: Comm,
    },
    Waking {
        pid: u32,
        priority: u32,
        name: Comm,
    },
    Switch {
        next: u32,
        previous: u32,
        name: Comm,
    },
    /// A timer's callback begins; `due` is not known of a timer of another clock.
    TimerEntry {
        function: u64,
        due: Option<u64>,
    },
    TimerExit,
    /// An interrupt of x86 that has no descriptor: one of [`LOCAL`].
    VectorEntry(u8),
    VectorExit(u8),
    WorkEntry {
        function: u64,
    },
    WorkExit,
    /// This CPU sends an interrupt to another one, from a place in the kernel's code.
    Send {
        to: u16,
        from: u64,
        name: Comm,
    },
    /// One function of the kernel's stack, before the entry of a timer that comes late; place 0 is the innermost.
    Stacked {
        place: u32,
        address: u64,
        /// The thread on the CPU has a part in user space: it is none of the kernel's own.
        has_user_space: bool,
    },
    /// A thread has reached the function in user space.
    User {
        pid: u32,
    },
}

/// Softirq vectors of Linux, in their order.
pub(crate) const VECTORS: [&str; 10] =
    ["hi", "timer", "net_tx", "net_rx", "block", "irq_poll", "tasklet", "sched", "hrtimer", "rcu"];

/// Interrupts of x86 that have no descriptor, as the probes number them.
pub(crate) const LOCAL: [&str; 5] = [
    "timer interrupt",
    "reschedule interrupt",
    "call interrupt",
    "call interrupt",
    "irq_work interrupt",
];

/// Returns whether a softirq is the kernel's housekeeping: ticks and RCU raise these in any context,
/// and none of them is the way of a device.
pub(crate) fn is_housekeeping(vector: u8) -> bool {
    matches!(VECTORS.get(usize::from(vector)), Some(&("timer" | "sched" | "hrtimer" | "rcu")))
}

impl Event {
    /// The length of a record.
    pub const BYTES: usize = 40;

    /// Reads a record; none where it is not understood.
    pub fn read(record: &[u8]) -> Option<Event> {
        let record: &[u8; Event::BYTES] = record.try_into().ok()?;
        let word = |place: usize| -> Option<u64> {
            Some(u64::from_le_bytes(record.get(place..place + 8)?.try_into().ok()?))
        };
        let head = word(8)?;
        let (kind, cpu, number) = (head as u16, (head >> 16) as u16, (head >> 32) as u32);
        let (at, value, due) = (word(0)?, word(16)?, word(24)?);
        let name = cleared(record[24..].try_into().ok()?);
        let vector =
            || u8::try_from(number).ok().filter(|vector| usize::from(*vector) < VECTORS.len());
        let local =
            || u8::try_from(number).ok().filter(|vector| usize::from(*vector) < LOCAL.len());
        let what = match kind {
            1 => What::IrqEntry(number),
            2 => What::IrqExit(number),
            3 => What::SoftirqRaise(vector()?),
            4 => What::SoftirqEntry(vector()?),
            5 => What::SoftirqExit(vector()?),
            6 => What::NapiPoll { device: name },
            7 => What::Waking { pid: number, priority: value as u32, name },
            8 => What::Switch { next: number, previous: value as u32, name },
            9 => What::TimerEntry { function: value, due: (due != 0).then_some(due) },
            10 => What::TimerExit,
            11 => What::User { pid: number },
            12 => What::VectorEntry(local()?),
            13 => What::VectorExit(local()?),
            14 => What::WorkEntry { function: value },
            15 => What::WorkExit,
            16 => What::Send { to: number as u16, from: value, name },
            17 => What::Stacked { place: number, address: value, has_user_space: due as u8 != 0 },
            _ => return None,
        };
        Some(Event { at, cpu, what })
    }
}

/// Returns a name with nothing after its end, where kernels leave what was there before: two of one thread are equal.
fn cleared(mut name: Comm) -> Comm {
    let end = name.iter().position(|byte| *byte == 0).unwrap_or(name.len());
    name[end..].fill(0);
    name
}

/// Returns a name in characters that can be printed.
pub(crate) fn text(name: &Comm) -> String {
    let end = name.iter().position(|byte| *byte == 0).unwrap_or(name.len());
    let text = String::from_utf8_lossy(&name[..end]);
    text.chars().map(|c| if c.is_control() { '?' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_read_as_the_probes_write_it() {
        let mut record = [0; Event::BYTES];
        record[..8].copy_from_slice(&7u64.to_le_bytes());
        record[8..10].copy_from_slice(&8u16.to_le_bytes());
        record[10..12].copy_from_slice(&3u16.to_le_bytes());
        record[12..16].copy_from_slice(&99u32.to_le_bytes());
        record[16..24].copy_from_slice(&11u64.to_le_bytes());
        record[24..31].copy_from_slice(b"app\0old");
        let event = Event::read(&record).unwrap();
        let What::Switch { next: 99, previous: 11, name } = event.what else {
            panic!("{event:?}");
        };
        assert_eq!((event.at, event.cpu, text(&name)), (7, 3, "app".into()));
        assert_eq!(name, *b"app\0\0\0\0\0\0\0\0\0\0\0\0\0");
    }

    #[test]
    fn what_no_probe_writes_is_no_event() {
        assert_eq!(Event::read(&[0; 3]), None);
        assert_eq!(Event::read(&[0; Event::BYTES]), None);
        let mut vector = [0; Event::BYTES];
        (vector[8], vector[12]) = (4, 200);
        assert_eq!(Event::read(&vector), None);
        assert_eq!(text(b"a\nb\0ccccccccccccc"[..16].try_into().unwrap()), "a?b");
    }
}
