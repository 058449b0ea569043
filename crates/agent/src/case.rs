// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One case, from its plan to its last frame. Teardown mirrors setup, in
//! reverse: what is set up here puts itself back when it is dropped.

use std::time::Duration;

use irqscope_wire::{
    Hello, Message, PROTOCOL, Plan, Stage, StagePlan, StageThread, Started, Trigger, Work,
};

use crate::context::Context;
use crate::driver::Driver;
use crate::error::{Error, Result};
use crate::events::EventLog;
use crate::facts::{self, Facts};
use crate::faults::{Culprits, Needs};
use crate::loads::Loads;
use crate::locks::Locks;
use crate::ring::{Device, Ring};
use crate::sink::Sink;
use crate::sysctls::Sysctls;
use crate::user_stage::{Acts, UserStage};
use crate::watch::{Collector, End, Reading, watch};
use crate::{bench, scheduling, settings};

/// Runs a case; an error is also sent as the last frame.
///
/// # Errors
/// The plan cannot be executed here, or the case has failed.
pub fn run(context: &Context<'_>, plan: &Plan, sink: &mut Sink) -> Result<()> {
    let result = greet(sink, plan).and_then(|()| measure(context, plan, sink));
    if let Err(error) = &result {
        // The error itself may be that frames do not leave any more.
        let _ = sink.send(Message::Failed(error.failure()));
    }
    result
}

/// Says why there is no case at all.
pub fn refuse(sink: &mut Sink, error: &Error) {
    let _ = sink.send(hello());
    let _ = sink.send(Message::Failed(error.failure()));
}

fn hello() -> Message {
    Message::Hello(Hello {
        protocol: PROTOCOL,
        kind: "target".into(),
        tool_version: env!("CARGO_PKG_VERSION").into(),
        proof: None,
    })
}

fn greet(sink: &mut Sink, plan: &Plan) -> Result<()> {
    sink.send(hello())?;
    sink.send(Message::Plan(plan.clone().into()))
}

fn measure(context: &Context<'_>, plan: &Plan, sink: &mut Sink) -> Result<()> {
    match &plan.work {
        Work::Stages(asked) => ask_stages(context, plan, asked, sink),
        Work::Benchmarks(benchmarks) => bench::measure(context, plan, benchmarks, sink),
    }
}

fn ask_stages(
    context: &Context<'_>,
    plan: &Plan,
    asked: &StagePlan,
    sink: &mut Sink,
) -> Result<()> {
    let facts = facts::gather(context.root, plan.cpu);
    let mut driver = Driver::open(context.root)?;
    let device = Device::open(context.root)?; // claims the driver before anything is changed
    let (stages, unavailable) = settings::split_stages(&asked.stages, &driver.available_stages()?);
    let inject_cpu = configure(&mut driver, plan.cpu, asked, &stages, &facts)?;
    let lock_monitor = Locks::set(context.root, plan.delayed_locking.as_ref())?;
    let _sysctls = Sysctls::set(context.root, &plan.sysctls)?;
    // Its probes are registered here: loads can keep the kernel from that for seconds.
    let events = asked.explains().then(|| EventLog::open(context.root)).transpose()?;
    let mut loads = Loads::start(&plan.state, Some(plan.cpu))?; // forks: before any thread
    let apart = scheduling::keep_off(plan.cpu, inject_cpu);
    scheduling::lock_memory()?;
    let mut ring = device.map()?;
    let user = stages.contains(&Stage::User);
    let needs = Needs::of(asked.faults.as_ref())?;
    let acts = Acts {
        line: asked.line,
        stamps: asked.inside.is_some(),
        sleeps: asked.trigger == Trigger::Sleep,
        executes: asked.execution.is_some(),
        needs: needs.clone(),
    };
    let start = || UserStage::start(context.root, plan.cpu, asked.user, acts);
    let (user, seen) = user.then(start).transpose()?.unzip();
    if let Some(observation) = seen.flatten() {
        sink.send(observation.message())?;
    }
    let _idle_states = context.report_conditions(plan, &facts, apart, &loads, sink)?;
    sink.send(started(plan, &driver, facts, stages, unavailable, &loads)?)?;

    context.stop.sleep(Duration::from_millis(plan.settle_ms.into()))?;
    context.stop_to_keep()?;
    let reading = Reading::choose(asked, ring.slots(), sink.is_live(), apart);
    let mut collector = Collector::new(events);
    driver.start()?;
    // Elsewhere the generator sees it, and no frame leaves before the end.
    if sink.is_live() && asked.trigger == Trigger::Line {
        sink.send(Message::Armed)?;
    }
    let threads = stage_threads(asked, &driver, user.as_ref());
    let culprits = Culprits::start(context.root, plan.cpu, asked.faults.as_ref(), needs)?;
    let watched = watch(asked, reading, &driver, &mut ring, &mut collector, sink, context.stop);
    let state = driver.state();
    driver.stop()?;
    let monitored = lock_monitor.map_or(Ok(()), |locks| locks.finish(sink));
    let loads_held = loads.stop();
    culprits.finish(sink)?;

    // Samples are sent even where the run did not end well.
    collector.collect(&mut ring, sink)?;
    collector.flush(sink)?;
    if let Some(events) = &collector.events {
        events.finish(context.root, &driver, threads, sink)?;
    }
    let end = watched?;
    monitored?;
    loads_held?;
    user.map_or(Ok(()), UserStage::join)?;
    check_state(&mut driver, state?, end)?;
    sink.send(Message::Cost(driver.costs()?))?;
    finish(asked, &ring, &collector, sink)
}

