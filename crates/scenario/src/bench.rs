// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `[bench.NAME]`: what a scenario says of benchmarks. A list of variants
//! becomes one benchmark for each; what is left out has the defaults here.

use irqscope_wire::{
    Async, Benchmark, Class, Clock, Gtod, Inversion, LockProtocol, Middle, PeriodicJitter, Plan,
    Realfeel, Sched, Scheduling, Sleep, Spin, Wake, Work,
};
use serde::de::{Deserialize, Deserializer, Error};

use crate::text::{PriorityText, Text};
use crate::value::{Duration, Frequency, Named, Priority};

const MILLISECOND: u64 = 1_000_000;

/// Runs in this order, whatever the order of the file.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BenchText {
    /// The CPU under test.
    #[serde(default)]
    pub cpu: u32,
    /// How long the loads run before the first benchmark.
    #[serde(default = "settle")]
    pub settle: Duration,
    gtod: Option<GtodText>,
    sched: Option<SchedText>,
    #[serde(rename = "async")]
    wake: Option<AsyncText>,
    sleep: Option<SleepText>,
    inversion: Option<InversionText>,
    realfeel: Option<RealfeelText>,
    jitter: Option<JitterText>,
    spin: Option<SpinText>,
}

fn settle() -> Duration {
    Duration(100 * MILLISECOND)
}

/// A policy with its priority, or `deadline`.
#[derive(Clone, Copy, Debug)]
enum PolicyText {
    Fixed(Scheduling),
    Deadline,
}

impl<'de> Deserialize<'de> for PolicyText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        match text.as_str() {
            "deadline" => Ok(PolicyText::Deadline),
            _ => Priority::parse(&text)
                .map(|priority| PolicyText::Fixed(priority.0))
                .map_err(|why| D::Error::custom(format!("{why}; or \"deadline\""))),
        }
    }
}

/// Keys that are left out keep what the benchmark has by itself.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct GtodText {
    clocks: Option<Vec<Named<Clock>>>,
    count: Option<u64>,
    priority: Option<Priority>,
}

#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct SchedText {
    policies: Option<Vec<PolicyText>>,
    period: Option<Duration>,
    count: Option<u64>,
    threads: Option<u16>,
    cpus: Option<Vec<u32>>,
    /// Budget of SCHED_DEADLINE; a tenth of the period if left out.
    runtime: Option<Duration>,
}

#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct AsyncText {
    wakes: Option<Vec<Named<Wake>>>,
    period: Option<Duration>,
    count: Option<u64>,
    priority: Option<Priority>,
    from_cpu: Option<u32>,
}

#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct SleepText {
    period: Option<Duration>,
    count: Option<u64>,
    priority: Option<Priority>,
}

#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct InversionText {
    protocols: Option<Vec<Named<LockProtocol>>>,
    middles: Option<Vec<Named<Middle>>>,
    /// SCHED_FIFO priority of the lowest thread.
    priority: Option<u8>,
    hold: Option<Duration>,
    middle: Option<Duration>,
    limit: Option<Duration>,
    count: Option<u64>,
}

#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct RealfeelText {
    frequency: Option<Frequency>,
    count: Option<u64>,
    priority: Option<Priority>,
}

#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct JitterText {
    period: Option<Duration>,
    work: Option<Duration>,
    count: Option<u64>,
    priority: Option<Priority>,
}

#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct SpinText {
    duration: Option<Duration>,
    threshold: Option<Duration>,
    cpus: Option<Vec<u32>>,
    priority: Option<Priority>,
}

impl BenchText {
    /// Returns everything that is asked for, in the order in which it is run.
    pub fn benchmarks(&self) -> Vec<Benchmark> {
        let mut all = Vec::new();
        all.extend(self.gtod.iter().flat_map(GtodText::benchmarks));
        all.extend(self.sched.iter().flat_map(SchedText::benchmarks));
        all.extend(self.wake.iter().flat_map(AsyncText::benchmarks));
        all.extend(self.sleep.iter().map(SleepText::benchmark));
        all.extend(self.inversion.iter().flat_map(InversionText::benchmarks));
        all.extend(self.realfeel.iter().map(RealfeelText::benchmark));
        all.extend(self.jitter.iter().map(JitterText::benchmark));
        all.extend(self.spin.iter().map(SpinText::benchmark));
        all
    }

    /// Returns the plan of a case without a name and a state.
    pub fn plan(&self, default: Plan) -> Plan {
        Plan {
            cpu: self.cpu,
            settle_ms: u32::try_from(self.settle.0 / MILLISECOND).unwrap_or(u32::MAX),
            work: Work::Benchmarks(self.benchmarks()),
            ..default
        }
    }

    /// Says what cannot be run.
    fn check(&self) -> Result<(), String> {
        let benchmarks = self.benchmarks();
        if benchmarks.is_empty() {
            return Err("[bench] asks for none: add [bench.sched], for example".into());
        }
        for (place, one) in benchmarks.iter().enumerate() {
            one.check().map_err(|why| format!("bench.{}: {why}", one.kind()))?;
            let same =
                |other: &Benchmark| other.kind() == one.kind() && other.variant() == one.variant();
            if benchmarks[..place].iter().any(same) {
                return Err(format!("bench.{}: {} is there twice", one.kind(), one.variant()));
            }
        }
        Ok(())
    }
}

