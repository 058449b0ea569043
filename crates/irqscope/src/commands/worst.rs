// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `irqscope worst`: the worst instant for an interrupt within a window.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use irqscope_analysis::{At, CasePath, WorstInstant, WorstSearch, derive};
use irqscope_quantity::{Span, Unit, grouped};
use irqscope_rig::{RigError, Stop};
use irqscope_run::{Probe, RunDir, resolve};
use irqscope_scenario::{Overrides, Scenario, ScenarioFile};
use irqscope_wire::Stage;
use serde::Serialize;

use super::probing::{check_rig, check_view, console, stage, usage};
use super::run::carry_out;
use super::{Done, print_json};
use crate::cli::Worst;
use crate::exit::{Exit, Trouble};
use crate::interrupt::stop_on_signals;

/// Cells of the window that are measured before any of them is looked into.
const CELLS: u64 = 32;

/// The result, as JSON has it.
#[derive(Serialize)]
struct Found<'a> {
    case: &'a str,
    stage: &'a str,
    from_ns: u64,
    window_ns: u64,
    instruction_ns: u64,
    #[serde(flatten)]
    worst: WorstInstant,
    run: String,
    /// Instants with their latencies, ns.
    instants: Vec<(u64, u64)>,
}

pub fn worst(options: &Worst) -> Done {
    let stage = stage(&options.execution)?;
    let file = ScenarioFile::load(&options.execution.scenario)?;
    let stop = stop_on_signals()?;
    let resolved =
        |overrides| resolve(&file, overrides, &stop).map_err(irqscope_run::ExecuteError::from);
    check_rig(&resolved(options.execution.overrides())?)?;
    let scenario = resolved(overrides(options, stage))?;
    check(&scenario)?;
    let case = scenario.cases()[0].plan.case.clone();
    let say = |what: &str| eprintln!("irqscope: {what}");
    let probe = Probe::prepare(&scenario, &say, &stop)?;
    let (from, to) = (options.from.0, options.from.0.saturating_add(options.window.0));
    let instruction_ns = 1 << scenario.twin.shift;
    let search = Team {
        search: Mutex::new(WorstSearch::new(from, to, CELLS, instruction_ns)),
        learned: Condvar::new(),
        most: options.measure as usize,
        probe,
        stop,
    };
    let search = search.work(options)?;
    let found =
        search.found().ok_or_else(|| Trouble::new(Exit::Invalid, "nothing was measured"))?;
    let one_cpu = scenario.twin.cpus == 1;
    let run = repeat(options, stage, &file, one_cpu, &found)?;
    let found = Found {
        case: &case,
        stage: stage.name(),
        from_ns: from,
        window_ns: options.window.0,
        instruction_ns,
        worst: found,
        run: run.path().display().to_string(),
        instants: search.measured().collect(),
    };
    if options.json {
        return print_json(&found).map(|()| Exit::Fine);
    }
    print!("{}", text(&found));
    Ok(Exit::Fine)
}

fn overrides(options: &Worst, stage: Stage) -> Overrides {
    let mut overrides = options.execution.overrides();
    overrides.set_list("stages", &[stage.name()]);
    for (key, value) in [("trigger.count", "1"), ("twin.settled", "true"), ("trigger.packet", "1")]
    {
        overrides.set(key, value);
    }
    overrides
}

fn check(scenario: &Scenario) -> Result<(), Trouble> {
    check_view(scenario)?;
    let names: Vec<&str> = scenario.cases().iter().map(|case| case.plan.case.as_str()).collect();
    match names[..] {
        [_] => Ok(()),
        _ => usage(format!(
            "the worst instant is that of one case, and there are {}: choose by --kernel and --state",
            names.join(", ")
        )),
    }
}

/// Several guests that look for it together.
struct Team {
    search: Mutex<WorstSearch>,
    learned: Condvar,
    most: usize,
    probe: Probe,
    stop: Stop,
}