/// Writes the settings; returns the CPU that injects.
fn configure(
    driver: &mut Driver,
    cpu: u32,
    asked: &StagePlan,
    stages: &[Stage],
    facts: &Facts,
) -> Result<u32> {
    if stages.is_empty() {
        return Err(Error::NoStage);
    }
    let spare = asked.outside.filter(|_| asked.uses_spare_cpu()).and_then(|outside| outside.cpu);
    let inject_cpu = spare.unwrap_or_else(|| scheduling::other_than(cpu, &facts.online));
    for (setting, value) in settings::assignments(asked, stages, cpu, inject_cpu) {
        driver.set(setting, &value)?;
    }
    Ok(inject_cpu)
}

fn started(
    plan: &Plan,
    driver: &Driver,
    facts: Facts,
    stages: Vec<Stage>,
    unavailable: Vec<Stage>,
    loads: &Loads,
) -> Result<Message> {
    let injects = plan.stages().is_some_and(|asked| asked.trigger.facts().by_other_cpu);
    let tick = plan.tick.map_or_else(|| driver.tick(), Ok)?;
    Ok(Message::Started(Started {
        stages,
        unavailable,
        inject_cpu: injects.then(|| driver.setting("inject_cpu")).transpose()?,
        ..facts.started(tick, loads)
    }))
}

/// Returns the stages' threads: the driver names them only while a run is active.
fn stage_threads(asked: &StagePlan, driver: &Driver, user: Option<&UserStage>) -> Vec<StageThread> {
    if !asked.explains() {
        return Vec::new();
    }
    let pid = |stage: &Stage| match stage {
        Stage::Thread => driver.number("thread_pid").ok(),
        Stage::Kthread => driver.number("kthread_pid").ok(),
        Stage::User => user.map(UserStage::pid),
        _ => None,
    };
    let thread = |stage| pid(stage).map(|pid| StageThread { stage: *stage, pid });
    asked.stages.iter().filter_map(thread).filter(|thread| thread.pid != 0).collect()
}

fn check_state(driver: &mut Driver, state: String, end: End) -> Result<()> {
    match state.as_str() {
        "done" => Ok(()),
        "running" if end == End::Silence => Ok(()),
        _ => Err(Error::State { log: driver.log_line(), state }),
    }
}

fn finish(asked: &StagePlan, ring: &Ring, collector: &Collector, sink: &mut Sink) -> Result<()> {
    let counters = ring.counters();
    if asked.inside.is_some() {
        collector.tally.check(counters)?;
    }
    sink.send(Message::Finished(counters))
}
