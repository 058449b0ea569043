// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `irqscope hunt`: the load under which a response is latest.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use irqscope_analysis::{At, CasePath, derive};
use irqscope_hunt::{Mixture, Outcome, Pool, Search, shrunk};
use irqscope_quantity::Span;
use irqscope_rig::{RigError, Stop};
use irqscope_run::{Probe, RunDir, fresh_name, resolve};
use irqscope_scenario::{Overrides, Payload, Scenario, ScenarioFile};
use irqscope_wire::{Load, Stage};
use serde::Serialize;
use toml::{Table, Value};

use super::probing::{check_rig, check_view, console, stage, usage};
use super::run::carry_out;
use super::{Done, print_json};
use crate::cli::Hunt;
use crate::exit::{Exit, Trouble};
use crate::interrupt::stop_on_signals;

/// Mixtures that are chosen before the outcomes of any of them count, so that a search does not
/// depend on which guest was faster.
const BATCH: usize = 16;

/// Part of the latency found that the reduced mixture still has.
const KEPT: f64 = 0.9;

/// Keys that count unless the command line sets them: triggers far enough apart that each response of a
/// millisecond is measured, and memory for the packages.
const DEFAULTS: [(&str, &str); 6] = [
    ("trigger.period", "\"2111us\""),
    ("trigger.jitter", "\"uniform\""),
    ("trigger.jitter-amount", "\"1ms\""),
    ("trigger.count", "150"),
    ("twin.memory", "1024"),
    ("twin.limit", "120"),
];

#[derive(Serialize)]
struct Found {
    stage: &'static str,
    latency_ns: u64,
    measured: usize,
    failed: Vec<(String, String)>,
    failures: usize,
    scenario: String,
    run: String,
    /// Functions of the worst response with the instructions that they took.
    functions: Vec<(String, u64)>,
}

pub fn hunt(options: &Hunt) -> Done {
    let stage = stage(&options.execution)?;
    let stop = stop_on_signals()?;
    let file = ScenarioFile::load(&options.execution.scenario)?;
    let base = resolve(&file, overrides(options, stage), &stop)
        .map_err(irqscope_run::ExecuteError::from)?;
    check_rig(&base)?;
    check_view(&base)?;
    if base.kernels.len() != 1 {
        return usage("a hunt is on one kernel: choose by --kernel");
    }
    // It was checked as the user gave it; its copies name the same files from elsewhere.
    let mut overrides = options.execution.how.overrides();
    overrides.allow_commands();
    let mut table: Table = (base.to_toml().parse())
        .map_err(|error| Trouble::new(Exit::Usage, format!("the scenario: {error}")))?;
    let own = take_loads(&mut table, &dir(&options.execution.scenario)?);
    let mut pool =
        Pool::new(Load::ALL.iter().filter(|load| is_mixed(**load)).map(|load| load.name()), own);
    if !options.source.is_empty()
        && let Err(name) = pool.keep(&options.source)
    {
        return usage(format!(
            "there is no load {name}: name one of the tool's, one of the scenario's, or stress-ng:NAME"
        ));
    }
    let out = out(options, &base);
    let saved = beside(&out);
    for path in [&out, &saved] {
        if path.symlink_metadata().is_ok() {
            return usage(format!("{} exists: choose another --out", path.display()));
        }
    }
    let count = base.cases()[0].plan.stages().map_or(1, |asked| asked.count);
    let range = Range {
        file,
        table,
        count,
        one_cpu: base.twin.cpus == 1,
        overrides,
        jobs: super::run::jobs(&options.execution.how),
        probes: Mutex::default(),
        stop,
    };
    let search = range.search(options, Search::new(pool, options.search_seed))?;
    let failed: Vec<(String, String)> =
        search.failed().into_iter().map(|(name, why)| (name, why.to_owned())).collect();
    let (measured, failures) = search.measured();
    let Some((mixture, latency, seq)) = search.best() else {
        let why = failed.first().map_or("", |failed| &failed.1);
        return Err(Trouble::new(Exit::Invalid, format!("no mixture could be measured: {why}")));
    };
    eprintln!("irqscope: {} found; it is reduced", Span(latency));
    let least = (latency as f64 * KEPT) as u64;
    let (mixture, latency, seq) =
        shrunk((mixture.clone(), latency, seq), least, |all| range.measure(search.pool(), all))?;
    let about = format!(
        "Found by irqscope hunt: {stage} of trigger {seq} is answered after {}",
        Span(latency)
    );
    let text = mixture.scenario(search.pool(), &range.table, count, &about);
    std::fs::write(&saved, &text)
        .map_err(|error| Trouble::new(Exit::Usage, format!("{}: {error}", saved.display())))?;
    let (run, functions) = range.repeat((&text, &saved), &out, options, (stage, latency, seq))?;
    let found = Found {
        stage: stage.name(),
        latency_ns: latency,
        measured,
        failed,
        failures,
        scenario: saved.display().to_string(),
        run: run.path().display().to_string(),
        functions,
    };
    if options.json {
        return print_json(&found).map(|()| Exit::Fine);
    }
    print!("{}", report(&found, &text));
    Ok(Exit::Fine)
}

