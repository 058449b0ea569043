// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The probes in the kernel. They are gone when this is dropped: the kernel unloads what no process
//! holds.

use std::error::Error;
use std::time::Duration;

use aya::maps::{Array, MapData, RingBuf};
use aya::programs::uprobe::{UProbeAttachLocation, UProbeScope};
use aya::programs::{BtfTracePoint, UProbe};
use aya::{Btf, Ebpf, EbpfLoader};
use nix::time::{ClockId, clock_gettime};

use crate::reach::{self, Place, Reach};
use crate::{Event, Subject, WatchError, rights};

static OBJECT: &[u8] = aya::include_bytes_aligned!(concat!(env!("OUT_DIR"), "/watch.bpf.o"));

/// Tracepoints of the kernel; each has a program of its name.
const TRACEPOINTS: [&str; 10] = [
    "irq_handler_entry",
    "irq_handler_exit",
    "softirq_raise",
    "softirq_entry",
    "softirq_exit",
    "napi_poll",
    "sched_waking",
    "hrtimer_expire_entry",
    "hrtimer_expire_exit",
    "sched_switch",
];

/// Those that a watch of CPUs needs besides.
const OF_CPUS: [&str; 4] =
    ["timer_expire_entry", "timer_expire_exit", "workqueue_execute_start", "workqueue_execute_end"];

/// Those that only some kernels and architectures have: without them less is known.
const WHERE_THERE: [&str; 11] = [
    "ipi_send_cpu",
    "local_timer_entry",
    "local_timer_exit",
    "reschedule_entry",
    "reschedule_exit",
    "call_function_entry",
    "call_function_exit",
    "call_function_single_entry",
    "call_function_single_exit",
    "irq_work_entry",
    "irq_work_exit",
];

/// How late a timer's callback begins at least, in ns, where the kernel's stack is kept: well above
/// the way to it, which takes some microseconds.
const LATE_NS: u64 = 20_000;

/// Probes that are attached.
pub struct Probes {
    /// Holds the programs.
    _object: Ebpf,
    ring: RingBuf<MapData>,
    /// Events before are passed over: chains that had begun while probes were attached have holes.
    since: u64,
    lost: Array<MapData, u64>,
}

impl Probes {
    /// Loads and attaches the probes that a subject needs.
    ///
    /// # Errors
    /// The kernel has no BTF, this process may not load programs, or the kernel refuses one.
    pub fn attach(subject: &Subject, reach: Option<&Reach>) -> Result<Probes, WatchError> {
        rights::check()?;
        let btf = btf()?;
        let (only_pid, only_real_time) = match subject {
            Subject::Thread(pid) => (*pid, 0u32),
            Subject::RealTime => (0, 1),
            Subject::Interrupts { .. } | Subject::Timers { .. } | Subject::Cpus(_) => (0, 0),
        };
        let only_cpus = match subject {
            Subject::Cpus(cpus) => mask(cpus),
            _ => 0,
        };
        let late_ns = match subject {
            Subject::Timers { .. } | Subject::Thread(_) | Subject::RealTime => LATE_NS,
            Subject::Interrupts { .. } | Subject::Cpus(_) => 0,
        };
        let mut object = EbpfLoader::new()
            .btf(Some(&btf))
            .override_global("only_pid", &only_pid, true)
            .override_global("only_real_time", &only_real_time, true)
            .override_global("only_cpus", &only_cpus, true)
            .override_global("late_ns", &late_ns, true)
            .load(OBJECT)
            .map_err(|error| refused("object", &error))?;
        let ring = object.take_map("events").and_then(|map| RingBuf::try_from(map).ok());
        let lost = object.take_map("lost").and_then(|map| Array::try_from(map).ok());
        let (Some(ring), Some(lost)) = (ring, lost) else {
            return Err(absent("events"));
        };
        // The last stage first: of a chain that is seen at its beginning it is seen as well.
        if let Some(reach) = reach {
            attach_to(&mut object, reach)?;
        }
        for name in TRACEPOINTS {
            attach(&mut object, name, &btf)?;
        }
        if let Subject::Cpus(_) = subject {
            for name in OF_CPUS {
                attach(&mut object, name, &btf)?;
            }
            for name in WHERE_THERE {
                let _ = attach(&mut object, name, &btf);
            }
        }
        Ok(Probes { _object: object, ring, since: u64::MAX, lost })
    }