impl Team {
    fn work(self, options: &Worst) -> Result<WorstSearch, Trouble> {
        let jobs = super::run::jobs(&options.execution.how);
        // The first one makes the state that the others go on from.
        self.one(&console()?)?;
        std::thread::scope(|scope| {
            let all: Vec<_> = (0..jobs).map(|_| scope.spawn(|| self.all())).collect();
            all.into_iter().try_for_each(|one| {
                one.join().unwrap_or_else(|_| Err(Trouble::new(Exit::Lost, "a thread panicked")))
            })
        })?;
        Ok(self.search.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    fn all(&self) -> Result<(), Trouble> {
        let console = console()?;
        let worked = (|| {
            while self.one(&console)? {}
            Ok(())
        })();
        if worked.is_err() {
            // The others would wait for what this one does not learn.
            self.stop.request();
        }
        self.learned.notify_all();
        worked
    }

    /// Measures one instant. Returns false when there is none left.
    fn one(&self, console: &tempfile::NamedTempFile) -> Result<bool, Trouble> {
        let Some(at) = self.next()? else { return Ok(false) };
        let latency = self.probe.at(at, console.path(), &self.stop)?.ok_or_else(|| {
            Trouble::new(
                Exit::Invalid,
                format!("a trigger {} after the start has no answer", Span(at)),
            )
        })?;
        let mut search = self.lock();
        search.learn(at, latency);
        if let Some(found) = search.found().filter(|found| found.measured % 50 == 0) {
            let (latency, bound) = (Span(found.latency_ns), Span(found.bound_ns));
            eprintln!("irqscope: {} instants: {latency}, at most {bound}", found.measured);
        }
        self.learned.notify_all();
        Ok(true)
    }

    fn next(&self) -> Result<Option<u64>, Trouble> {
        let mut search = self.lock();
        loop {
            if self.stop.requested() {
                return Err(RigError::Interrupted.into());
            }
            if search.started() >= self.most {
                return Ok(None);
            }
            match search.next_instant() {
                Some(at) => return Ok(Some(at)),
                None if search.is_waiting() => {
                    search = self.learned.wait(search).unwrap_or_else(PoisonError::into_inner);
                }
                None => return Ok(None),
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, WorstSearch> {
        self.search.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Runs the worst instant once more, as a run of its own with its path.
fn repeat(
    options: &Worst,
    stage: Stage,
    file: &ScenarioFile,
    one_cpu: bool,
    found: &WorstInstant,
) -> Result<RunDir, Trouble> {
    let mut overrides = overrides(options, stage);
    overrides.set_text("twin.first", &format!("{}ns", found.at_ns));
    if one_cpu {
        overrides.set("twin.trace", 1);
    }
    let run = carry_out(file, overrides, &options.execution.how)?;
    derive(&run)?;
    if one_cpu {
        let path = CasePath::open(&run, None)?;
        let again = path.choose(stage, At::Seq(0))?.latency_ns;
        if u64::try_from(again) != Ok(found.latency_ns) {
            let what = format!(
                "the same instant gave {} and then {}: report this",
                Span(found.latency_ns),
                Span(again.unsigned_abs())
            );
            return Err(Trouble::new(Exit::Invalid, what));
        }
    }
    Ok(run)
}

fn text(found: &Found<'_>) -> String {
    let WorstInstant { at_ns, latency_ns, bound_ns, measured, exceptions, excess_ns } = found.worst;
    let unit = Unit::for_largest(bound_ns.cast_signed());
    let span = |ns: u64| format!("{} {}", unit.figure(ns as f64), unit.name());
    let instants = found.window_ns / found.instruction_ns + 1;
    let mut text = format!(
        "{}, stage {}: the worst response of the window is {},\n\
         to a trigger {} ns after the start.\n",
        found.case,
        found.stage,
        span(latency_ns),
        grouped(at_ns)
    );
    text += &match bound_ns == latency_ns {
        true => "No instant of the window gives more: ".to_owned(),
        false => format!("No instant of the window gives more than {}: ", span(bound_ns)),
    };
    let measured = grouped(measured as u64);
    text += &format!("{measured} of its\n{} instants were measured. ", grouped(instants));
    text += &match exceptions {
        0 => "No earlier trigger was answered later than the next.\n".to_owned(),
        _ => format!(
            "{exceptions} earlier triggers were answered later than\n\
             the next, by {} ns at the most, which the bound has in it.\n",
            grouped(excess_ns)
        ),
    };
    let run = &found.run;
    text + &format!("\nrun   {run}\nnext  irqscope path {run} --stage {}\n", found.stage)
}
