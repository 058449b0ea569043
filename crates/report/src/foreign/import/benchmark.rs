// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Which benchmark a foreign series is a measurement of.

use irqscope_wire::{
    Async, Benchmark, BenchmarkKind, Class, Gtod, Inversion, Isolate, PeriodicJitter, Policy,
    Realfeel, Sched, Scheduling, Sleep, Spin, UnknownName, Watch,
};

use super::sink::SeriesHead;

/// Makes a benchmark of what is known of it; a period that is not known is 0.
pub fn benchmark(head: &SeriesHead, count: u64) -> Result<Benchmark, String> {
    let (class, period_ns) = (head.class, head.period_ns.unwrap_or(0));
    let cpus = Vec::new();
    let variant = head.variant.as_deref().unwrap_or_default();
    let unknown = |error: UnknownName| error.to_string();
    let benchmark = match head.kind {
        BenchmarkKind::Gtod => {
            Benchmark::Gtod(Gtod { clock: variant.parse().map_err(unknown)?, count, class })
        }
        BenchmarkKind::Sched => {
            Benchmark::Sched(Sched { class, period_ns, count, threads: 1, cpus })
        }
        BenchmarkKind::Async => Benchmark::Async(Async {
            wake: variant.parse().map_err(unknown)?,
            class,
            period_ns,
            count,
            from_cpu: None,
        }),
        BenchmarkKind::Sleep => Benchmark::Sleep(Sleep { class, period_ns, count }),
        BenchmarkKind::Inversion => {
            let (protocol, middle) = variant.split_once('-').unwrap_or_default();
            Benchmark::Inversion(Inversion {
                protocol: protocol.parse().map_err(unknown)?,
                middle: middle.parse().map_err(unknown)?,
                count,
                ..Inversion::default()
            })
        }
        BenchmarkKind::Realfeel => Benchmark::Realfeel(Realfeel { class, hertz: 0, count }),
        BenchmarkKind::Jitter => {
            Benchmark::Jitter(PeriodicJitter { class, period_ns, work_ns: 0, count })
        }
        BenchmarkKind::Spin => {
            Benchmark::Spin(Spin { class, duration_ns: 0, threshold_ns: 0, cpus })
        }
        BenchmarkKind::Isolate => {
            Benchmark::Isolate(Isolate { class, duration_ns: 0, threshold_ns: 0, cpus })
        }
        BenchmarkKind::Watch => {
            Benchmark::Watch(Watch { target: variant.to_owned(), ..Watch::default() })
        }
    };
    match &head.variant {
        Some(variant) if *variant != benchmark.variant() => {
            Err(format!("`{variant}` is no variant of {}", head.kind))
        }
        _ => Ok(benchmark),
    }
}

/// Returns the class that a variant of irqscope's own names, where it names one.
pub fn class_of(variant: &str) -> Class {
    let policies = [("fifo ", Policy::Fifo), ("rr ", Policy::Rr)];
    let fixed = policies.iter().find_map(|(name, policy)| {
        let priority = variant.strip_prefix(name)?.parse().ok()?;
        Some(Class::Fixed(Scheduling { policy: *policy, priority }))
    });
    match variant {
        "other" => Class::Fixed(Scheduling { policy: Policy::Other, priority: 0 }),
        _ => fixed.unwrap_or(Class::Unknown),
    }
}