    /// Hands out what happens from now on. Everything that was allocated to attach the probes has
    /// to be free by then: freeing the kernel's BTF alone keeps a stock kernel busy for milliseconds in
    /// which no other thread of that CPU runs.
    pub fn begin(&mut self) {
        self.since = now();
    }

    /// Hands out what is in the ring now.
    pub fn read(&mut self, mut take: impl FnMut(Event)) {
        while let Some(record) = self.ring.next() {
            if let Some(event) = Event::read(&record).filter(|event| event.at >= self.since) {
                take(event);
            }
        }
    }

    /// Returns how many events found no room in the ring until now.
    pub fn lost(&self) -> u64 {
        self.lost.get(&0, 0).unwrap_or(0)
    }
}

/// Returns a bit for each CPU; 0, which is all of them, where one has no bit.
fn mask(cpus: &[u16]) -> u64 {
    let bit = |cpu: &u16| 1u64.checked_shl((*cpu).into());
    cpus.iter().map(bit).try_fold(0, |mask, bit| Some(mask | bit?)).unwrap_or(0)
}

/// Returns the time by the clock of the events.
fn now() -> u64 {
    let now = clock_gettime(ClockId::CLOCK_MONOTONIC).map(Duration::from).unwrap_or_default();
    u64::try_from(now.as_nanos()).unwrap_or(0)
}

fn btf() -> Result<Btf, WatchError> {
    std::fs::metadata("/sys/kernel/btf/vmlinux").map_err(WatchError::NoBtf)?;
    Btf::from_sys_fs().map_err(|error| refused("BTF", &error))
}

fn attach(object: &mut Ebpf, name: &str, btf: &Btf) -> Result<(), WatchError> {
    let program = object.program_mut(name).ok_or_else(|| absent(name))?;
    let program: &mut BtfTracePoint = program.try_into().map_err(|error| refused(name, &error))?;
    program.load(name, btf).map_err(|error| refused(name, &error))?;
    program.attach().map(drop).map_err(|error| refused(name, &error))
}

fn attach_to(object: &mut Ebpf, reach: &Reach) -> Result<(), WatchError> {
    const NAME: &str = "user_reached";
    let program = object.program_mut(NAME).ok_or_else(|| absent(NAME))?;
    let program: &mut UProbe = program.try_into().map_err(|error| refused(NAME, &error))?;
    program.load().map_err(|error| refused(NAME, &error))?;
    let unreached = |why| WatchError::Reach {
        program: reach.program.display().to_string(),
        place: reach.name(),
        why,
    };
    let places: Vec<UProbeAttachLocation<'_>> = match &reach.place {
        Place::Function(name) => vec![name.as_str().into()],
        Place::Probe { provider, name } => {
            let offsets = reach::offsets(&reach.program, provider, name).map_err(unreached)?;
            offsets.into_iter().map(UProbeAttachLocation::from).collect()
        }
    };
    for place in places {
        let attached = program.attach(place, &reach.program, UProbeScope::AllProcesses);
        attached.map_err(|error| unreached(chain(&error)))?;
    }
    Ok(())
}

/// Makes an error of a map or program that the object ought to have.
pub fn absent(name: &str) -> WatchError {
    WatchError::Probe { probe: name.into(), why: "the object has none of this name".into() }
}

pub fn refused(probe: &str, error: &dyn Error) -> WatchError {
    WatchError::Probe { probe: probe.into(), why: chain(error) }
}

/// Joins an error's own words with those of what caused it.
fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let more = cause.to_string();
        if !text.contains(&more) {
            text = format!("{text}: {more}");
        }
        source = cause.source();
    }
    // A verifier's log has thousands of lines; its last ones say what is wrong.
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    lines[lines.len().saturating_sub(4)..].join("; ")
}
