// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The traced samples of a case: checked against their latencies, and chosen.

use irqscope_quantity::Quantile;
use std::collections::BTreeMap;
use std::str::FromStr;

use irqscope_run::{CaseData, LogIndex, RunDir};
use irqscope_wire::{Stage, Tick, View};
use serde::Serialize;

use super::interval::Counted;
use super::{CallTree, PathError};
use crate::causes::Turns;
use crate::{Result, quantile};

/// Which sample: one near a quantile of all of a stage's latencies, or a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum At {
    /// A quantile.
    Quantile(Quantile),
    /// A trigger.
    Seq(u64),
}

impl FromStr for At {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let quantile = text.parse().map(At::Quantile);
        quantile.or_else(|_| text.parse().map(At::Seq)).map_err(|_| {
            "not a sample; write p50, p99.9, min, max, or the number of a trigger".to_owned()
        })
    }
}

/// A traced sample of one stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct PathSample {
    /// The trigger's number.
    pub seq: u64,
    /// The stage.
    pub stage: Stage,
    /// The latency.
    pub latency_ns: i64,
    /// Instructions.
    pub instructions: u64,
    /// Instructions that faulted, and were executed after the fault or never.
    pub faults: u64,
    /// The CPU slept in between: time passed without an instruction.
    pub slept: bool,
    /// Virtual time that its instructions take.
    pub executed_ns: i64,
    /// Of several CPUs: virtual time in which others had their turns.
    pub others_ns: i64,
}

impl PathSample {
    /// Returns whether its instructions, and the others' turns, are its latency or may be: a CPU that slept executed
    /// none.
    pub fn agrees(&self) -> bool {
        self.is_exact() || self.slept
    }

    fn is_exact(&self) -> bool {
        self.executed_ns + self.others_ns == self.latency_ns
    }
}

/// Whether instructions and latencies are the same, over all traced samples.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PathCheck {
    /// Samples.
    pub samples: u64,
    /// Samples whose instructions are their latency.
    pub equal: u64,
    /// Of the others: in which the CPU slept.
    pub slept: u64,
    /// Instructions that faulted in all of them.
    pub faults: u64,
    /// Samples of which that is not so.
    pub mismatches: Vec<PathSample>,
    /// Answered within the traced triggers, but the path is not whole.
    pub cut_off: u64,
}

/// A case that was traced.
#[derive(Debug)]
pub struct CasePath<'a> {
    run: &'a RunDir,
    index: LogIndex,
    data: CaseData,
    samples: Vec<PathSample>,
    cut_off: u64,
}

impl<'a> CasePath<'a> {
    /// Opens the named case or, without a name, the first that was traced.
    ///
    /// # Errors
    /// There is no such case or no trace, or the run cannot be read.
    pub fn open(run: &'a RunDir, case: Option<&str>) -> Result<Self> {
        let index = run.index()?;
        let cases = &run.manifest().cases;
        let names = || cases.iter().map(|case| &*case.case).collect::<Vec<_>>().join(", ");
        let number = match case {
            Some(name) => cases
                .iter()
                .position(|case| case.case == name)
                .ok_or_else(|| PathError::NoCase { case: name.to_owned(), have: names() })?,
            None => (0..cases.len())
                .find(|number| run.stretches(&index, *number as u16).next().is_some())
                .ok_or_else(|| PathError::NotTraced { case: run.path().display().to_string() })?,
        };
        let data = run.case(&index, number as u16)?;
        let mut path = Self { run, index, data, samples: Vec::new(), cut_off: 0 };
        path.find_samples()?;
        Ok(path)
    }

    /// Returns the case.
    pub fn case(&self) -> &str {
        &self.data.case
    }

    /// Returns the traced samples.
    pub fn samples(&self) -> &[PathSample] {
        &self.samples
    }

    /// Compares every sample's instructions with its latency.
    pub fn check(&self) -> PathCheck {
        let count = |wanted: fn(&&PathSample) -> bool| self.samples.iter().filter(wanted).count();
        PathCheck {
            samples: self.samples.len() as u64,
            equal: count(|one| one.is_exact()) as u64,
            slept: count(|one| one.slept) as u64,
            faults: self.samples.iter().map(|one| one.faults).sum(),
            mismatches: self.samples.iter().filter(|one| !one.agrees()).copied().collect(),
            cut_off: self.cut_off,
        }
    }

    /// Returns the traced sample that is nearest to a quantile of all samples; of several the
    /// first.
    ///
    /// # Errors
    /// There is no such stage, or no such traced trigger.
    pub fn choose(&self, stage: Stage, at: At) -> Result<PathSample> {
        let mine: Vec<PathSample> =
            self.samples.iter().filter(|one| one.stage == stage).copied().collect();
        let (Some(first), Some(last)) = (mine.first(), mine.last()) else {
            return Err(self.no_stage(stage).into());
        };
        let found = match at {
            At::Seq(seq) => mine.iter().find(|one| one.seq == seq),
            At::Quantile(asked) => {
                let wanted = quantile(&self.latencies(stage), asked).unwrap_or_default();
                mine.iter().min_by_key(|one| (one.latency_ns.abs_diff(wanted), one.seq))
            }
        };
        let seq = if let At::Seq(seq) = at { seq } else { 0 };
        let (first, last) = (first.seq, last.seq);
        let missing = || PathError::NoSeq { seq, stage: stage.to_string(), first, last };
        Ok(*found.ok_or_else(missing)?)
    }

