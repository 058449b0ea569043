// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Critical sections: how long each is held, and with which period of a real-time
//! process it collides.

mod executed;
mod sections;

use std::collections::BTreeMap;

use irqscope_run::CaseData;
use irqscope_wire::{DelayedLocking, DelayedTask, HOLD_BINS, Load, LockPolicy, LockSite, WorkUnit};
use serde::Serialize;

/// Where the figures of a case come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LockSource {
    /// The kernel's own monitor: every section, from lock to unlock.
    Monitor,
    /// Events: sections that delayed a sample, from its trigger on.
    Interference,
    /// Executed instructions: every section with interrupts or preemption disabled.
    Instructions,
    /// The kernel's tracepoints of such sections.
    Tracepoints,
    /// No sections were recorded: there is the work of the loads alone.
    Loads,
}

/// The critical sections of one case.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Locks {
    /// The case.
    pub case: String,
    /// The source of the figures.
    pub source: LockSource,
    /// The settings.
    pub settings: Option<Settings>,
    /// The longest first.
    pub sites: Vec<HoldTimes>,
    /// The manager's, by name.
    pub decisions: Vec<(String, u64)>,
    /// The tasks that waited.
    pub tasks: Vec<DelayedTask>,
    /// A real-time process of a shorter period can keep others from a lock.
    pub safe_period_ns: Option<u64>,
    /// The work of the loads.
    pub work: Vec<Work>,
    /// Sections in no site, because there were too many places.
    pub others: u64,
    /// The longest of those.
    pub longest_other_ns: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Settings {
    pub mode: &'static str,
    pub policy: &'static str,
    pub max_refusals: u32,
    pub short_period: &'static str,
}

/// One section: a place in the code, or on kernels without a monitor a function.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HoldTimes {
    /// The function.
    pub function: String,
    /// `net/ipv4/tcp.c:1300`, with its module.
    pub place: String,
    /// The function that takes the lock.
    pub kind: String,
    /// How often it was held.
    pub count: u64,
    /// All holds together.
    pub total_ns: u64,
    /// The longest hold.
    pub max_ns: u64,
    /// The exponential average; of the monitor only, and only with the policy that needs it.
    pub average_ns: Option<u64>,
    /// Its histogram.
    pub histogram: Vec<u64>,
    /// The manager's decisions, where there is one.
    pub manager: Option<Manager>,
    /// Its effect on a real-time process.
    pub collision: Option<Collision>,
}

/// The decisions at a site.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Manager {
    /// Entries that were refused.
    pub refused: u64,
    /// Entries that were forced.
    pub forced: u64,
    /// Entries that cannot wait.
    pub cannot_wait: u64,
    /// All delays together.
    pub delay_ns: u64,
    /// The longest delay.
    pub delay_max_ns: u64,
}

/// A section beside a real-time process of some period.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Collision {
    /// The expected hold time.
    pub expected_ns: u64,
    /// Of its entries, at whatever instant of a period they come, how many find too
    /// little time left.
    pub refused_per_cent: f64,
    /// It does not fit into any period: only the limit of refusals lets it in.
    pub starves: bool,
}

/// The work of a load while a benchmark ran.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Work {
    pub benchmark: u16,
    pub load: Load,
    pub units: u64,
    pub ns: u64,
    /// The cost of one: of a KiB sent, of a file.
    pub per: &'static str,
    pub ns_per: Option<f64>,
}

impl Locks {
    /// Returns where a case's figures come from; `None` where there are none.
    pub fn source_of(data: &CaseData) -> Option<LockSource> {
        if !data.sections.is_empty() {
            Some(LockSource::Instructions)
        } else if !data.traced_sections.is_empty() {
            Some(LockSource::Tracepoints)
        } else if data.lock_totals.is_some() {
            Some(LockSource::Monitor)
        } else if data.explained.is_some() {
            Some(LockSource::Interference)
        } else {
            (!data.work.is_empty()).then_some(LockSource::Loads)
        }
    }

