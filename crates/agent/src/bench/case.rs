// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A case of benchmarks, from its plan to its last frame. Teardown mirrors
//! setup, in reverse: what is set up here puts itself back when it is dropped.

use std::time::{Duration, Instant};

use irqscope_wire::{Benchmark, Counters, Load, LoadWork, Message, Plan};

use super::follow::Follower;
use super::isolate;
use super::rights::Rights;
use super::watch::watch;
use super::{Fixture, Start, start};
use crate::clock::Scale;
use crate::context::Context;
use crate::driver::Mark;
use crate::error::{Error, Result};
use crate::facts;
use crate::loads::Loads;
use crate::locks::Locks;
use crate::notes;
use crate::scheduling;
use crate::sink::Sink;
use crate::sysctls::Sysctls;

/// Samples that all recorders of a benchmark may hold together: 64 MiB.
const ROOM: u64 = 4 << 20;

/// Runs all benchmarks of a plan, one after the other.
///
/// # Errors
/// A benchmark cannot run here, or what it recorded cannot be sent.
pub fn measure(
    context: &Context<'_>,
    plan: &Plan,
    benchmarks: &[Benchmark],
    sink: &mut Sink,
) -> Result<()> {
    benchmarks.iter().try_for_each(Benchmark::check).map_err(Error::Plan)?;
    let facts = facts::gather(context.root, plan.cpu);
    let cpus = cpus(plan.cpu, benchmarks);
    // Loads belong on the CPU under test, unless it is to be had alone.
    let pinned = (cpus.len() == 1 && !plan.isolates()).then_some(plan.cpu);
    let locks = Locks::set(context.root, plan.delayed_locking.as_ref())?;
    let _sysctls = Sysctls::set(context.root, &plan.sysctls)?;
    let mut loads = Loads::start(&plan.state, pinned)?; // forks: before any thread
    let apart = scheduling::keep_off_all(&cpus);
    let rights = Rights::claim();
    let scale = Scale::new(plan.tick);
    let _idle_states = context.report_conditions(plan, &facts, apart, &loads, sink)?;
    let mut seen = rights.observations(plan.uses_real_time());
    if context.is_real {
        // The plan's own was looked at with everything else.
        let others = cpus.iter().filter(|cpu| **cpu != plan.cpu);
        seen.extend(
            others.filter_map(|cpu| notes::scaled(*cpu, &facts::governor(context.root, *cpu))),
        );
    }
    seen.iter().try_for_each(|observation| sink.send(observation.message()))?;
    sink.send(Message::Started(facts.started(scale.tick, &loads)))?;
    context.stop.sleep(Duration::from_millis(plan.settle_ms.into()))?;
    let mark = (!context.is_real).then(|| Mark::begin(context.root, plan.cpu)).flatten();
    for (number, benchmark) in benchmarks.iter().enumerate() {
        loads.check()?;
        if let Benchmark::Watch(asked) = benchmark {
            watch(context, number as u16, asked, sink)?;
            continue;
        }
        let class = rights.grant(benchmark.class());
        let room = ROOM / benchmark.series();
        let (root, cpu, instruction) = (context.root, plan.cpu, plan.instruction);
        let fixture = Fixture { root, cpu, class, scale, instruction, room };
        let live = sink.is_live() && apart || benchmark.samples() > ROOM;
        if let Benchmark::Isolate(asked) = benchmark {
            isolate::measure(context, number as u16, asked, &fixture, sink)?;
            continue;
        }
        let stop = context.stop;
        let before = (Instant::now(), loads.work());
        let mut follower = Follower { stop, sink, live, benchmark: number as u16, class };
        match start(benchmark, &fixture)? {
            Start::Running(running) => follower.follow(running)?,
            Start::Unavailable(why) => follower.unavailable(why)?,
        }
        let work = work(number as u16, before, &loads);
        if !work.is_empty() {
            sink.send(Message::Work(work))?;
        }
    }
    drop(mark);
    locks.map_or(Ok(()), |locks| locks.finish(sink))?;
    loads.stop()?;
    sink.send(Message::Finished(Counters::default()))
}

/// Returns what each load did since then.
fn work(
    benchmark: u16,
    (since, before): (Instant, Vec<(Load, u64)>),
    loads: &Loads,
) -> Vec<LoadWork> {
    let ns = u64::try_from(since.elapsed().as_nanos()).unwrap_or(u64::MAX);
    let of = |((load, before), (_, now)): ((Load, u64), (Load, u64))| LoadWork {
        benchmark,
        load,
        units: now.saturating_sub(before),
        ns,
    };
    before.into_iter().zip(loads.work()).map(of).collect()
}

/// Returns all CPUs under test, ascending.
fn cpus(cpu: u32, benchmarks: &[Benchmark]) -> Vec<u32> {
    let own = |one: &Benchmark| match one.cpus() {
        [] => vec![cpu],
        cpus => cpus.to_vec(),
    };
    let mut cpus: Vec<u32> = benchmarks.iter().flat_map(own).collect();
    cpus.sort_unstable();
    cpus.dedup();
    cpus
}
