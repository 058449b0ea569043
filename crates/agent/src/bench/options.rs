// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Benchmarks as they are asked for on the agent's own command line.

use std::ffi::OsString;
use std::path::PathBuf;

use irqscope_quantity::{CpuList, Frequency, NoCpuList, QuantityError, Span};
use irqscope_wire::{
    Async, Benchmark, BenchmarkKind, Class, Clock, Gtod, Inversion, Isolate, LockProtocol, Middle,
    PeriodicJitter, Plan, Policy, Realfeel, Sched, Scheduling, Sleep, Spin, SystemState, Wake,
    Watch, Work,
};
use lexopt::{Arg, Parser, ValueExt};

/// The options of `irqscope-agent bench`.
#[derive(Debug, PartialEq, Eq)]
pub struct BenchOptions {
    /// The benchmarks, as a plan.
    pub plan: Plan,
    /// Where frames go instead of a table; `-` is stdout.
    pub frames: Option<PathBuf>,
}

/// Options that a benchmark has as settings, and their familiar short forms.
const SETTINGS: [&str; 16] = [
    "count",
    "period",
    "duration",
    "priority",
    "threads",
    "cpus",
    "from-cpu",
    "runtime",
    "threshold",
    "work",
    "frequency",
    "hold",
    "middle",
    "target",
    "above",
    "until",
];

fn long(short: char) -> Option<&'static str> {
    [('l', "count"), ('i', "period"), ('D', "duration"), ('p', "priority"), ('t', "threads")]
        .into_iter()
        .chain([('a', "cpus")])
        .find_map(|(known, name)| (known == short).then_some(name))
}

/// Reads what follows `bench`; none if help is wanted.
///
/// # Errors
/// An option is unknown, or its value makes no sense.
pub fn parse(parser: &mut Parser) -> Result<Option<BenchOptions>, lexopt::Error> {
    let mut kinds: Vec<BenchmarkKind> = Vec::new();
    let (mut settings, mut variants) = (Vec::new(), Vec::new());
    let (mut plan, mut benchmarks) = (Plan::default(), Vec::new());
    let mut loads = Vec::new();
    let mut frames = None;
    while let Some(argument) = parser.next()? {
        let name: String = match argument {
            Arg::Value(name) => {
                kinds.push(name.parse()?);
                continue;
            }
            Arg::Short('h') => return Ok(None),
            Arg::Short(short) => long(short).ok_or_else(|| argument.unexpected())?.into(),
            Arg::Long(name) => name.into(),
        };
        match name.as_str() {
            "help" => return Ok(None),
            "idle-states" => plan.idle_states = true,
            "cpu" => plan.cpu = parser.value()?.parse()?,
            "load" => loads.push(parser.value()?.parse()?),
            "variant" => variants.push(parser.value()?.string()?),
            "frames" => frames = Some(PathBuf::from(parser.value()?)),
            "limit" => settings.push(("limit", parser.value()?)),
            name => match SETTINGS.iter().find(|known| **known == name) {
                Some(known) => settings.push((known, parser.value()?)),
                None => return Err(format!("invalid option '--{name}'").into()),
            },
        }
    }
    if kinds.is_empty() {
        return Err(
            format!("which benchmark? There are {}", BenchmarkKind::NAMES.join(", ")).into()
        );
    }
    for kind in kinds {
        benchmarks.extend(chosen(kind, &variants, &settings)?);
    }
    // It changes nothing of the system that it watches.
    plan.idle_states |= benchmarks.iter().any(|one| matches!(one, Benchmark::Watch(_)));
    if !loads.is_empty() {
        plan.state = SystemState::of("load", loads);
    }
    plan.work = Work::Benchmarks(benchmarks);
    plan.case = format!("here/{}", plan.state.name);
    Ok(Some(BenchOptions { plan, frames }))
}