    /// Returns what was executed from its trigger to its edge.
    ///
    /// # Errors
    /// The run cannot be read, or has no symbols.
    pub fn tree(&self, sample: &PathSample) -> Result<CallTree> {
        let Some(line) = self.line(sample.stage) else { return Ok(CallTree::default()) };
        for stretch in self.run.stretches(&self.index, self.data.number) {
            let stretch = stretch?;
            let counted = Counted::new(&stretch, &self.data.symbols);
            let interval = counted.interval(sample.seq, line, sample.latency_ns, self.clock());
            if let Some(interval) = interval {
                return Ok(CallTree::new(counted.steps(interval), &self.data.symbols));
            }
        }
        Ok(CallTree::default())
    }

    /// Returns a stage's response line; lines are in the order of the stages.
    fn line(&self, stage: Stage) -> Option<u8> {
        let mut stages = self.data.started.as_ref()?.stages.clone();
        stages.sort_unstable();
        u8::try_from(stages.iter().position(|one| *one == stage)?).ok()
    }

    fn clock(&self) -> Tick {
        let tick = self.data.outside.as_ref().and_then(|outside| outside.tick());
        tick.unwrap_or(Tick { femtoseconds: 1_000_000 })
    }

    fn latencies(&self, stage: Stage) -> Vec<i64> {
        let rows = self.data.rows.iter().filter(|row| row.stage == stage);
        let outside = rows.filter(|row| row.view == View::Outside);
        let mut all: Vec<i64> = outside.filter_map(|row| Some(row.latency?.0)).collect();
        all.sort_unstable();
        all
    }

    fn find_samples(&mut self) -> Result<()> {
        let mut by_seq: BTreeMap<u64, Vec<(Stage, i64, i64)>> = BTreeMap::new();
        for row in self.data.rows.iter().filter(|row| row.view == View::Outside) {
            if let Some(latency) = row.latency {
                by_seq.entry(row.seq).or_default().push((row.stage, row.trigger.0, latency.0));
            }
        }
        let instruction = self.data.plan.as_ref().and_then(|plan| plan.instruction);
        let instruction = instruction.unwrap_or(Tick { femtoseconds: 0 });
        let turns = Turns::in_ns(&self.data);
        let others = turns.of_others(self.data.cpu());
        let mut traced = false;
        let (mut samples, mut cut_off) = (Vec::new(), 0);
        for stretch in self.run.stretches(&self.index, self.data.number) {
            let stretch = stretch?;
            traced = true;
            let counted = Counted::new(&stretch, &self.data.symbols);
            for seq in triggers(&stretch) {
                for (stage, trigger_ns, latency_ns) in by_seq.get(&seq).into_iter().flatten() {
                    let line = self.line(*stage).unwrap_or(u8::MAX);
                    let interval = counted.interval(seq, line, *latency_ns, self.clock());
                    let Some(interval) = interval else {
                        cut_off += 1;
                        continue;
                    };
                    let instructions = counted.executed(&interval);
                    let executed_ns = instruction.nanoseconds(instructions.cast_signed()).0;
                    let from = trigger_ns.cast_unsigned();
                    let own = others.own(from, from.saturating_add_signed(*latency_ns));
                    let others_ns = latency_ns - own.cast_signed();
                    samples.push(PathSample {
                        seq,
                        stage: *stage,
                        latency_ns: *latency_ns,
                        instructions,
                        faults: interval.end - interval.start - instructions,
                        slept: executed_ns + others_ns < *latency_ns
                            && counted.passes_sleep(&interval),
                        executed_ns,
                        others_ns,
                    });
                }
            }
        }
        let case = || self.data.case.clone();
        if !traced {
            return Err(PathError::NotTraced { case: case() }.into());
        }
        if self.data.symbols.is_empty() {
            return Err(PathError::NoSymbols { case: case() }.into());
        }
        samples.sort_by_key(|one| (one.seq, one.stage));
        (self.samples, self.cut_off) = (samples, cut_off);
        Ok(())
    }

    fn no_stage(&self, stage: Stage) -> PathError {
        let mut have: Vec<Stage> = self.samples.iter().map(|one| one.stage).collect();
        have.sort_unstable();
        have.dedup();
        let have = have.iter().map(Stage::to_string).collect::<Vec<_>>().join(", ");
        PathError::NoStage { case: self.data.case.clone(), stage: stage.to_string(), have }
    }
}

fn triggers(stretch: &irqscope_run::Stretch) -> impl Iterator<Item = u64> + '_ {
    stretch.marks.iter().filter_map(|mark| match mark.event {
        irqscope_wire::PathEvent::Trigger(seq) => Some(seq.0),
        irqscope_wire::PathEvent::Edge(_) => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_is_asked_for_by_quantile_or_number() {
        assert_eq!("p50".parse(), Ok(At::Quantile(Quantile::P50)));
        assert_eq!("p99.9".parse(), Ok(At::Quantile(Quantile::P99_9)));
        assert_eq!("max".parse(), Ok(At::Quantile(Quantile::MAX)));
        assert_eq!("17".parse(), Ok(At::Seq(17)));
        for wrong in ["", "p", "p101", "-1", "median"] {
            assert!(wrong.parse::<At>().is_err(), "{wrong}");
        }
    }
}
