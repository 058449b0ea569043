// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A fleet at work: jobs to places, as many at the same time as the places take.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use irqscope_rig::Stop;

use crate::job::{Job, Trust, Way};
use crate::journal::{Directory, Journal, Outcome, What};
use crate::known::{self, Known};
use crate::lake::Lake;
use crate::plan::{Place, Plan, Where};
use crate::process::{Ended, last_words, run as run_process};
use crate::{Result, labgrid, locked};

/// The exit status of a measurement whose rig was lost, which may be tried again.
pub(crate) const LOST: i32 = 3;

/// The manner of working.
#[derive(Clone, Debug)]
pub struct Options {
    /// The program that measures.
    pub program: PathBuf,
    /// Jobs at the same time in a place that has no number of its own.
    pub at_once: usize,
    /// Directories of other fleets whose results count, too.
    pub known: Vec<PathBuf>,
    /// The trust in the plan's scenarios.
    pub trust: Trust,
    /// The lake that takes each run.
    pub lake: Option<Lake>,
    /// Measure all, also what is known.
    pub anew: bool,
    /// Asks for the end.
    pub stop: Stop,
}

/// Receives events as they happen.
pub trait Progress: Sync {
    /// Notes that a job was started.
    fn started(&self, job: &str);
    /// Notes how a job ended; `left` are those that are not done.
    fn ended(&self, job: &str, what: &What, left: usize);
    /// Prints a line.
    fn say(&self, line: &str);
}

pub(crate) struct Fleet<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) directory: &'a Directory,
    pub(crate) journal: Journal,
    pub(crate) options: &'a Options,
    pub(crate) progress: &'a dyn Progress,
    known: Mutex<Known>,
    digest: Option<String>,
    left: Mutex<usize>,
}

/// Measures all jobs of a plan that have no result yet, and returns what became of each.
///
/// # Errors
/// The directory's and the journal's, and a missing part of the program. A job that fails is no error.
pub fn run(
    plan: &Plan,
    directory: &Directory,
    options: &Options,
    progress: &dyn Progress,
) -> Result<BTreeMap<String, Outcome>> {
    let journal = Journal::open(directory)?;
    let before = directory.outcomes()?;
    let done = |job: &&Job| before.get(&job.name).is_some_and(|of| of.run().is_some());
    let (there, todo): (Vec<&Job>, Vec<&Job>) = plan.jobs.iter().partition(done);
    if !there.is_empty() {
        progress.say(&format!("{} of {} jobs are done already", there.len(), plan.jobs.len()));
    }
    let mut known = Known::default();
    for path in &options.known {
        known.add(&Directory::open(path)?)?;
    }
    known.add(directory)?;
    let here = todo.iter().any(|job| plan.places[&job.place].at == Where::Here);
    let digest = here.then(|| known::of_program(&options.program)).transpose()?;
    let (known, left) = (Mutex::new(known), Mutex::new(todo.len()));
    let fleet = Fleet { plan, directory, journal, options, progress, known, digest, left };
    fleet.keep_earlier(&there, &before)?;
    fleet.all(&todo)?;
    directory.outcomes()
}

