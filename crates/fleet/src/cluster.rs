// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A place that takes its jobs as arrays: all at once, in the cluster's order and at its time. Arrays go on
//! without the fleet's process, and the same command finds them again.

use std::collections::{BTreeMap, BTreeSet};
use std::thread;
use std::time::{Duration, Instant};

use crate::array::{Array, Left, Task};
use crate::job::{Job, Way, quoted};
use crate::journal::What;
use crate::plan::Place;
use crate::pool::{Fleet, LOST};
use crate::process::{Ended, last_words};
use crate::{Result, slurm};

const LOOK: Duration = Duration::from_secs(1);
/// The cluster's controller answers all of its users: it is asked less often than files are looked at.
const ASK: Duration = Duration::from_secs(5);
/// How long a task may be away from the cluster before its status is seen here: file systems of clusters take
/// seconds to show one node's files to another.
const SHOWN: Duration = Duration::from_secs(15);
/// How long an array that was taken back may take to end; Slurm itself takes half a minute.
const LAST: Duration = Duration::from_secs(90);

/// A job that has to be measured.
struct Waiting<'a> {
    job: &'a Job,
    attempt: u32,
    key: Option<String>,
}

/// An array in the cluster.
struct UnderWay {
    array: Array,
    /// Tasks that have not ended, by number.
    open: BTreeSet<usize>,
    begun: BTreeMap<usize, Instant>,
    /// Since when a task has not been in the cluster.
    away: BTreeMap<usize, Instant>,
    late: BTreeSet<usize>,
}

impl UnderWay {
    fn new(array: Array, open: BTreeSet<usize>) -> Self {
        let (begun, away, late) = Default::default();
        Self { array, open, begun, away, late }
    }

    fn task(&self, number: usize) -> &Task {
        &self.array.tasks()[number - 1]
    }
}