/// Says what cannot be run, or does not go together.
pub(crate) fn check(bench: &BenchText, text: &Text) -> Result<(), String> {
    let stages = text.trigger.given
        || text.stages.is_some()
        || text.views.is_some()
        || text.observer_effect
        || text.priority != PriorityText::default()
        || text.explain
        || text.explain_effect
        || text.faults.is_some()
        || text.test.is_some();
    if stages {
        return Err("a scenario has [bench.NAME] or asks stages (trigger, stages, views, \
                    observer-effect, explain, faults, priority, test), not both"
            .into());
    }
    if !text.rig.reaches_target() {
        return Err("rig board reaches no target, and benchmarks run on one: rig = \"ssh\" or \
                    \"local\""
            .into());
    }
    bench.check()
}

/// Returns what was asked for, or all there are.
fn chosen<T: Copy>(asked: &Option<Vec<Named<T>>>, all: &[T]) -> Vec<T> {
    asked.as_ref().map_or_else(|| all.to_vec(), |asked| asked.iter().map(|one| one.0).collect())
}

fn class(priority: Option<Priority>) -> Class {
    priority.map_or(Class::HIGH, |priority| Class::Fixed(priority.0))
}

fn ns(asked: Option<Duration>, default: u64) -> u64 {
    asked.map_or(default, |duration| duration.0)
}

impl GtodText {
    fn benchmarks(&self) -> Vec<Benchmark> {
        let default = Gtod::default();
        let (count, class) = (self.count.unwrap_or(default.count), class(self.priority));
        let one = |clock| Benchmark::Gtod(Gtod { clock, count, class });
        chosen(&self.clocks, Clock::ALL).into_iter().map(one).collect()
    }
}

impl SchedText {
    fn benchmarks(&self) -> Vec<Benchmark> {
        let default = Sched::default();
        let period_ns = ns(self.period, default.period_ns);
        let one = |class| {
            Benchmark::Sched(Sched {
                class,
                period_ns,
                count: self.count.unwrap_or(default.count),
                threads: self.threads.unwrap_or(default.threads),
                cpus: self.cpus.clone().unwrap_or_default(),
            })
        };
        let class = |policy: &PolicyText| match policy {
            PolicyText::Fixed(scheduling) => Class::Fixed(*scheduling),
            PolicyText::Deadline => {
                Class::Deadline { runtime_ns: ns(self.runtime, period_ns / 10) }
            }
        };
        match &self.policies {
            Some(policies) => policies.iter().map(class).map(one).collect(),
            None => vec![one(default.class)],
        }
    }
}

impl AsyncText {
    fn benchmarks(&self) -> Vec<Benchmark> {
        let default = Async::default();
        let one = |wake| {
            Benchmark::Async(Async {
                wake,
                class: class(self.priority),
                period_ns: ns(self.period, default.period_ns),
                count: self.count.unwrap_or(default.count),
                from_cpu: self.from_cpu,
            })
        };
        chosen(&self.wakes, Wake::ALL).into_iter().map(one).collect()
    }
}

impl SleepText {
    fn benchmark(&self) -> Benchmark {
        let default = Sleep::default();
        Benchmark::Sleep(Sleep {
            class: class(self.priority),
            period_ns: ns(self.period, default.period_ns),
            count: self.count.unwrap_or(default.count),
        })
    }
}

impl InversionText {
    fn benchmarks(&self) -> Vec<Benchmark> {
        let default = Inversion::default();
        let one = |middle, protocol| {
            Benchmark::Inversion(Inversion {
                protocol,
                middle,
                priority: self.priority.unwrap_or(default.priority),
                hold_ns: ns(self.hold, default.hold_ns),
                middle_ns: ns(self.middle, default.middle_ns),
                limit_ns: ns(self.limit, default.limit_ns),
                count: self.count.unwrap_or(default.count),
            })
        };
        let protocols = chosen(&self.protocols, LockProtocol::ALL);
        let all = |middle| protocols.iter().map(move |protocol| (middle, *protocol));
        let pairs = chosen(&self.middles, Middle::ALL).into_iter().flat_map(all);
        pairs.map(|(middle, protocol)| one(middle, protocol)).collect()
    }
}

impl RealfeelText {
    fn benchmark(&self) -> Benchmark {
        let default = Realfeel::default();
        Benchmark::Realfeel(Realfeel {
            class: class(self.priority),
            hertz: self.frequency.map_or(default.hertz, |asked| asked.hertz().round() as u32),
            count: self.count.unwrap_or(default.count),
        })
    }
}

impl JitterText {
    fn benchmark(&self) -> Benchmark {
        let default = PeriodicJitter::default();
        Benchmark::Jitter(PeriodicJitter {
            class: class(self.priority),
            period_ns: ns(self.period, default.period_ns),
            work_ns: ns(self.work, default.work_ns),
            count: self.count.unwrap_or(default.count),
        })
    }
}

impl SpinText {
    fn benchmark(&self) -> Benchmark {
        let default = Spin::default();
        Benchmark::Spin(Spin {
            class: class(self.priority),
            duration_ns: ns(self.duration, default.duration_ns),
            threshold_ns: ns(self.threshold, default.threshold_ns),
            cpus: self.cpus.clone().unwrap_or_default(),
        })
    }
}
