// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `irqscope reproduce`: run the experiments, compare their figures, show both.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use irqscope_report::reproduce::{
    Collection, Experiment, Figures, Outcome, Summaries, listing, markdown, text,
};
use irqscope_run::{RunDir, fresh_name};
use irqscope_scenario::{Overrides, ScenarioFile};

use super::run::carry_out;
use super::{Done, print_json, write_new};
use crate::cli::{How, Reproduce};
use crate::exit::{Exit, Trouble};

pub fn reproduce(options: &Reproduce) -> Done {
    let all = Collection::bundled().map_err(|why| Trouble::new(Exit::Usage, why))?;
    let entries = all.chosen(&options.entries).map_err(|id| {
        Trouble::new(Exit::Usage, format!("there is no entry {id}; irqscope reproduce --list"))
    })?;
    if options.list {
        print!("{}", listing(&entries));
        return Ok(Exit::Fine);
    }
    let fresh = || fresh_name(Path::new("runs"), "reproduce", SystemTime::now());
    let out = options.out.clone().unwrap_or_else(fresh);
    let (mut summaries, mut trouble) = (Summaries::default(), None);
    for name in all.experiments_of(&entries) {
        match figures(&all.experiments[name], name, &out, options.jobs) {
            Ok(figures) => summaries.add(name, Ok(figures)),
            Err(error) if error.exit() == Exit::Interrupted => return Err(error),
            Err(error) => {
                summaries.add(name, Err(format!("{name} could not be run")));
                eprintln!("irqscope: {name}: {error}");
                trouble.get_or_insert(error);
            }
        }
    }
    let outcomes: Vec<Outcome<'_>> =
        entries.iter().map(|entry| Outcome::of(entry, &summaries)).collect();
    if options.json {
        print_json(&outcomes)?;
    } else {
        print!("{}\nruns  {}\n", text(&outcomes), out.display());
    }
    if let Some(page) = &options.markdown {
        write_new(page, markdown(&outcomes))?;
    }
    match trouble {
        Some(trouble) => Err(trouble),
        None if outcomes.iter().all(Outcome::is_explained) => Ok(Exit::Fine),
        None => Ok(Exit::Exceeded),
    }
}

/// Runs an experiment, unless its complete run is there, and derives its figures.
fn figures(
    experiment: &Experiment,
    name: &str,
    out: &Path,
    jobs: Option<u16>,
) -> Result<Figures, Trouble> {
    let file = match (&experiment.scenario, &experiment.text) {
        (Some(bundled), _) => ScenarioFile::load(bundled)?,
        (None, text) => ScenarioFile::new(name, name, text.clone().unwrap_or_default()),
    };
    let mut overrides = Overrides::default();
    for (key, value) in &experiment.set {
        overrides.set(key, value);
    }
    let place: PathBuf = out.join(name);
    let run = match kept(&file, &overrides, &place)? {
        Some(run) => run,
        None => {
            let how = How { out: Some(place), jobs, ..How::default() };
            carry_out(&file, overrides, &how)?
        }
    };
    Ok(Figures::of(&run)?)
}

/// Returns the run of an earlier time, if it is complete and of this very scenario.
fn kept(
    file: &ScenarioFile,
    overrides: &Overrides,
    place: &Path,
) -> Result<Option<RunDir>, Trouble> {
    if place.symlink_metadata().is_err() {
        return Ok(None);
    }
    let run = RunDir::open(place)?;
    let manifest = run.manifest();
    let is_same = manifest.scenario_toml == file.text && manifest.overrides == overrides.lines();
    if manifest.complete && is_same {
        return Ok(Some(run));
    }
    let what = format!(
        "{} has another or an incomplete run: remove it, or name another directory",
        place.display()
    );
    Err(Trouble::new(Exit::Usage, what))
}