/// Returns whether a load can be mixed with others: a hog starves everything by design, and
/// two need programs that a guest has by packages only.
fn is_mixed(load: Load) -> bool {
    !matches!(load, Load::Hog | Load::Hackbench | Load::StressNg | Load::Network)
}

fn overrides(options: &Hunt, stage: Stage) -> Overrides {
    let mut overrides = options.execution.how.overrides();
    for (key, value) in DEFAULTS {
        overrides.set(key, value);
    }
    options.execution.changes.add_to(&mut overrides);
    overrides.set_list("stages", &[stage.name()]);
    overrides
}

/// Takes states and loads out of a scenario, in which files get absolute paths; returns the loads.
fn take_loads(table: &mut Table, dir: &Path) -> Vec<(String, Table)> {
    table.remove("state");
    if let Some(Value::Array(modules)) = table.get_mut("modules") {
        let has_path = |word: &str| {
            let source = word.split_whitespace().next().unwrap_or_default();
            source.contains('/') || source.ends_with(".ko")
        };
        absolute(modules, dir, has_path);
    }
    let Some(Value::Table(loads)) = table.remove("load") else { return Vec::new() };
    let table = |(name, load)| {
        let Value::Table(mut load) = load else { return None };
        if let Some(Value::Array(files)) = load.get_mut("files") {
            absolute(files, dir, |_| true);
        }
        Some((name, load))
    };
    loads.into_iter().filter_map(table).collect()
}

/// Makes those texts that begin with a path begin with an absolute one.
fn absolute(texts: &mut [Value], dir: &Path, has_path: impl Fn(&str) -> bool) {
    for text in texts {
        if let Value::String(text) = text
            && has_path(text)
        {
            *text = dir.join(&*text).display().to_string();
        }
    }
}

/// Returns the directory that a scenario's paths count from.
fn dir(scenario: &str) -> Result<PathBuf, Trouble> {
    let place = Path::new(scenario).parent().unwrap_or(Path::new(""));
    let failed = |error| Trouble::new(Exit::Usage, format!("{scenario}: {error}"));
    std::path::absolute(Path::new(".").join(place)).map_err(failed)
}

/// Returns the place of the scenario of a run: its name and `.toml`.
fn beside(out: &Path) -> PathBuf {
    let mut name = out.file_name().unwrap_or_default().to_owned();
    name.push(".toml");
    out.with_file_name(name)
}

fn out(options: &Hunt, base: &Scenario) -> PathBuf {
    let fresh = || {
        let name = format!("{}-hunted", base.name);
        fresh_name(Path::new("runs"), &name, std::time::SystemTime::now())
    };
    options.execution.how.out.clone().unwrap_or_else(fresh)
}

/// Where mixtures are measured.
struct Range {
    file: ScenarioFile,
    /// The scenario without states and loads.
    table: Table,
    count: u64,
    one_cpu: bool,
    overrides: Overrides,
    jobs: usize,
    /// Prepared rigs, by the payload of their guests.
    probes: Mutex<Vec<(Payload, Arc<Probe>)>>,
    stop: Stop,
}

impl Range {
    fn search(&self, options: &Hunt, mut search: Search) -> Result<Search, Trouble> {
        let until = Instant::now() + Duration::from_nanos(options.budget.0);
        while Instant::now() < until {
            let left = (options.candidates as usize).saturating_sub(search.measured().0);
            let batch = search.batch(BATCH.min(left));
            if batch.is_empty() {
                break;
            }
            let outcomes = self.measure(search.pool(), &batch)?;
            for (mixture, outcome) in batch.into_iter().zip(outcomes) {
                search.learn(mixture, outcome);
            }
            let (measured, failed) = search.measured();
            let best = search.best().map_or(0, |best| best.1);
            let left = until.saturating_duration_since(Instant::now()).as_secs();
            eprintln!(
                "irqscope: {measured} mixtures, {failed} failed, longest {}; {left} s left",
                Span(best)
            );
        }
        Ok(search)
    }