    /// Makes the figures; `None` where there are none. `period`: of the real-time process that they
    /// are held against.
    pub fn of_case(data: &CaseData, period: Option<u64>) -> Option<Self> {
        let source = Self::source_of(data)?;
        let asked = data.plan.as_ref().and_then(|plan| plan.delayed_locking);
        let policy = asked.map_or(LockPolicy::Maximum, |asked| asked.policy);
        let mut sites = match source {
            LockSource::Instructions => executed::of_instructions(data),
            LockSource::Tracepoints => executed::of_tracepoints(data),
            LockSource::Monitor => of_monitor(&data.lock_sites),
            LockSource::Interference => sections::of_events(data),
            LockSource::Loads => Vec::new(),
        };
        for site in &mut sites {
            site.average_ns = site.average_ns.filter(|_| policy == LockPolicy::Average);
            site.collision = period.map(|period| site.beside(period, policy));
        }
        let (others, longest_other_ns) = executed::others(data);
        sites.sort_by(|a, b| b.max_ns.cmp(&a.max_ns).then_with(|| a.place.cmp(&b.place)));
        let totals = data.lock_totals.as_ref();
        let decisions = totals.map(|totals| &totals.decisions).into_iter().flatten();
        let tasks = totals.map(|totals| &totals.tasks).into_iter().flatten();
        Some(Self {
            case: data.case.clone(),
            source,
            settings: asked.map(Settings::of),
            sites,
            decisions: decisions.map(|one| (one.name.clone(), one.value)).collect(),
            tasks: tasks.cloned().collect(),
            safe_period_ns: totals.map(|totals| totals.safe_period_ns),
            work: data.work.iter().map(Work::of).collect(),
            others,
            longest_other_ns,
        })
    }
}

impl Settings {
    fn of(asked: DelayedLocking) -> Self {
        let DelayedLocking { mode, policy, max_refusals, short_period } = asked;
        let (mode, policy, short_period) = (mode.name(), policy.name(), short_period.name());
        Self { mode, policy, max_refusals, short_period }
    }
}

impl Work {
    fn of(work: &irqscope_wire::LoadWork) -> Self {
        let irqscope_wire::LoadWork { benchmark, load, units, ns } = *work;
        let (per, size) = match load.work_unit() {
            Some(WorkUnit::Byte) => ("KiB", 1024.0),
            Some(WorkUnit::File) | None => ("file", 1.0),
        };
        let ns_per = (units > 0).then(|| ns as f64 * size / units as f64);
        Self { benchmark, load, units, ns, per, ns_per }
    }
}

/// Makes one site for each place: an inline function of a header has a row for every file that uses
/// it.
fn of_monitor(rows: &[LockSite]) -> Vec<HoldTimes> {
    let mut merged: BTreeMap<(&str, &str, u32, &str), HoldTimes> = BTreeMap::new();
    for row in rows {
        let key = (row.module.as_str(), row.file.as_str(), row.line, row.function.as_str());
        merged.entry(key).and_modify(|site| site.add(row)).or_insert_with(|| HoldTimes::of(row));
    }
    merged.into_values().collect()
}

impl HoldTimes {
    fn empty(kind: &str, function: String) -> Self {
        Self {
            function,
            place: String::new(),
            kind: kind.to_owned(),
            count: 0,
            total_ns: 0,
            max_ns: 0,
            average_ns: None,
            histogram: vec![0; HOLD_BINS],
            manager: None,
            collision: None,
        }
    }

    fn of(row: &LockSite) -> Self {
        let module =
            if row.module == "vmlinux" { String::new() } else { format!(" [{}]", row.module) };
        Self {
            function: row.function.clone(),
            place: format!("{}:{}{module}", row.file, row.line),
            kind: row.kind.clone(),
            count: row.count,
            total_ns: row.total_ns,
            max_ns: row.max_ns,
            average_ns: Some(row.average_ns),
            histogram: row.histogram.clone(),
            manager: Some(Manager::of(row)),
            collision: None,
        }
    }

    fn add(&mut self, row: &LockSite) {
        self.count = self.count.saturating_add(row.count);
        self.total_ns = self.total_ns.saturating_add(row.total_ns);
        self.max_ns = self.max_ns.max(row.max_ns);
        self.average_ns = self.average_ns.max(Some(row.average_ns));
        for (bin, more) in self.histogram.iter_mut().zip(&row.histogram) {
            *bin = bin.saturating_add(*more);
        }
        let manager = self.manager.get_or_insert_default();
        manager.add(Manager::of(row));
    }

    /// Returns the mean hold time.
    pub fn mean_ns(&self) -> Option<f64> {
        (self.count > 0).then(|| self.total_ns as f64 / self.count as f64)
    }

