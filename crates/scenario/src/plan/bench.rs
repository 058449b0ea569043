// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Benchmarks as they are asked for: a list of variants is one benchmark for each.

use irqscope_quantity::Span;
use irqscope_wire::{
    Async, Benchmark, Class, Clock, Gtod, Inversion, Isolate, LockProtocol, Middle, PeriodicJitter,
    Plan, Realfeel, Sched, Sleep, Spin, Wake, Watch, Work,
};

use crate::raw::{
    AsyncText, BenchText, GtodText, InversionText, IsolateText, JitterText, Named, PolicyText,
    Priority, RealfeelText, SchedText, SleepText, SpinText, WatchText,
};

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
        all.extend(self.watch.iter().map(WatchText::benchmark));
        all.extend(self.isolate.iter().map(IsolateText::benchmark));
        all
    }

    /// Returns the plan of a case without a name and a state.
    pub fn plan(&self, default: Plan) -> Plan {
        Plan {
            cpu: self.cpu,
            settle_ms: super::milliseconds(self.settle),
            work: Work::Benchmarks(self.benchmarks()),
            ..default
        }
    }
}

/// Returns what was asked for, or all there are.
fn chosen<T: Copy>(asked: &Option<Vec<Named<T>>>, all: &[T]) -> Vec<T> {
    asked.as_ref().map_or_else(|| all.to_vec(), |asked| asked.iter().map(|one| one.0).collect())
}

fn class(priority: Option<Priority>) -> Class {
    priority.map_or(Class::HIGH, |priority| Class::Fixed(priority.0))
}

fn ns(asked: Option<Span>, default: u64) -> u64 {
    asked.map_or(default, |span| span.0)
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

impl IsolateText {
    fn benchmark(&self) -> Benchmark {
        let default = Isolate::default();
        Benchmark::Isolate(Isolate {
            class: self.priority.map_or(default.class, |priority| Class::Fixed(priority.0)),
            duration_ns: ns(self.duration, default.duration_ns),
            threshold_ns: ns(self.threshold, default.threshold_ns),
            cpus: self.cpus.clone().unwrap_or_default(),
        })
    }
}

impl WatchText {
    fn benchmark(&self) -> Benchmark {
        let default = Watch::default();
        Benchmark::Watch(Watch {
            target: self.target.clone().unwrap_or(default.target),
            duration_ns: ns(self.duration, default.duration_ns),
            count: self.count,
            above_ns: self.above.map(|span| span.0),
            until: self.until.clone(),
        })
    }
}
