// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Where mixtures are measured.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use irqscope_analysis::{At, CasePath, Cause, culprits, derive};
use irqscope_hunt::{HeldUp, Late, Mixture, Outcome, Pool, Search};
use irqscope_rig::{RigError, Stop};
use irqscope_run::{CaseData, Probe, RunDir, resolve};
use irqscope_scenario::{Overrides, Payload, Scenario, ScenarioFile};
use irqscope_wire::{Stage, View};
use toml::Table;

use super::super::probing::{console, figure};
use super::super::run::carry_out;
use crate::cli::Hunt;
use crate::exit::{Exit, Trouble};

/// Mixtures that are chosen before the outcomes of any of them count, so that a search does not
/// depend on which guest was faster.
const BATCH: usize = 16;

/// How a mixture is measured.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// With a record of what responses wait for, which itself makes them later.
    Explained,
    /// As a run without one.
    Plain,
}

/// The payload of a guest, and whether it records what responses wait for.
pub type Kind = (Payload, bool);

/// Where mixtures are measured.
pub struct Range {
    pub file: ScenarioFile,
    /// The scenario without states and loads.
    pub table: Table,
    pub stage: Stage,
    pub count: u64,
    pub one_cpu: bool,
    /// Which of the latest responses counts, from 1 on.
    pub nth: usize,
    pub overrides: Overrides,
    pub jobs: usize,
    /// Prepared rigs, by what their guests are.
    pub probes: Mutex<Vec<(Kind, Arc<Probe>)>>,
    pub stop: Stop,
}

impl Range {
    /// Searches until an instant, or until `most` mixtures were measured; at least one batch.
    pub fn search(
        &self,
        mut search: Search,
        how: Way,
        (until, most): (Instant, usize),
    ) -> Result<Search, Trouble> {
        while search.measured().0 == 0 || Instant::now() < until {
            let left = most.saturating_sub(search.measured().0);
            let batch = search.batch(BATCH.min(left));
            if batch.is_empty() {
                break;
            }
            let outcomes = self.measure(search.pool(), &batch, how)?;
            for (mixture, outcome) in batch.into_iter().zip(outcomes) {
                search.learn(mixture, outcome);
            }
            let (measured, failed) = search.measured();
            let best = search.best().map_or(0, |best| best.1.latency);
            let left = until.saturating_duration_since(Instant::now()).as_secs();
            let functions = match how {
                Way::Explained => format!(", held up by {} functions", search.functions()),
                Way::Plain => String::new(),
            };
            eprintln!(
                "irqscope: {measured} mixtures, {failed} failed, the {} response after {}{functions}; \
                 {left} s left",
                number(self.nth),
                figure(best)
            );
        }
        Ok(search)
    }

