// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The driver's log of events: read, named, and sent.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::Read;
use std::path::Path;

use irqscope_wire::{
    Called, Context, Cycles, Event, Explained, Message, OtherEvents, Priority, Role, Softirq,
    StageThread, Vector, What,
};

use crate::driver::Driver;
use crate::error::{Error, Result};
use crate::sink::Sink;
use crate::symbols::Symbols;
use crate::threads::scan;
use crate::uapi;

/// Well below `MAX_FRAME_BYTES`: an event has at most 40 bytes.
const BATCH: usize = 4096;

/// /dev/irqscope-events, and what was met in it.
#[derive(Debug)]
pub struct EventLog {
    device: File,
    addresses: BTreeSet<u64>,
    /// The first half of a name, which comes in two, by CPU.
    halves: BTreeMap<Option<u16>, (u32, [u8; 8])>,
}

impl EventLog {
    /// Opens the driver's log of events.
    ///
    /// # Errors
    /// The device cannot be opened or mapped, or has another version.
    pub fn open(root: &Path) -> Result<EventLog> {
        let path = root.join("dev/irqscope-events");
        let device = File::open(&path).map_err(|source| Error::Open { path, source })?;
        Ok(EventLog { device, addresses: BTreeSet::new(), halves: BTreeMap::new() })
    }

    /// Sends what is there.
    ///
    /// # Errors
    /// They cannot be sent.
    pub fn collect(&mut self, sink: &mut Sink) -> Result<()> {
        let mut bytes = vec![0; BATCH * size_of::<uapi::Event>()];
        loop {
            let length = self
                .device
                .read(&mut bytes)
                .map_err(|source| Error::System { what: "read the driver's events", source })?;
            if length == 0 {
                return Ok(());
            }
            let (raw, _) = bytes[..length].as_chunks();
            let raw: Vec<uapi::Event> = raw.iter().map(uapi::Event::from_bytes).collect();
            for message in self.messages(&raw) {
                sink.send(message)?;
            }
        }
    }

    /// Converts what one read() gave: events of the CPU under test, and then those of others, each
    /// after its CPU's number.
    fn messages(&mut self, raw: &[uapi::Event]) -> Vec<Message> {
        let of_one_cpu = raw.chunk_by(|_, next| next.kind != uapi::CPU);
        of_one_cpu.map(|raw| self.message(raw)).collect()
    }

    fn message(&mut self, raw: &[uapi::Event]) -> Message {
        let first = raw.first().filter(|first| first.kind == uapi::CPU);
        let cpu = first.map(|mark| mark.value as u16);
        let events = raw.iter().filter_map(|raw| self.event(cpu, raw)).collect();
        match cpu {
            Some(cpu) => Message::OtherEvents(OtherEvents { cpu, events }),
            None => Message::Events(events),
        }
    }

    /// Sends what gives the events that were sent a meaning.
    ///
    /// # Errors
    /// The kernel's symbols cannot be read, or nothing can be sent.
    pub fn finish(
        &self,
        root: &Path,
        driver: &Driver,
        threads: Vec<StageThread>,
        sink: &mut Sink,
    ) -> Result<()> {
        let symbols = Symbols::read(root)?.only(self.addresses.iter().copied());
        symbols.messages().try_for_each(|message| sink.send(message))?;
        sink.send(Message::Explained(Explained {
            event_cost: driver.number("event_cost")?,
            lost: driver.number("events_lost")?,
            lacking: driver.lacking_tracepoints()?,
            threads,
            softirq_threads: softirq_threads(root),
        }))
    }

    fn event(&mut self, cpu: Option<u16>, raw: &uapi::Event) -> Option<Event> {
        let what = match raw.kind {
            uapi::NAME => {
                self.halves.insert(cpu, (raw.value, raw.address.to_ne_bytes()));
                return None;
            }
            uapi::NAME_REST => What::Named(self.name(cpu, raw)?),
            _ => what(raw)?,
        };
        self.addresses.extend(what.address());
        Some(Event {
            at: Cycles(raw.cycles),
            order: raw.order,
            pid: raw.pid,
            priority: Priority(raw.priority),
            context: Context(raw.context),
            what,
        })
    }