    /// Measures mixtures side by side and returns their outcomes in the same order.
    fn measure(&self, pool: &Pool, all: &[Mixture]) -> Result<Vec<Outcome>, Trouble> {
        let (next, outcomes) = (AtomicUsize::new(0), Mutex::new(vec![None; all.len()]));
        let work = || {
            let console = console()?;
            while let Some((at, mixture)) = {
                let at = next.fetch_add(1, Ordering::Relaxed);
                all.get(at).map(|mixture| (at, mixture))
            } {
                let text = mixture.scenario(pool, &self.table, self.count, "");
                let outcome = self.one(&text, console.path())?;
                outcomes.lock().unwrap_or_else(PoisonError::into_inner)[at] = Some(outcome);
            }
            Ok(())
        };
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..self.jobs).map(|_| scope.spawn(work)).collect();
            threads.into_iter().try_for_each(|one| {
                one.join().unwrap_or_else(|_| Err(Trouble::new(Exit::Lost, "a thread panicked")))
            })
        })?;
        let outcomes = outcomes.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ok(outcomes.into_iter().flatten().collect())
    }

    fn one(&self, text: &str, console: &Path) -> Result<Outcome, Trouble> {
        let file = ScenarioFile::new(&self.file.name, &self.file.file, text);
        let scenario = resolve(&file, self.overrides.clone(), &self.stop)
            .map_err(irqscope_run::ExecuteError::from)?;
        let probe = self.probe(&scenario)?;
        match probe.longest(&scenario.cases()[0].plan, console, &self.stop) {
            Ok(Some((latency, seq))) => Ok(Outcome::Late(latency, seq)),
            Ok(None) => Ok(Outcome::Failed("no trigger was answered".into())),
            Err(error @ (RigError::Interrupted | RigError::Unready { .. })) => Err(error.into()),
            Err(error) => Ok(Outcome::Failed(error.to_string())),
        }
    }

    fn probe(&self, scenario: &Scenario) -> Result<Arc<Probe>, Trouble> {
        let mut probes = self.probes.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, probe)) = probes.iter().find(|(payload, _)| *payload == scenario.payload) {
            return Ok(probe.clone());
        }
        let say = |what: &str| eprintln!("irqscope: {what}");
        let probe = Arc::new(Probe::prepare(scenario, &say, &self.stop)?);
        probes.push((scenario.payload.clone(), probe.clone()));
        Ok(probe)
    }

    /// Runs what was found as a run of its own, with the paths up to the worst response.
    fn repeat(
        &self,
        (text, saved): (&str, &Path),
        out: &Path,
        options: &Hunt,
        (stage, latency, seq): (Stage, u64, u64),
    ) -> Result<(RunDir, Vec<(String, u64)>), Trouble> {
        let name = saved.file_stem().unwrap_or_default().to_string_lossy();
        let file = ScenarioFile::new(name, saved.display().to_string(), text);
        let mut overrides = self.overrides.clone();
        if self.one_cpu {
            overrides.set("twin.trace", seq + 1);
        }
        let mut how = options.execution.how.clone();
        how.out = Some(out.to_owned());
        let run = carry_out(&file, overrides, &how)?;
        derive(&run)?;
        if !self.one_cpu {
            return Ok((run, Vec::new()));
        }
        let path = CasePath::open(&run, None)?;
        let sample = path.choose(stage, At::Seq(seq))?;
        if u64::try_from(sample.latency_ns) != Ok(latency) {
            let what = format!(
                "the same scenario gave {} and then {}: report this",
                Span(latency),
                Span(sample.latency_ns.unsigned_abs())
            );
            return Err(Trouble::new(Exit::Invalid, what));
        }
        let functions = path.tree(&sample)?.functions();
        let functions = functions.into_iter().take(5).map(|one| (one.function, one.own)).collect();
        Ok((run, functions))
    }
}

fn report(found: &Found, text: &str) -> String {
    let Found { stage, latency_ns, measured, failures, scenario, run, functions, .. } = found;
    let mut all = format!(
        "The latest response of stage {stage} in {measured} mixtures of loads is {}\n\
         ({failures} could not be measured). This scenario repeats it:\n\n{text}\n",
        Span(*latency_ns)
    );
    if !functions.is_empty() {
        all += "Most of its instructions were executed by\n";
        for (name, own) in functions {
            all += &format!("  {own:>9}  {name}\n");
        }
        all.push('\n');
    }
    all + &format!(
        "scenario  {scenario}\nrun       {run}\nnext      irqscope path {run} --stage {stage}\n"
    )
}
