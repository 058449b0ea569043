// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The rules of a scenario that types cannot express: which values are in range, and which keys go
//! together. Every rule is checked, so that all that is wrong is said at once.

mod axes;
mod board;
mod devices;
mod outside;
mod own;
mod rule;
mod ssh;
mod stages;

use irqscope_wire::{Benchmark, BenchmarkKind, Load, Stage, View};

use crate::error::{Flaw, Wrong};
use crate::kernel::KernelName;
use crate::kind::{Kernels, RigKind};
use crate::plan::{outside as views, states};
use crate::raw::{BenchText, LocksText, PriorityText, Text};
use crate::sweep::Sweep;
use crate::table::Table;

pub use rule::Rule;
pub(crate) use stages::PERIOD_NS;

/// Host seconds after which a guest is called hung at the latest: a week.
/// An hour, ns.
const LONGEST_LEAD: u64 = 3_600_000_000_000;
/// As many as QEMU was tried with on a counted clock.
const MOST_CPUS: u32 = 8;
const LONGEST_LIMIT: u64 = 7 * 24 * 3600;

/// The rules that a scenario breaks.
pub(crate) struct Flaws<'a> {
    table: &'a Table<'a>,
    found: Vec<Flaw>,
}

impl Flaws<'_> {
    /// Adds a rule that is broken; `key` is what has to be changed.
    fn add(&mut self, key: &str, rule: Rule) {
        self.found.push(Flaw { place: self.table.place(key), what: Wrong::Rule(rule) });
    }

    fn when(&mut self, broken: bool, key: &str, rule: Rule) {
        if broken {
            self.add(key, rule);
        }
    }
}

/// Checks a scenario.
///
/// # Errors
/// All rules that it breaks.
pub(crate) fn check(text: &Text, table: &Table<'_>) -> Result<(), Vec<Flaw>> {
    let mut flaws = Flaws { table, found: Vec::new() };
    common(text, &mut flaws);
    match (&text.bench, &text.trigger) {
        (Some(bench), _) => benchmarks(bench, text, &mut flaws),
        (None, Some(trigger)) => {
            stages::check(text, trigger, &mut flaws);
            outside::check(text, trigger, &mut flaws);
            board::check(text, trigger, &mut flaws);
        }
        (None, None) => flaws.add("trigger", Rule::NothingAsked),
    }
    if flaws.found.is_empty() { Ok(()) } else { Err(flaws.found) }
}

/// Checks what does not depend on what is measured.
fn common(text: &Text, flaws: &mut Flaws<'_>) {
    flaws.when(text.version != 1, "version", Rule::Version(text.version));
    flaws.when(text.twin.shift > 10, "twin.shift", Rule::Shift);
    flaws.when(!(1..=MOST_CPUS).contains(&text.twin.cpus), "twin.cpus", Rule::Cpus);
    flaws.when(!(100..=1_000_000).contains(&text.twin.quantum.0), "twin.quantum", Rule::Quantum);
    flaws.when(text.twin.first.0 > LONGEST_LEAD, "twin.first", Rule::First);
    flaws.when(text.twin.settled && text.bench.is_some(), "twin.settled", Rule::SettledBenchmark);
    flaws.when(text.twin.memory < 128, "twin.memory", Rule::Memory("twin"));
    flaws.when(text.vm.memory < 128, "vm.memory", Rule::Memory("vm"));
    for (rig, key, limit) in
        [("twin", "twin.limit", text.twin.limit), ("vm", "vm.limit", text.vm.limit)]
    {
        flaws.when(!(1..=LONGEST_LIMIT).contains(&limit), key, Rule::Limit { rig });
    }
    let twin = text.rig == RigKind::Twin;
    for (key, cpu) in cpus(text).into_iter().filter(|(_, cpu)| twin && *cpu >= text.twin.cpus) {
        flaws.add(key, Rule::NoSuchCpu { cpu, cpus: text.twin.cpus });
    }
    let traceable = text.rig.facts().virtual_clock && views::has_view(text, View::Outside);
    let rig = text.rig.name();
    flaws.when(text.twin.trace > 0 && !traceable, "twin.trace", Rule::Untraceable { rig });
    if text.twin.sections {
        flaws.when(!text.rig.facts().virtual_clock, "twin.sections", Rule::NoSections { rig });
        let isolates = text.bench.as_ref().is_some_and(|bench| bench.isolate.is_some());
        flaws.when(isolates, "twin.sections", Rule::SectionsOfIsolate);
    }
    ssh::check(text, flaws);
    kernels(text, flaws);
    axes::check(text, flaws);
    flaws.when(text.states.is_empty(), "states", Rule::NoStates);
    for limit in text.limits.iter().filter(|limit| !is_asked(text, &limit.name)) {
        flaws.add("limits", Rule::LimitOfNothing(limit.name.clone()));
    }
    for (number, name) in text.states.iter().enumerate() {
        state(text, number, name, flaws);
    }
    loads(text, flaws);
    devices::check(text, flaws);
    own::check(text, flaws);
    if let Some(locks) = &text.locks {
        delayed_locking(locks, text, flaws);
    }
    if let Some(sweep) = &text.sweep {
        let outside = views::has_view(text, View::Outside);
        flaws.when(!outside, "sweep", Rule::SweptInside);
        let bursts = text.trigger.as_ref().is_some_and(|trigger| trigger.burst.is_some());
        flaws.when(bursts, "sweep", Rule::SweptBursts);
        if let Err(why) = Sweep::of(sweep) {
            flaws.add("sweep", Rule::Sweep(why));
        }
    }
    let alone = text.rig.boots() && flaws.table.is_option("board.address");
    flaws.when(alone, "board.address", Rule::BoardInGuest { rig: text.rig.name() });
}