    fn name(&mut self, cpu: Option<u16>, rest: &uapi::Event) -> Option<String> {
        let (pid, first) = self.halves.remove(&cpu)?;
        let letters = [first, rest.address.to_ne_bytes()].concat();
        let end = letters.iter().position(|letter| *letter == 0).unwrap_or(letters.len());
        (pid == rest.value).then(|| String::from_utf8_lossy(&letters[..end]).into_owned())
    }
}

fn softirq_threads(root: &Path) -> Vec<u32> {
    let threads = scan::threads(root).into_iter();
    let mut pids: Vec<u32> =
        threads.filter(|thread| thread.role == Role::Softirq).map(|thread| thread.pid).collect();
    pids.sort_unstable();
    pids
}

/// Converts an event. None: of a kind that this agent does not know, a name, or a CPU's number.
fn what(raw: &uapi::Event) -> Option<What> {
    let (value, address) = (raw.value, raw.address);
    let vector = || Vector::ALL.get(value as usize).copied();
    let called = || Called::ALL.get(value as usize).copied();
    let softirq = || Softirq::ALL.get(value as usize).copied();
    Some(match raw.kind {
        uapi::TRIGGERED => What::Triggered { seq: value, interrupted: address },
        uapi::STACKED => What::Stacked { address },
        uapi::IRQ_ENTRY => What::IrqEntry { number: value, handler: address },
        uapi::IRQ_EXIT => What::IrqExit { number: value },
        uapi::VECTOR_ENTRY => What::VectorEntry { vector: vector()?, interrupted: address },
        uapi::VECTOR_EXIT => What::VectorExit(vector()?),
        uapi::NMI => What::Nmi { nanoseconds: value, handler: address },
        uapi::SOFTIRQ_ENTRY => What::SoftirqEntry(softirq()?),
        uapi::SOFTIRQ_EXIT => What::SoftirqExit(softirq()?),
        uapi::SOFTIRQ_RAISE => What::SoftirqRaise(softirq()?),
        uapi::TASKLET_ENTRY => What::TaskletEntry { function: address },
        uapi::TASKLET_EXIT => What::TaskletExit,
        uapi::HRTIMER_ENTRY => What::HrtimerEntry { function: address },
        uapi::HRTIMER_EXIT => What::HrtimerExit,
        uapi::TIMER_ENTRY => What::TimerEntry { function: address },
        uapi::TIMER_EXIT => What::TimerExit,
        uapi::WORK_START => What::WorkStart { function: address },
        uapi::WORK_END => What::WorkEnd,
        uapi::SWITCH => What::Switch {
            next: value,
            priority: Priority(address as u8),
            preempted: address & uapi::PREEMPTED != 0,
        },
        uapi::WAKEUP => What::Wakeup { pid: value, priority: Priority(address as u8) },
        uapi::STATISTICS => What::Statistics { pid: value },
        uapi::CONTENTION_BEGIN => What::ContentionBegin { lock: address },
        uapi::CONTENTION_END => What::ContentionEnd { lock: address },
        uapi::IDLE_ENTRY => What::IdleEntry { state: value },
        uapi::IDLE_EXIT => What::IdleExit,
        uapi::IRQS_OFF => What::IrqsOff { by: address },
        uapi::IRQS_ON => What::IrqsOn { by: address },
        uapi::PREEMPT_OFF => What::PreemptionOff { by: address },
        uapi::PREEMPT_ON => What::PreemptionOn { by: address },
        uapi::SMI => What::Smi { count: value },
        uapi::SCHEDULE => What::Schedule,
        uapi::CALLBACK_ENTRY => What::CallbackEntry { by: called()?, function: address },
        uapi::CALLBACK_EXIT => What::CallbackExit(called()?),
        uapi::PAGE_FAULT => What::PageFault,
        uapi::PAGE_FAULT_END => What::PageFaultEnd,
        uapi::CALL_OTHERS => What::CallOthers { function: address },
        uapi::CALL_OTHERS_END => What::CallOthersEnd,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log() -> EventLog {
        let device = tempfile::tempfile().unwrap();
        EventLog { device, addresses: BTreeSet::new(), halves: BTreeMap::new() }
    }

    fn raw(kind: u8, value: u32, address: u64) -> uapi::Event {
        uapi::Event { kind, value, address, ..Default::default() }
    }

    #[test]
    fn a_name_comes_in_two_halves() {
        let mut log = log();
        let letters = |text: &[u8; 8]| u64::from_ne_bytes(*text);
        let first = raw(uapi::NAME, 7, letters(b"kworker/"));
        assert_eq!(log.event(None, &first), None);
        let event = log.event(None, &raw(uapi::NAME_REST, 7, letters(b"0:1H\0\0\0\0"))).unwrap();
        assert_eq!(event.what, What::Named("kworker/0:1H".into()));
        assert_eq!(log.event(None, &raw(uapi::NAME_REST, 8, 0)), None, "its first half is missing");
    }

    #[test]
    fn events_of_other_cpus_come_apart_and_names_with_them() {
        let letters = |text: &[u8; 8]| u64::from_ne_bytes(*text);
        let mut log = log();
        let cpu = |number| raw(uapi::CPU, number, 0);
        // A read() ends between the halves of a name.
        let first = [raw(uapi::IDLE_EXIT, 0, 0), cpu(1), raw(uapi::NAME, 7, letters(b"irqscope"))];
        let second = [
            raw(uapi::NAME, 9, letters(b"load-cop")),
            raw(uapi::NAME_REST, 9, letters(b"y\0\0\0\0\0\0\0")),
            cpu(1),
            raw(uapi::NAME_REST, 7, letters(b"-holder\0")),
            cpu(2),
            raw(uapi::IDLE_EXIT, 0, 0),
        ];
        let whats = |events: &[Event]| events.iter().map(|e| e.what.clone()).collect::<Vec<_>>();
        let mut found = Vec::new();
        for message in log.messages(&first).into_iter().chain(log.messages(&second)) {
            found.push(match message {
                Message::Events(events) => (None, whats(&events)),
                Message::OtherEvents(other) => (Some(other.cpu), whats(&other.events)),
                _ => unreachable!("no other message"),
            });
        }
        let named = |name: &str| vec![What::Named(name.into())];
        assert_eq!(
            found,
            [
                (None, vec![What::IdleExit]),
                (Some(1), vec![]),
                (None, named("load-copy")),
                (Some(1), named("irqscope-holder")),
                (Some(2), vec![What::IdleExit]),
            ]
        );
    }

    #[test]
    fn code_that_was_met_is_kept_for_its_name() {
        let mut log = log();
        log.event(None, &raw(uapi::WORK_START, 0, 0x1234)).unwrap();
        log.event(None, &raw(uapi::CONTENTION_BEGIN, 0, 0x9999)).unwrap();
        log.event(None, &raw(uapi::TRIGGERED, 3, 0)).unwrap();
        assert_eq!(log.addresses.iter().copied().collect::<Vec<_>>(), [0x1234]);
    }

    #[test]
    fn every_kind_of_the_driver_is_known() {
        for kind in 0..uapi::EVENT_KINDS {
            let is_event = ![uapi::NAME, uapi::NAME_REST, uapi::CPU].contains(&kind);
            assert_eq!(what(&raw(kind, 0, 0)).is_some(), is_event, "kind {kind}");
        }
        assert_eq!(what(&raw(uapi::EVENT_KINDS, 0, 0)), None);
    }

    #[test]
    fn a_switch_tells_who_comes_and_whether_the_other_wanted_to_go() {
        let switch = what(&raw(uapi::SWITCH, 42, uapi::PREEMPTED | 20)).unwrap();
        assert_eq!(switch, What::Switch { next: 42, priority: Priority(20), preempted: true });
    }
}