impl Fleet<'_> {
    /// Hands each job to its place when that has room. A thread for each job that is under way, and one
    /// for each cluster that takes arrays.
    fn all(&self, todo: &[&Job]) -> Result<()> {
        let mut waiting: Vec<&Job> = todo.iter().rev().copied().collect();
        let mut arrays: BTreeMap<&str, Vec<&Job>> = BTreeMap::new();
        waiting.retain(|job| {
            let goes_along = self.plan.places[&job.place].slurm.is_some();
            if goes_along {
                arrays.entry(&job.place).or_default().insert(0, job);
            }
            !goes_along
        });
        let mut under_way: BTreeMap<&str, usize> = BTreeMap::new();
        let (report, reports) = mpsc::channel();
        let mut trouble = None;
        thread::scope(|scope| {
            for (place, jobs) in arrays {
                let report = report.clone();
                *under_way.entry(place).or_default() += 1;
                scope.spawn(move || {
                    let ended = self.cluster(&self.plan.places[place], jobs);
                    let _ = report.send((place, ended));
                });
            }
            loop {
                let stopped = self.options.stop.requested() || trouble.is_some();
                let room = |job: &&Job| {
                    let place = &self.plan.places[&job.place];
                    under_way.get(job.place.as_str()).copied().unwrap_or(0) < self.at_once(place)
                };
                let next = if stopped { None } else { waiting.iter().rposition(room) };
                if let Some(at) = next {
                    let (job, report) = (waiting.remove(at), report.clone());
                    *under_way.entry(&job.place).or_default() += 1;
                    scope.spawn(move || {
                        let ended = self.one(job);
                        let _ = report.send((job.place.as_str(), ended));
                    });
                    continue;
                }
                if under_way.values().sum::<usize>() == 0 {
                    return;
                }
                let Ok((place, ended)) = reports.recv() else { return };
                *under_way.entry(place).or_default() -= 1;
                if let Err(error) = ended {
                    trouble = trouble.take().or(Some(error));
                }
            }
        });
        trouble.map_or(Ok(()), Err)
    }

    /// Puts runs of an earlier call into the lake that are not there yet.
    fn keep_earlier(&self, jobs: &[&Job], before: &BTreeMap<String, Outcome>) -> Result<()> {
        let Some(lake) = &self.options.lake else { return Ok(()) };
        for job in jobs {
            let Some(of) = before.get(&job.name) else { continue };
            let is_there = matches!(of.lakes.get(&lake.url), Some(None));
            if let (Some(what), false) = (&of.last, is_there || self.options.stop.requested()) {
                self.keep(lake, job, what)?;
            }
        }
        Ok(())
    }

    /// Puts the run of a result into the lake, with the name of the machine or of the place.
    fn keep(&self, lake: &Lake, job: &Job, result: &What) -> Result<()> {
        let (run, machine) = match result {
            What::Done { run, machine, .. } => (run, machine.as_deref()),
            What::Known { run, .. } => (run, None),
            _ => return Ok(()),
        };
        let (run, url) = (self.directory.path().join(run), lake.url.clone());
        let log = self.directory.log(&format!("{}.lake", job.name));
        let place = machine.unwrap_or(&job.place);
        let what = match lake.add(&run, place, &log, &self.options.stop)? {
            None => What::Kept { lake: url },
            Some(why) => {
                self.progress.say(&format!("{}: not in the lake: {why}", job.name));
                What::NotKept { lake: url, why }
            }
        };
        self.journal.write(&job.name, what)
    }

    fn at_once(&self, place: &Place) -> usize {
        place.at_once.unwrap_or(self.options.at_once)
    }

    fn one(&self, job: &Job) -> Result<()> {
        let place = &self.plan.places[&job.place];
        let Some(key) = self.key_of(job)? else { return Ok(()) };
        for attempt in 1.. {
            let what = self.attempt(job, place, attempt, key.as_deref())?;
            if !self.settle(job, attempt, what)? {
                break;
            }
        }
        Ok(())
    }

    /// Notes how an attempt ended, counted from 1, and returns whether there is to be another one.
    pub(crate) fn settle(&self, job: &Job, attempt: u32, what: What) -> Result<bool> {
        let lost = matches!(&what, What::Failed { exit: Some(LOST), .. });
        if !lost || attempt > self.plan.retries || self.options.stop.requested() {
            return self.ended(job, what).map(|()| false);
        }
        self.progress.say(&format!("{}: its rig was lost; it is tried again", job.name));
        self.journal.write(&job.name, what).map(|()| true)
    }

    /// Returns the key of a job that has to be measured, if it has one; `None` if the job has ended,
    /// because its result is known or its key cannot be found.
    pub(crate) fn key_of(&self, job: &Job) -> Result<Option<Option<String>>> {
        let place = &self.plan.places[&job.place];
        let Options { trust, stop, .. } = self.options;
        let key = match &self.digest {
            Some(digest) if place.at == Where::Here => {
                match known::key(job, &place.at, trust, digest, stop) {
                    Ok(key) => key,
                    // The kernel, say, cannot be had: the job fails, and the others go on.
                    Err(error) => {
                        let what = What::Failed { exit: Some(2), why: error.to_string() };
                        return self.ended(job, what).map(|()| None);
                    }
                }
            }
            _ => None,
        };
        if let Some(key) = key.as_ref().filter(|_| !self.options.anew) {
            let run = locked(&self.known).get(key);
            if let Some(run) = run {
                let what = What::Known { run: self.seen_from_here(run), key: key.clone() };
                return self.ended(job, what).map(|()| None);
            }
        }
        Ok(Some(key))
    }

    /// Measures once.
    fn attempt(&self, job: &Job, place: &Place, attempt: u32, key: Option<&str>) -> Result<What> {
        let stop = &self.options.stop;
        let board = place.connect.clone();
        match &place.at {
            Where::Here => {
                self.measure(job, &Way { connect: board, ..Way::default() }, attempt, key, None)
            }
            Where::Host(host) => {
                let way = Way { host: Some(host.clone()), port: None, connect: board };
                self.measure(job, &way, attempt, key, None)
            }
            Where::Labgrid(tags) => {
                let log = self.directory.log(&job.name);
                let mut target = match labgrid::Target::reserve(
                    tags,
                    &log,
                    &|line| self.progress.say(line),
                    stop,
                ) {
                    Ok(target) => target,
                    Err(_) if stop.requested() => return Ok(What::Interrupted),
                    Err(why) => return Ok(What::Failed { exit: Some(2), why }),
                };
                let mut way = target.way().clone();
                way.connect = board.or(way.connect);
                let name = Some(target.name().to_owned());
                let what = self.measure(job, &way, attempt, key, name)?;
                if matches!(what, What::Failed { exit: Some(LOST) | None, .. }) {
                    target.power_cycle(&log);
                }
                Ok(what)
            }
        }
    }

    fn measure(
        &self,
        job: &Job,
        way: &Way,
        attempt: u32,
        key: Option<&str>,
        machine: Option<String>,
    ) -> Result<What> {
        let Options { program, trust, stop, .. } = self.options;
        let (run, log) = (self.directory.next_run(&job.name), self.directory.log(&job.name));
        self.journal.write(&job.name, What::Started { attempt, machine: machine.clone() })?;
        self.progress.started(&job.name);
        let begin = Instant::now();
        let own = std::iter::once(program.display().to_string());
        let arguments = job.arguments(way, &self.directory.path().join(&run), trust);
        let launcher = &self.plan.places[&job.place].launcher;
        let command: Vec<String> = launcher.iter().cloned().chain(own).chain(arguments).collect();
        let ended = run_process(&command, &log, self.plan.limit, stop)?;
        let (seconds, key) = (begin.elapsed().as_secs(), key.map(str::to_owned));
        Ok(self.became(&ended, &log, What::Done { run, seconds, machine, key }))
    }

    /// Returns what became of a measurement whose process ended, with what it is if it ended well.
    pub(crate) fn became(&self, ended: &Ended, log: &Path, done: What) -> What {
        let failed = |exit, why: String| What::Failed { exit, why };
        match ended {
            Ended::Itself(Some(0)) => done,
            // The measurement was asked to end by someone else.
            Ended::Stopped | Ended::Itself(Some(130)) => What::Interrupted,
            Ended::Itself(Some(exit)) => failed(Some(*exit), last_words(log)),
            Ended::Itself(None) => failed(Some(LOST), "it was ended by a signal".into()),
            Ended::Late => {
                let limit =
                    humantime::format_duration(Duration::from_secs(self.plan.limit.as_secs()));
                failed(None, format!("not done within {limit}; the plan's limit says how long"))
            }
        }
    }

    pub(crate) fn ended(&self, job: &Job, what: What) -> Result<()> {
        self.journal.write(&job.name, what.clone())?;
        if let What::Done { run, key: Some(key), .. } = &what {
            locked(&self.known).insert(key.clone(), self.directory.path().join(run));
        }
        if let Some(lake) = &self.options.lake {
            self.keep(lake, job, &what)?;
        }
        let left = {
            let mut left = locked(&self.left);
            *left -= usize::from(*left > 0);
            *left
        };
        self.progress.ended(&job.name, &what, left);
        Ok(())
    }

    /// Returns a run seen from the fleet's directory where it lies in it.
    fn seen_from_here(&self, run: PathBuf) -> PathBuf {
        let inside = run.strip_prefix(self.directory.path()).map(PathBuf::from);
        inside.unwrap_or_else(|_| std::path::absolute(&run).unwrap_or(run))
    }
}