    /// Returns the time that no more than this part of the holds exceeded; as exact as bins are,
    /// and no longer than the longest.
    pub fn below_ns(&self, per_mille: u64) -> Option<u64> {
        let all: u64 = self.histogram.iter().sum();
        let mut seen = 0u64;
        let wanted = (u128::from(all) * u128::from(per_mille)).div_ceil(1000) as u64;
        let bin = self.histogram.iter().position(|count| {
            seen = seen.saturating_add(*count);
            seen >= wanted
        })?;
        let end = if bin + 1 >= HOLD_BINS { u64::MAX } else { 2u64 << bin };
        (all > 0).then_some(end.min(self.max_ns))
    }

    /// Returns a site as the manager would see it, with a process that wakes once a period.
    fn beside(&self, period: u64, policy: LockPolicy) -> Collision {
        let expected_ns = match (policy, self.average_ns) {
            (LockPolicy::Average, Some(average)) => average,
            _ => self.max_ns,
        };
        let share = 100.0 * expected_ns as f64 / period.max(1) as f64;
        Collision { expected_ns, refused_per_cent: share.min(100.0), starves: expected_ns > period }
    }
}

impl Manager {
    fn of(row: &LockSite) -> Self {
        let LockSite { refused, forced, cannot_wait, delay_ns, delay_max_ns, .. } = *row;
        Self { refused, forced, cannot_wait, delay_ns, delay_max_ns }
    }

    fn add(&mut self, other: Self) {
        self.refused = self.refused.saturating_add(other.refused);
        self.forced = self.forced.saturating_add(other.forced);
        self.cannot_wait = self.cannot_wait.saturating_add(other.cannot_wait);
        self.delay_ns = self.delay_ns.saturating_add(other.delay_ns);
        self.delay_max_ns = self.delay_max_ns.max(other.delay_max_ns);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(line: u32, max_ns: u64, bins: &[(usize, u64)]) -> LockSite {
        let mut histogram = vec![0; HOLD_BINS];
        bins.iter().for_each(|(bin, count)| histogram[*bin] = *count);
        LockSite {
            module: "vmlinux".into(),
            file: "net/core/sock.c".into(),
            line,
            function: "lock_sock".into(),
            count: histogram.iter().sum(),
            total_ns: max_ns,
            max_ns,
            average_ns: max_ns / 2,
            refused: 3,
            delay_max_ns: max_ns,
            histogram,
            ..LockSite::default()
        }
    }

    #[test]
    fn rows_of_one_place_are_one_site() {
        let sites = of_monitor(&[row(7, 90, &[(6, 2)]), row(7, 1000, &[(9, 1)]), row(8, 5, &[])]);
        let [site, other] = &sites[..] else { panic!("{sites:?}") };
        assert_eq!((site.count, site.max_ns, site.total_ns), (3, 1000, 1090));
        let manager = site.manager.unwrap();
        assert_eq!((manager.refused, manager.delay_max_ns), (6, 1000));
        assert_eq!(other.place, "net/core/sock.c:8");
        assert_eq!((other.mean_ns(), other.below_ns(990)), (None, None));
    }

    #[test]
    fn a_share_of_the_holds_lies_below_the_end_of_its_bin() {
        let site = HoldTimes::of(&row(7, 1_500, &[(6, 98), (10, 2)]));
        assert_eq!(site.below_ns(500), Some(128));
        assert_eq!(site.below_ns(980), Some(128));
        assert_eq!(site.below_ns(990), Some(1_500), "not beyond the longest");
    }

    #[test]
    fn a_section_that_no_period_has_room_for_starves() {
        let site = HoldTimes::of(&row(7, 1_000, &[(9, 1)]));
        let beside = site.beside(4_000, LockPolicy::Maximum);
        assert_eq!((beside.refused_per_cent, beside.starves), (25.0, false));
        assert!(site.beside(999, LockPolicy::Maximum).starves);
        let average = site.beside(999, LockPolicy::Average);
        assert_eq!((average.expected_ns, average.starves), (500, false));
    }

    #[test]
    fn the_work_of_a_load_is_said_in_the_unit_that_it_counts() {
        let of = |load| {
            let work = irqscope_wire::LoadWork { benchmark: 0, load, units: 2048, ns: 4096 };
            let work = Work::of(&work);
            (work.per, work.ns_per)
        };
        assert_eq!(of(Load::Tcp), ("KiB", Some(2048.0)));
        assert_eq!(of(Load::Network), ("KiB", Some(2048.0)));
        assert_eq!(of(Load::Files), ("file", Some(2.0)));
    }
}