impl Fleet<'_> {
    /// Measures jobs in a cluster, with those that an earlier fleet has left there.
    pub(crate) fn cluster(&self, place: &Place, jobs: Vec<&Job>) -> Result<()> {
        let by_name: BTreeMap<&str, &Job> =
            jobs.iter().map(|job| (job.name.as_str(), *job)).collect();
        let mut under_way = self.found_again(place, &by_name)?;
        let there: BTreeSet<String> = under_way
            .iter()
            .flat_map(|one| one.open.iter().map(|number| one.task(*number).job.clone()))
            .collect();
        let mut waiting = Vec::new();
        for job in jobs.into_iter().filter(|job| !there.contains(&job.name)) {
            if self.options.stop.requested() {
                break;
            }
            if let Some(key) = self.key_of(job)? {
                waiting.push(Waiting { job, attempt: 1, key });
            }
        }
        let most = slurm::most_tasks();
        let mut asked = None;
        while !waiting.is_empty() || !under_way.is_empty() {
            if self.options.stop.requested() {
                return self.take_back(&mut under_way, &by_name);
            }
            if !waiting.is_empty() {
                self.submit(place, most, &mut waiting, &mut under_way)?;
            }
            let ask = asked.is_none_or(|at: Instant| at.elapsed() >= ASK);
            if ask {
                asked = Some(Instant::now());
            }
            for one in &mut under_way {
                waiting.extend(self.look(one, ask, &by_name)?);
                if one.open.is_empty() {
                    one.array.record()?;
                }
            }
            under_way.retain(|one| !one.open.is_empty());
            thread::sleep(LOOK);
        }
        Ok(())
    }

    /// Finds the arrays of an earlier fleet. A task of which neither the cluster nor its files know anything
    /// was never submitted.
    fn found_again(&self, place: &Place, jobs: &BTreeMap<&str, &Job>) -> Result<Vec<UnderWay>> {
        let mut found = Vec::new();
        let before = self.directory.outcomes()?;
        let has_begun = |task: &Task| {
            let last = before.get(&task.job).and_then(|of| of.last.as_ref());
            matches!(last, Some(What::Started { attempt, .. }) if *attempt == task.attempt)
        };
        for array in Array::unrecorded(self.directory.path(), &place.name)? {
            let Some(present) = self.present(array.name()) else { break };
            let left = array.left()?;
            let is_open = |number: &usize| {
                let wanted = jobs.contains_key(array.tasks()[number - 1].job.as_str());
                let is_there = present.contains(number) || left.contains_key(number);
                wanted && is_there && left.get(number) != Some(&Left::Recorded)
            };
            let open: BTreeSet<usize> = (1..=array.tasks().len()).filter(is_open).collect();
            if open.is_empty() {
                array.record()?;
                continue;
            }
            self.progress.say(&format!(
                "{} jobs of an earlier call are in the cluster or were measured there",
                open.len()
            ));
            let mut one = UnderWay::new(array, open);
            let begun = one.open.iter().filter(|number| has_begun(one.task(**number)));
            one.begun = begun.map(|number| (*number, Instant::now())).collect();
            found.push(one);
        }
        Ok(found)
    }

    /// Returns the tasks of an array that are in the cluster, as soon as its controller answers: without an
    /// answer they might be measured twice. `None` if the fleet is asked to end meanwhile.
    fn present(&self, name: &str) -> Option<BTreeSet<usize>> {
        let mut said = false;
        loop {
            match slurm::present(name) {
                Ok(present) => return Some(present),
                Err(_) if self.options.stop.requested() => return None,
                Err(why) if !said => {
                    self.progress.say(&format!("the cluster does not answer: {why}"))
                }
                Err(_) => {}
            }
            said = true;
            thread::sleep(LOOK);
        }
    }

    /// Submits what waits, as far as the cluster takes it. The rest waits for the end of what is there, and
    /// fails where nothing is.
    fn submit(
        &self,
        place: &Place,
        most: usize,
        waiting: &mut Vec<Waiting>,
        under_way: &mut Vec<UnderWay>,
    ) -> Result<()> {
        while !waiting.is_empty() {
            let some = &waiting[..waiting.len().min(most)];
            // Two attempts of a job in one array would have the same directory.
            let tasks = some.iter().map(|one| self.task(one)).collect();
            let array = Array::create(self.directory.path(), &place.name, tasks)?;
            let count = some.len();
            let submitted = slurm::submit(&slurm::Submission {
                name: array.name(),
                options: place.slurm.as_deref().unwrap_or_default(),
                tasks: count,
                at_once: place.at_once,
                script: &array.directory().join("script"),
                words: array.directory(),
            });
            // An answer can be lost on its way.
            let is_there = || slurm::present(array.name()).is_ok_and(|present| !present.is_empty());
            match submitted.or_else(|why| if is_there() { Ok(()) } else { Err(why) }) {
                Ok(()) => {
                    self.progress.say(&format!("{count} jobs are submitted as {}", array.name()));
                    waiting.drain(..count);
                    under_way.push(UnderWay::new(array, (1..=count).collect()));
                }
                Err(why) => {
                    array.record()?;
                    if under_way.is_empty() {
                        for one in waiting.drain(..) {
                            let what = What::Failed { exit: Some(1), why: why.clone() };
                            self.ended(one.job, what)?;
                        }
                    }
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Returns the task of a job, and its command with redirections.
    fn task(&self, one: &Waiting) -> (Task, String) {
        let run = self.directory.next_run(&one.job.name);
        let trust = &self.options.trust;
        let out = self.directory.path().join(&run);
        let program = self.options.program.display().to_string();
        let arguments = one.job.arguments(&Way::default(), &out, trust);
        let words = std::iter::once(program).chain(arguments);
        let command = words.map(|word| quoted(&word)).collect::<Vec<_>>().join(" ");
        let log = quoted(&self.directory.log(&one.job.name).display().to_string());
        let (job, key) = (one.job.name.clone(), one.key.clone());
        (Task { job, run, attempt: one.attempt, key }, format!("{command} >>{log} 2>&1"))
    }

    /// Looks at what an array's tasks have left, and returns those that are to be tried again.
    fn look<'a>(
        &self,
        one: &mut UnderWay,
        ask: bool,
        jobs: &BTreeMap<&str, &'a Job>,
    ) -> Result<Vec<Waiting<'a>>> {
        let left = one.array.left()?;
        // A controller that does not answer has not lost the tasks.
        let present = if ask { slurm::present(one.array.name()).ok() } else { None };
        let mut again = Vec::new();
        for number in one.open.clone() {
            let job = jobs[one.task(number).job.as_str()];
            let state = left.get(&number);
            if state.is_some() {
                self.begins(one, number)?;
            }
            let what = match state {
                Some(Left::Ended { exit, seconds }) => {
                    Some(self.task_ended(one, number, *exit, *seconds))
                }
                Some(Left::Begun) if self.is_late(one, number) => Some(self.became(
                    &Ended::Late,
                    &self.directory.log(&job.name),
                    What::Interrupted,
                )),
                _ if present.is_some() => self.away(one, number, present.as_ref()),
                _ => None,
            };
            let Some(what) = what else { continue };
            let Task { attempt, key, .. } = one.task(number).clone();
            if self.settle(job, attempt, what)? {
                again.push(Waiting { job, attempt: attempt + 1, key });
            }
            one.open.remove(&number);
            one.array.record_task(number)?;
        }
        Ok(again)
    }

    /// Notes once that a task has begun.
    fn begins(&self, one: &mut UnderWay, number: usize) -> Result<()> {
        if one.begun.contains_key(&number) {
            return Ok(());
        }
        one.begun.insert(number, Instant::now());
        let Task { job, attempt, .. } = one.task(number);
        self.progress.started(job);
        self.journal.write(job, What::Started { attempt: *attempt, machine: None })
    }

    fn task_ended(&self, one: &UnderWay, number: usize, exit: i32, seconds: u64) -> What {
        let Task { job, run, key, .. } = one.task(number).clone();
        let done = What::Done { run, seconds, machine: None, key };
        // As a shell gives the status of a process that a signal ended.
        let exit = (exit < 128 || exit == 130).then_some(exit);
        self.became(&Ended::Itself(exit), &self.directory.log(&job), done)
    }

    /// Returns whether a task has had its time, and takes it back then.
    fn is_late(&self, one: &mut UnderWay, number: usize) -> bool {
        let late = one.begun.get(&number).is_some_and(|begun| begun.elapsed() > self.plan.limit);
        if late && one.late.insert(number) {
            let _ = slurm::cancel(one.array.name(), Some(number));
        }
        late
    }

    /// Returns what became of a task that is no longer in the cluster and has left no status.
    fn away(
        &self,
        one: &mut UnderWay,
        number: usize,
        present: Option<&BTreeSet<usize>>,
    ) -> Option<What> {
        if present?.contains(&number) {
            one.away.remove(&number);
            return None;
        }
        let since = *one.away.entry(number).or_insert_with(Instant::now);
        (since.elapsed() > SHOWN).then(|| What::Failed {
            exit: Some(LOST),
            why: format!("the cluster ended it: {}", last_words(&one.array.words(number))),
        })
    }

    /// Takes all arrays back, and waits until nothing of them runs.
    fn take_back(&self, under_way: &mut [UnderWay], jobs: &BTreeMap<&str, &Job>) -> Result<()> {
        let mut taken = Vec::new();
        for one in under_way {
            match slurm::cancel(one.array.name(), None) {
                Ok(()) => taken.push(one),
                // A later call finds it.
                Err(why) => {
                    self.progress.say(&format!("scancel -n {}: {why}", one.array.name()));
                }
            }
        }
        let end = Instant::now() + LAST;
        for one in taken {
            let name = one.array.name().to_owned();
            while slurm::present(&name).is_ok_and(|left| !left.is_empty()) && Instant::now() < end {
                thread::sleep(LOOK);
            }
            let left = one.array.left()?;
            for number in one.open.clone() {
                let Some(state) = left.get(&number) else { continue };
                self.begins(one, number)?;
                let what = match state {
                    Left::Ended { exit, seconds } => self.task_ended(one, number, *exit, *seconds),
                    Left::Begun | Left::Recorded => What::Interrupted,
                };
                self.ended(jobs[one.task(number).job.as_str()], what)?;
            }
            one.array.record()?;
        }
        Ok(())
    }
}