/// Returns a benchmark's chosen variants with all settings applied.
fn chosen(
    kind: BenchmarkKind,
    variants: &[String],
    settings: &[(&str, OsString)],
) -> Result<Vec<Benchmark>, lexopt::Error> {
    let mut chosen = if kind == BenchmarkKind::Sched && !variants.is_empty() {
        variants.iter().map(|name| sched(name)).collect::<Result<Vec<_>, _>>()?
    } else {
        all(kind).into_iter().filter(|one| is_wanted(&one.variant(), variants)).collect()
    };
    if chosen.is_empty() {
        let names: Vec<String> = all(kind).iter().map(Benchmark::variant).collect();
        return Err(format!("no such variant of {kind}; there are {}", names.join(", ")).into());
    }
    for one in &mut chosen {
        for (name, value) in settings {
            let text = value.clone().string()?;
            set(one, name, &text).map_err(|why| format!("--{name} {text}: {why}"))?;
        }
        one.check().map_err(|why| format!("{kind}: {why}"))?;
    }
    Ok(chosen)
}

/// Returns whether a variant is wanted. Every part of its name may be asked for by itself:
/// `inherit` is two variants of inversion.
fn is_wanted(variant: &str, wanted: &[String]) -> bool {
    let has = |part: &String| {
        variant == part || variant.split_once('-').is_some_and(|(a, b)| a == part || b == part)
    };
    wanted.is_empty() || wanted.iter().any(has)
}

fn sched(policy: &str) -> Result<Benchmark, lexopt::Error> {
    let default = Sched::default();
    let class = match policy {
        "deadline" => Class::Deadline { runtime_ns: default.period_ns / 10 },
        _ => class(policy)?,
    };
    Ok(Benchmark::Sched(Sched { class, ..default }))
}

/// Returns all variants of a benchmark, as they are by themselves.
fn all(kind: BenchmarkKind) -> Vec<Benchmark> {
    let inversion = |middle: Middle| {
        let one = move |protocol: &LockProtocol| {
            let protocol = *protocol;
            Benchmark::Inversion(Inversion { protocol, middle, ..Inversion::default() })
        };
        LockProtocol::ALL.iter().map(one)
    };
    let gtod = |clock: &Clock| Benchmark::Gtod(Gtod { clock: *clock, ..Gtod::default() });
    let wake = |wake: &Wake| Benchmark::Async(Async { wake: *wake, ..Async::default() });
    match kind {
        BenchmarkKind::Gtod => Clock::ALL.iter().map(gtod).collect(),
        BenchmarkKind::Sched => vec![Benchmark::Sched(Sched::default())],
        BenchmarkKind::Async => Wake::ALL.iter().map(wake).collect(),
        BenchmarkKind::Sleep => vec![Benchmark::Sleep(Sleep::default())],
        BenchmarkKind::Inversion => Middle::ALL.iter().copied().flat_map(inversion).collect(),
        BenchmarkKind::Realfeel => vec![Benchmark::Realfeel(Realfeel::default())],
        BenchmarkKind::Jitter => vec![Benchmark::Jitter(PeriodicJitter::default())],
        BenchmarkKind::Spin => vec![Benchmark::Spin(Spin::default())],
        BenchmarkKind::Watch => vec![Benchmark::Watch(Watch::default())],
        BenchmarkKind::Isolate => vec![Benchmark::Isolate(Isolate::default())],
    }
}

