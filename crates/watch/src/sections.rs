// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Every section with interrupts or preemption disabled, where the kernel has tracepoints of them
//! (`CONFIG_IRQSOFF_TRACER`, `CONFIG_PREEMPT_TRACER`), as bpf/sections.bpf.c adds them up.

use std::collections::BTreeMap;

use aya::maps::{MapData, MapError, PerCpuArray, PerCpuHashMap, PerCpuValues};
use aya::programs::RawTracePoint;
use aya::{Ebpf, EbpfLoader};

use crate::probes::{absent, refused};
use crate::{WatchError, rights};

static OBJECT: &[u8] = aya::include_bytes_aligned!(concat!(env!("OUT_DIR"), "/sections.bpf.o"));

/// The kind of event that a CPU puts off while a section lasts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Off {
    /// It takes no interrupt.
    Interrupts,
    /// It is not preempted.
    Preemption,
}

impl Off {
    /// All kinds, in the order of their numbers in the object.
    const ALL: [Self; 2] = [Self::Interrupts, Self::Preemption];

    /// Returns the tracepoints at which such a section begins and ends; each has a program of its name.
    fn tracepoints(self) -> &'static [&'static str] {
        match self {
            Self::Interrupts => &["irq_disable", "irq_enable"],
            // The idle task has preemption disabled for ever. The tracepoint that every kernel has is attached last.
            Self::Preemption => &["cpu_idle", "preempt_disable", "preempt_enable"],
        }
    }
}

/// A place at which sections begin, with where the CPU was at their end.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SectionPlace {
    /// The kind.
    pub off: Off,
    /// The instruction that began them; `None` where the kernel does not know it, as that of a lock's
    /// function without frame pointers.
    pub begin: Option<u64>,
    /// They began when their CPU had woken.
    pub woken: bool,
    /// Of long ones, the kernel's stack at the end, the innermost function first; of short ones the caller of
    /// the function that began them, where the kernel knows it.
    pub way: Vec<u64>,
}

/// Bins of a histogram: bin `b` counts those of 2^b ns and more, below 2^(b+1); the last all above.
pub const SECTION_BINS: usize = 32;

/// The sections of one place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SectionFigures {
    /// How many there were.
    pub count: u64,
    /// All of them together, ns.
    pub total: u64,
    /// The longest, ns.
    pub longest: u64,
    /// Their lengths.
    pub histogram: [u64; SECTION_BINS],
}

/// All that was seen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FoundSections {
    /// By place.
    pub places: BTreeMap<SectionPlace, SectionFigures>,
    /// Sections for whose place there was no room.
    pub others: u64,
    /// The longest of those, ns.
    pub longest_other: u64,
    /// Beginnings and ends that came while room for a place was made, and were not seen.
    pub missed: u64,
}

/// Words of a place and of its figures in the object's maps.
const PLACE: usize = 12;
const FIGURES: usize = 3 + SECTION_BINS;
const REST: usize = 3;
/// The beginning of what follows on a CPU's sleep.
const WOKEN: u64 = 1;

/// Probes of sections that are attached.
pub struct SectionProbes {
    /// Holds the programs.
    object: Ebpf,
    kinds: Vec<Off>,
}

impl SectionProbes {
    /// Attaches the probes of all kinds that the kernel has tracepoints of.
    ///
    /// # Errors
    /// It has none, this process may not load programs, or the kernel refuses one.
    pub fn attach() -> Result<Self, WatchError> {
        rights::check()?;
        let load = EbpfLoader::new().btf(None).load(OBJECT);
        let mut object = load.map_err(|error| refused("object", &error))?;
        let mut kinds = Vec::new();
        for kind in Off::ALL {
            match attach_all(&mut object, kind) {
                Ok(()) => kinds.push(kind),
                Err(Unattached::Absent) => {}
                Err(Unattached::Refused(error)) => return Err(error),
            }
        }
        match kinds.is_empty() {
            true => Err(WatchError::NoSections),
            false => Ok(Self { object, kinds }),
        }
    }

    /// Returns the kinds that are seen.
    pub fn kinds(&self) -> &[Off] {
        &self.kinds
    }