/// Returns whether a limit's name is that of a stage or a benchmark that is asked.
fn is_asked(text: &Text, name: &str) -> bool {
    match (&text.bench, &text.stages) {
        (Some(_), _) => {
            let kind = name.split(' ').next().unwrap_or(name);
            BenchmarkKind::ALL.iter().any(|one| one.name() == kind)
        }
        (None, Some(stages)) => stages.iter().any(|stage| stage.0.name() == name),
        (None, None) => Stage::ALL.iter().any(|stage| stage.name() == name),
    }
}

/// Returns the CPUs that a scenario names, each with its key.
fn cpus(text: &Text) -> Vec<(&'static str, u32)> {
    let mut named: Vec<_> = text.trigger.iter().map(|it| ("trigger.cpu", it.cpu)).collect();
    if let Some(bench) = &text.bench {
        named.push(("bench.cpu", bench.cpu));
        let sched = bench.sched.iter().flat_map(|it| it.cpus.iter().flatten());
        named.extend(sched.map(|cpu| ("bench.sched.cpus", *cpu)));
        let spin = bench.spin.iter().flat_map(|it| it.cpus.iter().flatten());
        named.extend(spin.map(|cpu| ("bench.spin.cpus", *cpu)));
        let from = bench.wake.iter().filter_map(|it| it.from_cpu);
        named.extend(from.map(|cpu| ("bench.async.from-cpu", cpu)));
    }
    named
}

fn kernels(text: &Text, flaws: &mut Flaws<'_>) {
    let (rig, count) = (text.rig.name(), text.kernels.len());
    match text.rig.facts().kernels {
        Kernels::Booted => {
            flaws.when(count == 0, "kernels", Rule::NoKernels { rig });
            names(text, flaws);
        }
        Kernels::Running => {
            let chosen = flaws.table.is_option("kernels");
            flaws.when(chosen, "kernels", Rule::KernelOfRunning { rig });
        }
        Kernels::Unseen => flaws.when(count > 1, "kernels", Rule::KernelsOfUnseen),
    }
}

/// Checks that each kernel has a name, and each name one kernel.
fn names(text: &Text, flaws: &mut Flaws<'_>) {
    let mut labels = Vec::new();
    for (number, text) in text.kernels.iter().enumerate() {
        let place = format!("kernels.{number}");
        match KernelName::parse(text) {
            Ok(name) if labels.contains(&name.label) => {
                flaws.add(&place, Rule::KernelTwice(name.label));
            }
            Ok(name) => labels.push(name.label),
            Err(why) => flaws.add(&place, Rule::KernelName(why)),
        }
    }
}

fn state(text: &Text, number: usize, name: &str, flaws: &mut Flaws<'_>) {
    let place = format!("states.{number}");
    match states::state(text, name) {
        Some(state) => {
            let idle = state.hog.is_some() && !state.loads.contains(&Load::Hog);
            flaws.when(idle, &format!("state.{name}"), Rule::HogWithoutLoad(name.to_owned()));
            let unreached = !text.rig.reaches_target() && !state.is_idle();
            flaws.when(unreached, &place, Rule::LoadsOfUnseen(name.to_owned()));
        }
        None => {
            let suggestion = crate::suggestion("state", name, &states::names(text));
            flaws.add(&place, Rule::UnknownState(suggestion));
        }
    }
}

/// Checks that every state's loads are there, each once.
fn loads(text: &Text, flaws: &mut Flaws<'_>) {
    let known = states::load_names(text);
    for (state, own) in &text.state {
        for (number, load) in own.loads.iter().enumerate() {
            let place = format!("state.{state}.loads.{number}");
            if !known.contains(&load.as_str()) {
                let suggestion = crate::suggestion("load", load, &known);
                flaws.add(&place, Rule::UnknownLoad(suggestion));
            }
        }
    }
}

fn delayed_locking(locks: &LocksText, text: &Text, flaws: &mut Flaws<'_>) {
    let modes = &locks.modes;
    flaws.when(modes.is_empty(), "delayed-locking.modes", Rule::NoLockModes);
    let twice = (0..modes.len()).any(|at| modes[..at].contains(&modes[at]));
    flaws.when(twice, "delayed-locking.modes", Rule::LockModeTwice);
    flaws.when(!text.rig.reaches_target(), "delayed-locking", Rule::Unreached("delayed-locking"));
}

fn benchmarks(bench: &BenchText, text: &Text, flaws: &mut Flaws<'_>) {
    let stages = text.trigger.is_some()
        || text.stages.is_some()
        || text.views.is_some()
        || text.observer_effect
        || text.priority != PriorityText::default()
        || text.explain
        || text.explain_effect
        || text.faults.is_some()
        || text.test.is_some();
    flaws.when(stages, "bench", Rule::BothAsked);
    flaws.when(!text.rig.reaches_target(), "rig", Rule::BenchOfUnseen);
    let wired = flaws.table.is_option("board.address");
    flaws.when(wired, "board.address", Rule::BenchTriggered);
    let benchmarks = bench.benchmarks();
    flaws.when(benchmarks.is_empty(), "bench", Rule::NoBenchmarks);
    for (place, one) in benchmarks.iter().enumerate() {
        let key = format!("bench.{}", one.kind());
        if let Err(why) = one.check() {
            flaws.add(&key, Rule::Bench(format!("{key}: {why}")));
        }
        let same =
            |other: &Benchmark| other.kind() == one.kind() && other.variant() == one.variant();
        let twice = benchmarks[..place].iter().any(same);
        flaws.when(twice, &key, Rule::Bench(format!("{key}: {} is there twice", one.variant())));
    }
}
