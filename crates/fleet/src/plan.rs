// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Plans: TOML in, jobs out.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;

use crate::job::{Job, Trust};
use crate::{FleetError, Result, slurm};

/// The version of plans that this program reads.
const VERSION: u32 = 1;
/// A plan of more jobs is a mistake.
const MOST_JOBS: usize = 100_000;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Raw {
    version: u32,
    #[serde(default)]
    about: String,
    scenarios: Vec<String>,
    #[serde(default)]
    kernels: Vec<String>,
    #[serde(default)]
    set: Vec<String>,
    #[serde(default)]
    seeds: Vec<u64>,
    #[serde(default)]
    limit: Option<String>,
    #[serde(default = "once")]
    retries: u32,
    #[serde(default)]
    place: BTreeMap<String, RawPlace>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct RawPlace {
    host: Option<String>,
    connect: Option<String>,
    #[serde(default)]
    tags: BTreeMap<String, String>,
    #[serde(default)]
    set: Vec<String>,
    #[serde(default)]
    launcher: Vec<String>,
    slurm: Option<Vec<String>>,
    at_once: Option<usize>,
}

fn once() -> u32 {
    1
}

/// Where a job measures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Where {
    /// On this machine, as its scenario says: a guest, or the machine itself.
    Here,
    /// On a machine that is reached over ssh.
    Host(String),
    /// At whichever place of labgrid has these tags and is free.
    Labgrid(BTreeMap<String, String>),
}

/// A place of the plan.
#[derive(Clone, Debug)]
pub struct Place {
    /// Its name in the plan.
    pub name: String,
    /// Where it is.
    pub at: Where,
    /// The board that is wired to it.
    pub connect: Option<String>,
    /// Jobs that it takes at the same time; none: as many as the command says.
    pub at_once: Option<usize>,
    /// The program with its arguments that starts a job elsewhere, such as Slurm's `srun`; empty: this one does.
    pub launcher: Vec<String>,
    /// Options of `sbatch`, to which jobs go as arrays; none: they do not.
    pub slurm: Option<Vec<String>>,
    set: Vec<String>,
}

impl Place {
    /// Returns whether what is measured there boots kernels, or runs one of its own.
    fn boots(&self) -> bool {
        self.at == Where::Here
    }

    /// Returns what comes before a job's command.
    pub fn begin(&self) -> Vec<String> {
        let sbatch = |options: &Vec<String>| {
            std::iter::once("sbatch".to_owned()).chain(options.iter().cloned()).collect()
        };
        self.slurm.as_ref().map_or_else(|| self.launcher.clone(), sbatch)
    }
}

/// A plan that was checked.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Its file.
    pub path: PathBuf,
    /// The words about it.
    pub about: String,
    /// The file's text.
    pub text: String,
    /// All jobs, in the plan's order.
    pub jobs: Vec<Job>,
    /// Places by name.
    pub places: BTreeMap<String, Place>,
    /// The time that a job may take.
    pub limit: Duration,
    /// How often a job whose rig was lost is tried again.
    pub retries: u32,
}

impl Plan {
    /// Reads a plan and checks all of its scenarios.
    ///
    /// # Errors
    /// The file or a scenario cannot be read, or is wrong: what, and where.
    pub fn load(path: &Path, trust: &Trust) -> Result<Self> {
        let plan = Self::read(path)?;
        plan.check_launchers(trust)?;
        plan.check_scenarios(trust)?;
        Ok(plan)
    }

    /// Reads a plan without a look at its scenarios.
    ///
    /// # Errors
    /// The file cannot be read, or is wrong: what, and where.
    pub fn read(path: &Path) -> Result<Self> {
        let text = fs::read_to_string(path).map_err(|error| FleetError::read(path, error))?;
        let wrong = |text: String| FleetError::Plan { path: path.to_owned(), text };
        let raw: Raw = toml::from_str(&text).map_err(|error| wrong(error.to_string()))?;
        let checked = raw.check().map_err(wrong)?;
        let directory = path.parent().unwrap_or(Path::new(""));
        let jobs = jobs(&raw, &checked.0, directory).map_err(wrong)?;
        let (places, limit) = checked;
        Ok(Self {
            path: path.to_owned(),
            about: raw.about,
            text,
            jobs,
            places,
            limit,
            retries: raw.retries,
        })
    }
}

impl Plan {
    /// Refuses launchers that are not trusted, or not there; so it does with Slurm's programs.
    fn check_launchers(&self, trust: &Trust) -> Result<()> {
        for place in self.places.values() {
            let (key, programs) = match (&place.slurm, place.launcher.first()) {
                (Some(_), _) => ("slurm", slurm::PROGRAMS.to_vec()),
                (None, Some(program)) => ("launcher", vec![program.as_str()]),
                (None, None) => continue,
            };
            let key = format!("place.{}.{key}", place.name);
            let text = if !trust.commands {
                format!(
                    "{key} runs {} on this machine; if you trust the plan, add --allow-commands",
                    programs[0]
                )
            } else if let Some(absent) = programs.iter().find(|program| !is_program(program)) {
                format!("{key}: there is no program {absent}")
            } else {
                continue;
            };
            return Err(FleetError::Plan { path: self.path.clone(), text });
        }
        Ok(())
    }

