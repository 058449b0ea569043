// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `irqscope hunt`: the load under which a response is latest.

mod found;
mod range;

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use irqscope_hunt::{Pool, Search, shrunk};
use irqscope_run::{fresh_name, resolve};
use irqscope_scenario::{Overrides, Scenario, ScenarioFile};
use irqscope_wire::{Load, Stage};
use toml::{Table, Value};

use self::found::{Found, Longest};
use self::range::{Range, Way};
use super::probing::{check_rig, check_view, figure, stage, usage};
use super::{Done, print_json};
use crate::cli::Hunt;
use crate::exit::{Exit, Trouble};
use crate::interrupt::stop_on_signals;

/// Part of the time in which responses are explained. Then the best mixtures are measured as they are without that,
/// and changed further.
const EXPLORED: f64 = 0.75;

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
            "there is no load {name}: name one of the tool's, one of the scenario's, stress-ng:NAME, or call:NAME"
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
        stage,
        count,
        one_cpu: base.twin.cpus == 1,
        nth: options.nth as usize,
        overrides,
        jobs: super::run::jobs(&options.execution.how),
        probes: Mutex::default(),
        stop,
    };
    let (begin, candidates) = (Instant::now(), options.candidates as usize);
    let until = |part| begin + Duration::from_nanos(options.budget.0).mul_f64(part);
    let new = Search::new(pool, options.search_seed);
    let further = ((candidates as f64 * (1.0 / EXPLORED - 1.0)) as usize).max(1);
    let (explored, search) = if options.unguided {
        (None, range.search(new, Way::Plain, (until(1.0), candidates + further))?)
    } else {
        let explored = range.search(new, Way::Explained, (until(EXPLORED), candidates))?;
        eprintln!("irqscope: the best ones without a record of what responses wait for");
        let search = range.search(explored.confirmation(), Way::Plain, (until(1.0), further))?;
        (Some(explored), search)
    };
    let first = explored.as_ref().unwrap_or(&search);
    let failed: Vec<(String, String)> =
        first.failed().into_iter().map(|(name, why)| (name, why.to_owned())).collect();
    let Some((mixture, late)) = search.best() else {
        let why = failed.first().map_or("", |failed| &failed.1);
        return Err(Trouble::new(Exit::Invalid, format!("no mixture could be measured: {why}")));
    };
    eprintln!("irqscope: {} found; it is reduced", figure(late.latency));
    let least = (late.latency as f64 * KEPT) as u64;
    let (mixture, late) = shrunk((mixture.clone(), late.clone()), least, |all| {
        range.measure(search.pool(), all, Way::Plain)
    })?;
    let about = format!(
        "Found by irqscope hunt: {stage} of trigger {} is answered after {}",
        late.seq,
        figure(late.latency)
    );
    let text = range.scenario(&mixture, search.pool(), &about, Way::Plain);
    std::fs::write(&saved, &text)
        .map_err(|error| Trouble::new(Exit::Usage, format!("{}: {error}", saved.display())))?;
    let (run, functions) = range.repeat((&text, &saved), &out, options, &late)?;
    let searches = || explored.iter().chain([&search]).map(Search::measured);
    let (measured, failures) =
        (searches().map(|one| one.0).sum(), searches().map(|one| one.1).sum());
    let longest = |culprit| Longest::of(culprit, &range, search.pool());
    let found = Found {
        stage: stage.name(),
        nth: options.nth as usize,
        seq: late.seq,
        latency_ns: late.latency,
        answered: late.answered,
        longer_than_half: late.long,
        next_ns: late.next,
        measured,
        failed,
        failures,
        scenario: saved.display().to_string(),
        run: run.path().display().to_string(),
        functions,
        functions_met: first.functions(),
        culprits: first.culprits().into_iter().map(longest).collect(),
    };
    if options.json {
        return print_json(&found).map(|()| Exit::Fine);
    }
    print!("{}", found.report(&text));
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
