// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Measuring a real machine, whichever shell leads to it: what rigs `local` and
//! `ssh` have in common, which is all but the shell.

use std::path::{Path, PathBuf};
use std::process::ExitStatus;

use irqscope_scenario::{Board, Case, Gpio, Payload};
use irqscope_wire::{HostByte, Line, Plan, StartAt, Trigger};

use crate::agent_link::read_to_end;
use crate::case::{Event, Events, Follower, Stream};
use crate::error::{Result, RigError, lost};
use crate::generator::board;
use crate::generator::outside::Outside;
use crate::generator::spare_cpu;
use crate::guest::console::first_complaint;
use crate::kernel;
use crate::kernel::driver::{Build, Driver, check_headers, headers_digest};
use crate::parts::Part;
use crate::payload::{Brought, Module};
use crate::plan::{encoded, needs_parport};
use crate::prepared::lines;
use crate::rigs::Job;
use crate::stop::Stop;
use crate::text::with_output;
use crate::transport::facts::{self, Facts, Modules};
use crate::transport::remote_build;
use crate::transport::session::{Ending, Session};
use crate::transport::shell::Shell;

/// The module that has the GPIO lines.
const GPIO: &str = "irqscope_gpio";

/// Asks a target for what decides whether it can be measured.
pub(crate) fn ask(shell: &mut Shell, stop: &Stop) -> Result<Facts> {
    let done = shell.output(facts::SCRIPT, None, stop)?;
    let Some(facts) = Facts::parse(&done.text(), &shell.target)? else {
        let what = with_output(format!("{} does not answer sh", shell.target), &done.stderr);
        return Err(RigError::Lost { what, console: None, tail: String::new() });
    };
    shell.sudo = facts.sudo && !facts.root;
    Ok(facts)
}

/// Finds the agent, and the generator at an address where one triggers.
pub(super) fn prepare(
    wired: &Board,
    payload: &Payload,
    cases: &mut [Case],
    stop: &Stop,
) -> Result<()> {
    Part::OWN_AGENT.find()?;
    let origin = Brought::origin_of(payload)?;
    cases.iter_mut().for_each(|case| case.payload_origin.clone_from(&origin));
    let plans = cases.iter_mut().map(|case| &mut case.plan);
    let mut triggered = plans.filter(|plan| by_board(plan)).peekable();
    if triggered.peek().is_none() {
        return Ok(());
    }
    board::prepare(&wired.address, triggered, stop)
}

/// Returns whether a generator at an address triggers.
fn by_board(plan: &Plan) -> bool {
    plan.stages().is_some_and(|asked| asked.trigger == Trigger::Line)
}

/// Runs one case on the machine that the shell leads to. `wired`: the generator that
/// is wired to it, where the plan's trigger is a line.
pub(super) fn run_case(
    shell: &mut Shell,
    wired: &Board,
    payload: &Payload,
    job: &Job<'_>,
    events: &mut Events<'_>,
) -> Result<()> {
    let Job { plan, console, stop, .. } = *job;
    events(Event::Phase("looking at the target"))?;
    let facts = ask(shell, stop)?;
    if plan.needs_driver() {
        facts.check(&shell.target)?;
    }
    let agent = Part::Agent(facts.machine(&shell.target)?).find()?;
    let mut session = Session::start(shell, console, stop)?;
    session.deliver(&agent, "irqscope-agent", stop)?;
    bring_modules(&session, shell, &facts, plan, stop, events)?;
    let brought = bring_payload(&session, shell, &facts, payload, stop, events)?;
    let mut plan = spare_cpu::plan(plan, &facts, events)?;
    let modules = [brought, modules(&plan, wired.gpio.as_ref())].concat();
    let mut generator = if plan.uses_spare_cpu() {
        spare_cpu::start(&mut session, shell, &modules, &facts, &mut plan, stop)?
    } else {
        // A falling trigger's line rises when it is set: before the driver is there.
        let board = board_of(&plan, wired, &facts, stop)?;
        session.go(&modules, None)?;
        board
    };
    session.plan(&encoded(&plan)?)?;
    events(Event::Phase("measuring in real time"))?;
    let mut follower = Follower::new(Stream::Target);
    let ran = read_to_end(&mut session, stop, &mut |bytes| {
        follower.push(bytes, events)?;
        let armed = follower.is_armed();
        generator.as_mut().map_or(Ok(None), |generator| attend(generator, armed, events))
    });
    let ended = session.end();
    let Some(mut generator) = generator else {
        return judge(shell, ran, ended, follower, console);
    };
    judge(shell, ran, ended, follower, console).inspect_err(|_| generator.abandon())?;
    generator.finish(console, events)
}