fn set(benchmark: &mut Benchmark, name: &str, text: &str) -> Result<(), String> {
    let kind = benchmark.kind();
    let foreign = || format!("is no setting of {kind}");
    match (name, &mut *benchmark) {
        ("priority", Benchmark::Inversion(one)) => one.priority = number(text)?,
        ("priority", _) => {
            let wanted = class_of(benchmark).ok_or_else(foreign)?;
            *wanted = class(text)?;
        }
        ("threads", Benchmark::Sched(one)) => one.threads = number(text)?,
        ("cpus", Benchmark::Sched(one)) => one.cpus = cpus(text)?,
        ("cpus", Benchmark::Spin(one)) => one.cpus = cpus(text)?,
        ("cpus", Benchmark::Isolate(one)) => one.cpus = cpus(text)?,
        ("from-cpu", Benchmark::Async(one)) => one.from_cpu = Some(number(text)?),
        ("runtime", Benchmark::Sched(one)) => {
            one.class = Class::Deadline { runtime_ns: span(text)? };
        }
        ("frequency", Benchmark::Realfeel(one)) => {
            one.hertz = frequency(text)?;
        }
        ("count", Benchmark::Watch(one)) => one.count = Some(number(text)?),
        ("target", Benchmark::Watch(one)) => one.target = text.into(),
        ("above", Benchmark::Watch(one)) => one.above_ns = Some(span(text)?),
        ("until", Benchmark::Watch(one)) => one.until = Some(text.into()),
        ("count", _) => {
            let wanted = count_of(benchmark).ok_or_else(foreign)?;
            *wanted = number(text)?;
        }
        (name, _) => {
            let wanted = span_of(benchmark, name).ok_or_else(foreign)?;
            *wanted = span(text)?;
        }
    }
    Ok(())
}

fn class_of(benchmark: &mut Benchmark) -> Option<&mut Class> {
    match benchmark {
        Benchmark::Gtod(one) => Some(&mut one.class),
        Benchmark::Sched(one) => Some(&mut one.class),
        Benchmark::Async(one) => Some(&mut one.class),
        Benchmark::Sleep(one) => Some(&mut one.class),
        Benchmark::Realfeel(one) => Some(&mut one.class),
        Benchmark::Jitter(one) => Some(&mut one.class),
        Benchmark::Spin(one) => Some(&mut one.class),
        Benchmark::Isolate(one) => Some(&mut one.class),
        Benchmark::Inversion(_) | Benchmark::Watch(_) => None,
    }
}

fn count_of(benchmark: &mut Benchmark) -> Option<&mut u64> {
    match benchmark {
        Benchmark::Gtod(one) => Some(&mut one.count),
        Benchmark::Sched(one) => Some(&mut one.count),
        Benchmark::Async(one) => Some(&mut one.count),
        Benchmark::Sleep(one) => Some(&mut one.count),
        Benchmark::Inversion(one) => Some(&mut one.count),
        Benchmark::Realfeel(one) => Some(&mut one.count),
        Benchmark::Jitter(one) => Some(&mut one.count),
        Benchmark::Spin(_) | Benchmark::Watch(_) | Benchmark::Isolate(_) => None,
    }
}

/// Settings that are spans of time.
fn span_of<'a>(benchmark: &'a mut Benchmark, name: &str) -> Option<&'a mut u64> {
    match (name, benchmark) {
        ("period", Benchmark::Sched(one)) => Some(&mut one.period_ns),
        ("period", Benchmark::Async(one)) => Some(&mut one.period_ns),
        ("period", Benchmark::Sleep(one)) => Some(&mut one.period_ns),
        ("period", Benchmark::Jitter(one)) => Some(&mut one.period_ns),
        ("duration", Benchmark::Spin(one)) => Some(&mut one.duration_ns),
        ("duration", Benchmark::Watch(one)) => Some(&mut one.duration_ns),
        ("duration", Benchmark::Isolate(one)) => Some(&mut one.duration_ns),
        ("threshold", Benchmark::Spin(one)) => Some(&mut one.threshold_ns),
        ("threshold", Benchmark::Isolate(one)) => Some(&mut one.threshold_ns),
        ("work", Benchmark::Jitter(one)) => Some(&mut one.work_ns),
        ("hold", Benchmark::Inversion(one)) => Some(&mut one.hold_ns),
        ("middle", Benchmark::Inversion(one)) => Some(&mut one.middle_ns),
        ("limit", Benchmark::Inversion(one)) => Some(&mut one.limit_ns),
        _ => None,
    }
}