    /// Resolves each scenario with what the plan sets.
    fn check_scenarios(&self, trust: &Trust) -> Result<()> {
        let mut seen = BTreeSet::new();
        for job in &self.jobs {
            if seen.insert((&job.scenario, &job.kernel, &job.set, &job.place)) {
                job.resolve(&self.path, &self.places[&job.place].at, trust)?;
            }
        }
        Ok(())
    }
}

impl Raw {
    fn check(&self) -> std::result::Result<(BTreeMap<String, Place>, Duration), String> {
        if self.version != VERSION {
            return Err(format!(
                "version = {}: this program reads plans of version {VERSION}",
                self.version
            ));
        }
        if self.scenarios.is_empty() {
            return Err("scenarios is empty: name bundled scenarios or files".into());
        }
        let limit = self.limit.as_deref().unwrap_or("2h");
        let limit = humantime::parse_duration(limit)
            .map_err(|error| format!("limit = \"{limit}\": {error}; write 30m or 2h"))?;
        let mut places = BTreeMap::new();
        for (name, raw) in &self.place {
            places.insert(name.clone(), raw.check(name)?);
        }
        if places.is_empty() {
            places.insert("here".to_owned(), RawPlace::default().check("here")?);
        }
        Ok((places, limit))
    }
}

impl RawPlace {
    fn check(&self, name: &str) -> std::result::Result<Place, String> {
        let at = match (&self.host, self.tags.is_empty()) {
            (Some(_), false) => {
                return Err(format!("place.{name}: a place has a host or tags, not both"));
            }
            (Some(host), true) => Where::Host(host.clone()),
            (None, false) => Where::Labgrid(self.tags.clone()),
            (None, true) => Where::Here,
        };
        let key = if self.slurm.is_some() { "slurm" } else { "a launcher" };
        if (self.slurm.is_some() || !self.launcher.is_empty()) && at != Where::Here {
            return Err(format!(
                "place.{name}: {key} starts jobs that boot guests; with a host or tags there is nothing to launch"
            ));
        }
        if self.slurm.is_some() && !self.launcher.is_empty() {
            return Err(format!("place.{name}: a place has slurm or a launcher, not both"));
        }
        if self.at_once == Some(0) {
            return Err(format!("place.{name}.at-once is 0: at least one job is needed"));
        }
        // A machine of its own would disturb a measurement with another one.
        let at_once = self.at_once.or(matches!(at, Where::Host(_)).then_some(1));
        Ok(Place {
            name: name.to_owned(),
            at,
            connect: self.connect.clone(),
            at_once,
            launcher: self.launcher.clone(),
            slurm: self.slurm.clone(),
            set: self.set.clone(),
        })
    }
}

/// Combines scenarios, kernels, seeds and places.
fn jobs(
    raw: &Raw,
    places: &BTreeMap<String, Place>,
    directory: &Path,
) -> std::result::Result<Vec<Job>, String> {
    let kernels: Vec<_> = raw.kernels.iter().map(Some).collect();
    let seeds: Vec<_> = raw.seeds.iter().copied().map(Some).collect();
    let seeds = if seeds.is_empty() { vec![None] } else { seeds };
    let (mut jobs, mut names) = (Vec::new(), BTreeSet::new());
    for place in places.values() {
        let several = places.len() > 1;
        let kernels =
            if kernels.is_empty() || !place.boots() { vec![None] } else { kernels.clone() };
        for scenario in &raw.scenarios {
            for kernel in &kernels {
                for seed in &seeds {
                    let mut job = Job {
                        name: String::new(),
                        scenario: located(scenario, directory),
                        kernel: kernel.cloned(),
                        seed: *seed,
                        set: raw.set.iter().chain(&place.set).cloned().collect(),
                        place: place.name.clone(),
                    };
                    job.name = job.name_beside(several, &mut names);
                    jobs.push(job);
                    if jobs.len() > MOST_JOBS {
                        return Err(format!("the plan has more than {MOST_JOBS} jobs: divide it"));
                    }
                }
            }
        }
    }
    Ok(jobs)
}

/// Returns whether a program is a file at its path, or in a directory of `PATH`.
fn is_program(name: &str) -> bool {
    if name.contains('/') {
        return Path::new(name).is_file();
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|directory| directory.join(name).is_file())
}

/// Returns a file's path seen from the plan's directory, or a bundled scenario's name.
fn located(scenario: &str, directory: &Path) -> String {
    let path = Path::new(scenario);
    if path.extension().is_none() || path.is_absolute() {
        return scenario.to_owned();
    }
    directory.join(path).display().to_string()
}