    /// Measures mixtures side by side and returns their outcomes in the same order.
    pub fn measure(&self, pool: &Pool, all: &[Mixture], how: Way) -> Result<Vec<Outcome>, Trouble> {
        let (next, outcomes) = (AtomicUsize::new(0), Mutex::new(vec![None; all.len()]));
        let work = || {
            let console = console()?;
            while let Some((at, mixture)) = {
                let at = next.fetch_add(1, Ordering::Relaxed);
                all.get(at).map(|mixture| (at, mixture))
            } {
                let text = self.scenario(mixture, pool, "", how);
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

    /// Returns the scenario of a mixture.
    pub fn scenario(&self, mixture: &Mixture, pool: &Pool, about: &str, how: Way) -> String {
        let mut table = self.table.clone();
        if how == Way::Explained {
            table.insert("explain".into(), true.into());
        }
        mixture.scenario(pool, &table, self.count, about)
    }

    fn one(&self, text: &str, console: &Path) -> Result<Outcome, Trouble> {
        let file = ScenarioFile::new(&self.file.name, &self.file.file, text);
        let scenario = resolve(&file, self.overrides.clone(), &self.stop)
            .map_err(irqscope_run::ExecuteError::from)?;
        let probe = self.probe(&scenario)?;
        match probe.measure(&scenario.cases()[0].plan, console, &self.stop) {
            Ok(data) => Ok(self.outcome(&data)),
            Err(error @ (RigError::Interrupted | RigError::Unready { .. })) => Err(error.into()),
            Err(error) => Ok(Outcome::Failed(error.to_string())),
        }
    }

    /// Returns the responses that the generator saw, joined with the target's record as in a run.
    fn outcome(&self, data: &CaseData) -> Outcome {
        let outside = data.rows.iter().filter(|row| row.view == View::Outside);
        let answered = outside.filter_map(|row| Some((row.latency?.0.cast_unsigned(), row.seq)));
        let mut latest: Vec<(u64, u64)> = answered.collect();
        latest.sort_unstable_by(|one, other| other.cmp(one));
        let Some(&(latency, seq)) = latest.get(self.nth - 1) else {
            let what =
                format!("{} responses, of which the {} counts", latest.len(), number(self.nth));
            return Outcome::Failed(what);
        };
        let long = latest.iter().take_while(|(other, _)| *other > latency / 2).count();
        let next = latest.get(self.nth).map_or(0, |(next, _)| *next);
        let held_up = culprits(data, self.stage).into_iter().map(|(cause, ns)| HeldUp {
            name: Cause::named(cause.kind, cause.name.clone()).to_string(),
            whole: cause.to_string(),
            functions: cause.functions().into_iter().map(str::to_owned).collect(),
            latency: ns.unsigned_abs(),
        });
        let (answered, held_up) = (latest.len(), held_up.collect());
        Outcome::Late(Late { latency, seq, answered, long, next, held_up })
    }

    fn probe(&self, scenario: &Scenario) -> Result<Arc<Probe>, Trouble> {
        let mut probes = self.probes.lock().unwrap_or_else(PoisonError::into_inner);
        let known: Kind = (scenario.payload.clone(), scenario.cases()[0].plan.explains());
        if let Some((_, probe)) = probes.iter().find(|(key, _)| *key == known) {
            return Ok(probe.clone());
        }
        let say = |what: &str| eprintln!("irqscope: {what}");
        let probe = Arc::new(Probe::prepare(scenario, &say, &self.stop)?);
        probes.push((known, probe.clone()));
        Ok(probe)
    }

    /// Runs what was found as a run of its own, with the paths up to the worst response.
    pub fn repeat(
        &self,
        (text, saved): (&str, &Path),
        out: &Path,
        options: &Hunt,
        late: &Late,
    ) -> Result<(RunDir, Vec<(String, u64)>), Trouble> {
        let name = saved.file_stem().unwrap_or_default().to_string_lossy();
        let file = ScenarioFile::new(name, saved.display().to_string(), text);
        let mut overrides = self.overrides.clone();
        if self.one_cpu {
            overrides.set("twin.trace", late.seq + 1);
        }
        let mut how = options.execution.how.clone();
        how.out = Some(out.to_owned());
        let run = carry_out(&file, overrides, &how)?;
        derive(&run)?;
        if !self.one_cpu {
            return Ok((run, Vec::new()));
        }
        let path = CasePath::open(&run, None)?;
        let sample = path.choose(self.stage, At::Seq(late.seq))?;
        if u64::try_from(sample.latency_ns) != Ok(late.latency) {
            let what = format!(
                "the same scenario gave {} and then {}: report this",
                figure(late.latency),
                figure(sample.latency_ns.unsigned_abs())
            );
            return Err(Trouble::new(Exit::Invalid, what));
        }
        let functions = path.tree(&sample)?.functions();
        let functions = functions.into_iter().take(5).map(|one| (one.function, one.own)).collect();
        Ok((run, functions))
    }
}

/// Names the Nth latest response, from 1 on.
pub fn number(nth: usize) -> String {
    let ending = match (nth % 100, nth % 10) {
        _ if nth == 1 => return "latest".into(),
        (11..=13, _) | (_, 0 | 4..) => "th",
        (_, 1) => "st",
        (_, 2) => "nd",
        (_, 3) => "rd",
    };
    format!("{nth}{ending} latest")
}