fn number<T: std::str::FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| "is no such number".into())
}

fn cpus(text: &str) -> Result<Vec<u32>, String> {
    text.parse().map(|CpuList(cpus)| cpus).map_err(|error: NoCpuList| error.to_string())
}

/// Parses `2048Hz`.
fn frequency(text: &str) -> Result<u32, String> {
    let frequency: Frequency = text.parse().map_err(|error: QuantityError| error.to_string())?;
    Ok(frequency.hertz().round() as u32)
}

/// Parses `250us`, `5ms`, `1s`.
fn span(text: &str) -> Result<u64, String> {
    text.parse::<Span>().map(|Span(ns)| ns).map_err(|error| error.to_string())
}

/// Parses `80`, `fifo 80`, `rr 5`, `other`.
fn class(text: &str) -> Result<Class, String> {
    let (policy, priority) = match text.split_once(' ') {
        Some((policy, priority)) => (policy, priority),
        None if text == Policy::Other.name() => (text, "0"),
        None => (Policy::Fifo.name(), text),
    };
    let wrong = || "is no priority; write 80, \"rr 5\" or other".to_owned();
    let policy: Policy = policy.parse().map_err(|_| wrong())?;
    let range = if policy == Policy::Other { 0..=0 } else { 1..=99 };
    let priority = priority.parse().ok().filter(|priority| range.contains(priority));
    priority.map(|priority| Class::Fixed(Scheduling { policy, priority })).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(line: &str) -> Result<BenchOptions, String> {
        let words = line.split_whitespace().map(|word| word.replace('_', " "));
        match parse(&mut Parser::from_args(words)) {
            Ok(options) => options.ok_or_else(|| "help".into()),
            Err(error) => Err(error.to_string()),
        }
    }

    fn variants(line: &str) -> Vec<String> {
        options(line).unwrap().plan.benchmarks().iter().map(Benchmark::variant).collect()
    }

    #[test]
    fn cyclictests_options_mean_what_they_mean_there() {
        let plan = options("sched -p 95 -i 1ms -l 60 -t 2 -a 0,1").unwrap().plan;
        let class = Class::Fixed(Scheduling { policy: Policy::Fifo, priority: 95 });
        let sched = Sched { class, period_ns: 1_000_000, count: 60, threads: 2, cpus: vec![0, 1] };
        assert_eq!(plan.benchmarks(), [Benchmark::Sched(sched)]);
        assert!(!plan.needs_driver());
    }

    #[test]
    fn variants_are_all_or_those_that_are_named() {
        assert_eq!(variants("gtod").len(), Clock::ALL.len());
        assert_eq!(variants("async --variant futex --variant pipe"), ["futex", "pipe"]);
        assert_eq!(variants("inversion --variant inherit").len(), 2);
        assert_eq!(variants("sched --variant deadline --variant rr_5"), ["deadline", "rr 5"]);
        assert!(options("gtod --variant sundial").unwrap_err().contains("monotonic-raw"));
    }

    #[test]
    fn wrong_settings_are_refused_with_what_would_be_right() {
        assert!(options("gtod --threads 2").unwrap_err().contains("no setting of gtod"));
        assert!(options("sleep --period 5parsecs").unwrap_err().contains("250us"));
        assert!(options("sleep --period 0s").unwrap_err().contains("10us to 1h"));
        assert!(options("sched -p 100").unwrap_err().contains("rr 5"));
        assert!(options("sched --colour").unwrap_err().contains("--colour"));
        assert!(options("").unwrap_err().contains("realfeel"));
        assert!(options("cyclic").is_err());
    }

    #[test]
    fn a_load_names_the_state() {
        let plan = options("spin --load tcp --load copy --idle-states --cpu 1").unwrap().plan;
        assert_eq!((plan.case.as_str(), plan.cpu, plan.idle_states), ("here/load", 1, true));
        assert_eq!(plan.state.loads.len(), 2);
    }
}