/// Returns the generator at an address, set and not started, where a plan is triggered by it.
fn board_of(plan: &Plan, board: &Board, facts: &Facts, stop: &Stop) -> Result<Option<Outside>> {
    let Some(asked) = plan.stages().filter(|asked| asked.outside.is_some()) else {
        return Ok(None);
    };
    board::set(&board.address, asked, lines(plan, &facts.release), stop).map(Some)
}

/// Passes on what has arrived; returns the byte for the agent. A generator that does not see the
/// target's answer begins when the agent says so.
fn attend(
    generator: &mut Outside,
    armed: bool,
    events: &mut Events<'_>,
) -> Result<Option<HostByte>> {
    if armed {
        if !generator.has_started() {
            generator.start(StartAt::Now)?;
        }
        generator.read_clock();
    }
    Ok(generator.drain(events)?.then_some(HostByte::TriggersEnded))
}

/// Puts the driver there. Benchmarks need none.
fn bring_modules(
    session: &Session<'_>,
    shell: &Shell,
    facts: &Facts,
    plan: &Plan,
    stop: &Stop,
    events: &mut Events<'_>,
) -> Result<()> {
    if !plan.needs_driver() {
        return Ok(());
    }
    if matches!(facts.modules, Modules::Signed(_)) {
        // A build of ours would be refused; modprobe has the one that is installed.
        return events(Event::Phase("loading the installed driver"));
    }
    events(Event::Phase("building the driver"))?;
    let driver = driver(session, shell, facts, plan, stop)?;
    events(Event::Phase("loading the driver"))?;
    for name in ours(plan) {
        session.deliver(&driver.module(name), &format!("{name}.ko"), stop)?;
    }
    Ok(())
}

/// Puts there what the scenario brings; returns its modules as the script takes them.
fn bring_payload(
    session: &Session<'_>,
    shell: &Shell,
    facts: &Facts,
    payload: &Payload,
    stop: &Stop,
    events: &mut Events<'_>,
) -> Result<Vec<String>> {
    if payload.is_empty() {
        return Ok(Vec::new());
    }
    events(Event::Phase("bringing files and modules"))?;
    let arch = facts.arch(&shell.target)?;
    let headers = headers(shell, facts).unwrap_or_default();
    let build = headers.as_deref().map(|headers| Build {
        headers,
        release: &facts.release,
        arch,
        image: None,
        test: false,
    });
    let brought = Brought::to_machine(payload, build, &|_| {})?;
    session.deliver_tree(&brought.entries, stop)?;
    for module in &brought.modules {
        if let Some(file) = &module.file {
            session.deliver(file, &format!("{}.ko", module.name), stop)?;
        }
    }
    let words = |module: &Module| {
        let parameters = module.parameters.split_whitespace();
        std::iter::once(module.name.as_str()).chain(parameters).collect::<Vec<_>>().join(";")
    };
    Ok(brought.modules.iter().map(words).collect())
}

/// Judges why the case ended: our own side first, then the connection, then what the target's
/// kernel said, then the script, then the agent.
fn judge(
    shell: &Shell,
    ran: Result<()>,
    ended: Result<ExitStatus>,
    mut follower: Follower,
    console: &Path,
) -> Result<()> {
    let cut = ended.as_ref().is_ok_and(|status| shell.lost_connection(*status));
    // A generator over there is lost with the connection.
    if !(cut && matches!(ran, Err(RigError::Generator(_)))) {
        ran?;
    }
    let status = ended?;
    if shell.lost_connection(status) {
        let what = format!("the connection to {} was lost while it measured", shell.target);
        return Err(lost(what, console));
    }
    let log = std::fs::read(console).unwrap_or_default();
    if let Some(complaint) = first_complaint(&String::from_utf8_lossy(&log)) {
        let what = format!("the kernel of {} complained: {}", shell.target, complaint.trim());
        return Err(lost(what, console));
    }
    match Ending::of(status) {
        Some(Ending::NoDirectory) => Err(unready(shell, "cannot make a directory", console)),
        Some(Ending::NotLoaded) => Err(unready(shell, "cannot load the driver", console)),
        Some(Ending::NotUnloaded) => {
            Err(lost(format!("{} cannot unload the driver", shell.target), console))
        }
        Some(Ending::NoGenerator) => {
            Err(unready(shell, "cannot spare a CPU as generator", console))
        }
        Some(Ending::Stopped) | None => follower.end().unwrap_or_else(|| {
            Err(lost(format!("{} ended without a result", shell.target), console))
        }),
    }
}