    /// Ends the watch, and returns what was seen on some CPUs, or on all of them where none is named.
    ///
    /// # Errors
    /// The kernel does not hand the figures out.
    pub fn finish(mut self, cpus: &[u32]) -> Result<FoundSections, WatchError> {
        let failed = |error: MapError| refused("sections", &error);
        let mut map = |name: &str| self.object.take_map(name).ok_or_else(|| absent(name));
        let (places, rest) = (map("sections")?, map("rest")?);
        drop(self.object); // nothing is added any more
        let places: PerCpuHashMap<MapData, [u64; PLACE], [u64; FIGURES]> =
            places.try_into().map_err(failed)?;
        let rest: PerCpuArray<MapData, [u64; REST]> = rest.try_into().map_err(failed)?;
        let mut found = FoundSections::default();
        for entry in places.iter() {
            let (place, figures) = entry.map_err(failed)?;
            let sum = of(&figures, cpus).fold(SectionFigures::default(), SectionFigures::with);
            if sum.count > 0 {
                found.places.insert(SectionPlace::read(&place), sum);
            }
        }
        for [others, longest, missed] in of(&rest.get(&0, 0).map_err(failed)?, cpus) {
            found.others += others;
            found.longest_other = found.longest_other.max(*longest);
            found.missed += missed;
        }
        Ok(found)
    }
}

/// Returns the values of some CPUs, or of all.
fn of<'a, T: aya::Pod>(
    values: &'a PerCpuValues<T>,
    cpus: &'a [u32],
) -> impl Iterator<Item = &'a T> {
    let wanted = |(cpu, _): &(u32, &T)| cpus.is_empty() || cpus.contains(cpu);
    (0..).zip(values.iter()).filter(wanted).map(|(_, value)| value)
}

enum Unattached {
    /// The kernel has no such tracepoint.
    Absent,
    Refused(WatchError),
}

fn attach_all(object: &mut Ebpf, kind: Off) -> Result<(), Unattached> {
    // The end first: a section of which the beginning is seen is seen whole.
    kind.tracepoints().iter().rev().try_for_each(|name| attach(object, name))
}

fn attach(object: &mut Ebpf, name: &str) -> Result<(), Unattached> {
    let program = object.program_mut(name).ok_or_else(|| Unattached::Refused(absent(name)))?;
    let program: &mut RawTracePoint =
        program.try_into().map_err(|error| Unattached::Refused(refused(name, &error)))?;
    program.load().map_err(|error| Unattached::Refused(refused(name, &error)))?;
    match program.attach(name) {
        Ok(_) => Ok(()),
        Err(error) if is_absent(&error) => Err(Unattached::Absent),
        Err(error) => Err(Unattached::Refused(refused(name, &error))),
    }
}

/// Returns whether the kernel says that it has no such tracepoint (`bpf_get_raw_tracepoint`).
fn is_absent(error: &aya::programs::ProgramError) -> bool {
    let aya::programs::ProgramError::SyscallError(error) = error else { return false };
    error.io_error.kind() == std::io::ErrorKind::NotFound
}

impl SectionPlace {
    fn read(words: &[u64; PLACE]) -> Self {
        let [kind, begin, way @ ..] = words;
        let off = if *kind == 0 { Off::Interrupts } else { Off::Preemption };
        let way = way.iter().copied().take_while(|at| *at != 0).collect();
        Self { off, begin: Some(*begin).filter(|at| *at > WOKEN), woken: *begin == WOKEN, way }
    }
}

impl SectionFigures {
    /// Returns the sum with those of one CPU.
    fn with(mut self, [count, total, longest, histogram @ ..]: &[u64; FIGURES]) -> Self {
        self.count += count;
        self.total += total;
        self.longest = self.longest.max(*longest);
        self.histogram.iter_mut().zip(histogram).for_each(|(sum, more)| *sum += more);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_figures_of_all_cpus_are_one() {
        let mut one = [0; FIGURES];
        one[..3].copy_from_slice(&[2, 900, 700]);
        (one[3 + 7], one[3 + 9]) = (1, 1);
        let mut other = [0; FIGURES];
        other[..3].copy_from_slice(&[1, 800, 800]);
        other[3 + 9] = 1;
        let sum = SectionFigures::default().with(&one).with(&other);
        assert_eq!((sum.count, sum.total, sum.longest), (3, 1_700, 800));
        assert_eq!((sum.histogram[7], sum.histogram[9]), (1, 2));
    }

    #[test]
    fn a_way_ends_where_the_kernel_knew_no_more() {
        let place = SectionPlace::read(&[1, 0x10, 0x20, 0x30, 0, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!((place.off, place.begin), (Off::Preemption, Some(0x10)));
        assert_eq!(place.way, [0x20, 0x30]);
        let woken = SectionPlace::read(&[1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!((woken.begin, woken.woken), (None, true));
    }
}
