// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Where mixtures are measured.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use irqscope_analysis::{At, CasePath, derive};
use irqscope_hunt::{Mixture, Outcome, Pool, Search};
use irqscope_quantity::Span;
use irqscope_rig::{RigError, Stop};
use irqscope_run::{CaseData, Probe, RunDir, resolve};
use irqscope_scenario::{Overrides, Payload, Scenario, ScenarioFile};
use irqscope_wire::{Stage, View};
use toml::Table;

use super::super::probing::console;
use super::super::run::carry_out;
use crate::cli::Hunt;
use crate::exit::{Exit, Trouble};

/// Mixtures that are chosen before the outcomes of any of them count, so that a search does not
/// depend on which guest was faster.
const BATCH: usize = 16;

/// Where mixtures are measured.
pub struct Range {
    pub file: ScenarioFile,
    /// The scenario without states and loads.
    pub table: Table,
    pub count: u64,
    pub one_cpu: bool,
    pub overrides: Overrides,
    pub jobs: usize,
    /// Prepared rigs, by the payload of their guests.
    pub probes: Mutex<Vec<(Payload, Arc<Probe>)>>,
    pub stop: Stop,
}

impl Range {
    pub fn search(&self, options: &Hunt, mut search: Search) -> Result<Search, Trouble> {
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
    pub fn measure(&self, pool: &Pool, all: &[Mixture]) -> Result<Vec<Outcome>, Trouble> {
        let (next, outcomes) = (AtomicUsize::new(0), Mutex::new(vec![None; all.len()]));
        let work = || {
            let console = console()?;
            while let Some((at, mixture)) = {
                let at = next.fetch_add(1, Ordering::Relaxed);
                all.get(at).map(|mixture| (at, mixture))
            } {
                let text = self.scenario(mixture, pool, "");
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
    pub fn scenario(&self, mixture: &Mixture, pool: &Pool, about: &str) -> String {
        mixture.scenario(pool, &self.table, self.count, about)
    }

    fn one(&self, text: &str, console: &Path) -> Result<Outcome, Trouble> {
        let file = ScenarioFile::new(&self.file.name, &self.file.file, text);
        let scenario = resolve(&file, self.overrides.clone(), &self.stop)
            .map_err(irqscope_run::ExecuteError::from)?;
        let probe = self.probe(&scenario)?;
        match probe.measure(&scenario.cases()[0].plan, console, &self.stop) {
            Ok(data) => Ok(outcome(&data)),
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
    pub fn repeat(
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

/// Returns the longest latency that the generator saw, joined with the target's record as in a run.
fn outcome(data: &CaseData) -> Outcome {
    let outside = data.rows.iter().filter(|row| row.view == View::Outside);
    let longest = outside.filter_map(|row| Some((row.latency?.0.cast_unsigned(), row.seq)));
    match longest.max() {
        Some((latency, seq)) => Outcome::Late(latency, seq),
        None => Outcome::Failed("no trigger was answered".into()),
    }
}