fn unready(shell: &Shell, what: &str, console: &Path) -> RigError {
    let log = std::fs::read(console).unwrap_or_default();
    let what = with_output(format!("{} {what}", shell.target), &String::from_utf8_lossy(&log));
    RigError::unready(what, format!("mend what it says; all of it is in {}", console.display()))
}

/// Returns the driver for the target's kernel: built here where the same headers are, else by the
/// target itself.
fn driver(
    session: &Session<'_>,
    shell: &Shell,
    facts: &Facts,
    plan: &Plan,
    stop: &Stop,
) -> Result<Driver> {
    let test = plan.stages().is_some_and(|asked| asked.delay.is_some());
    match headers(shell, facts)? {
        Some(headers) => {
            let build = Build {
                headers: &headers,
                release: &facts.release,
                arch: facts.arch(&shell.target)?,
                image: None,
                test,
            };
            let built = Driver::build(build, &|_| {});
            stop.check()?; // Ctrl-C ended make, too
            built
        }
        None => remote_build::build(session, shell, facts, test, stop),
    }
}

/// Headers on this machine that are the target's: of the same content, or of
/// the same release if the target has none to compare with.
fn headers(shell: &Shell, facts: &Facts) -> Result<Option<PathBuf>> {
    let installed = Path::new("/lib/modules").join(&*facts.release).join("build");
    if !shell.is_remote() {
        return check_headers(&installed).map(|()| Some(installed));
    }
    let cached = kernel::list()?.into_iter().filter(|kernel| kernel.release == facts.release);
    let mut candidates = cached.map(|kernel| kernel.headers).chain([installed]);
    let same = |headers: &PathBuf| match (&facts.headers, headers_digest(headers)) {
        (Some(theirs), Ok(ours)) => *theirs == ours,
        (None, ours) => ours.is_ok(),
        (Some(_), Err(_)) => false,
    };
    Ok(candidates.find(same))
}

/// Returns the modules to load, in order, with their parameters. The port must not have taken its
/// interrupt itself; GPIO lines are named here unless the device tree names them.
fn modules(plan: &Plan, gpio: Option<&Gpio>) -> Vec<String> {
    if !plan.needs_driver() {
        return Vec::new();
    }
    let port = needs_parport(plan).then(|| "parport_pc;io=0x378;irq=none".to_owned());
    let with_parameters = |name: &str| match gpio {
        Some(Gpio { trigger, responses }) if name == GPIO => {
            format!("{name};trigger={trigger};responses={}", responses.join(","))
        }
        _ => name.to_owned(),
    };
    port.into_iter().chain(ours(plan).into_iter().map(with_parameters)).collect()
}

fn ours(plan: &Plan) -> Vec<&'static str> {
    let port = match plan.line() {
        Line::Parport => Some("irqscope_parport"),
        Line::Gpio => Some(GPIO),
        Line::Ivshmem => Some("irqscope_ivshmem"),
        Line::Record | Line::Memory => None,
    };
    std::iter::once("irqscope").chain(port).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use irqscope_wire::StagePlan;

    #[test]
    fn gpio_lines_are_named_to_their_module_alone() {
        let plan = Plan::of_stages(StagePlan { line: Line::Gpio, ..StagePlan::default() });
        let (trigger, responses) =
            ("chip:17".to_owned(), vec!["chip:2".into(), "chip:3:low".into()]);
        let gpio = Gpio { trigger, responses };
        let named = "irqscope_gpio;trigger=chip:17;responses=chip:2,chip:3:low";
        assert_eq!(modules(&plan, Some(&gpio)), ["irqscope", named]);
        assert_eq!(modules(&plan, None), ["irqscope", "irqscope_gpio"]);
        let port = Plan::of_stages(StagePlan { line: Line::Parport, ..StagePlan::default() });
        let loaded = ["parport_pc;io=0x378;irq=none", "irqscope", "irqscope_parport"];
        assert_eq!(modules(&port, Some(&gpio)), loaded);
    }
}
