// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One step: a kernel is built, booted and measured once.

use std::path::{Path, PathBuf};

use irqscope_analysis::{Ascending, At, CallTree, CasePath, MeasuredCase};
use irqscope_quantity::Quantile;
use irqscope_run::RunDir;
use irqscope_scenario::ScenarioFile;
use irqscope_wire::Stage;

use super::history::Candidate;
use crate::cli::{Bisect, How};
use crate::commands::run::carry_out;
use crate::exit::{Exit, Trouble};

/// The most triggers whose instructions are recorded, to name functions. In a case of several
/// stages each trigger asks one of them.
const TRACED: u64 = 1000;

/// A kernel's measurement.
#[derive(Debug)]
pub struct Step {
    pub run: PathBuf,
    /// The latency that decides.
    pub ns: i64,
    /// All latencies of the stage in ascending order, each with how often it is there.
    pub latencies: Vec<(i64, u64)>,
    stage: Stage,
    quantile: Quantile,
}

/// Why a kernel has none.
#[derive(Debug)]
pub enum Unmeasured {
    /// It does not build, boot or measure; others may.
    Skipped(String),
    /// The search ends here, to go on another time.
    Ended(Trouble),
}

/// Measures a kernel, or reads what was measured before.
pub fn measure(file: &ScenarioFile, options: &Bisect, one: &Candidate) -> Result<Step, Unmeasured> {
    let dir = options.out.join("steps");
    let run = dir.join(short(&one.id));
    let note = dir.join(format!("{}.skipped", short(&one.id)));
    if let Ok(why) = std::fs::read_to_string(&note) {
        return Err(Unmeasured::Skipped(why.trim().to_owned()));
    }
    if !is_finished(&run) {
        execute(file, options, one, &run).map_err(|trouble| match trouble.exit() {
            Exit::Interrupted => Unmeasured::Ended(trouble),
            _ => skip(&note, &trouble),
        })?;
    }
    Step::read(&run, options).map_err(|trouble| skip(&note, &trouble))
}

fn skip(note: &Path, trouble: &Trouble) -> Unmeasured {
    let why = trouble.to_string();
    // Without the note it is tried again the next time.
    let _ = std::fs::write(note, &why);
    Unmeasured::Skipped(why)
}

fn is_finished(run: &Path) -> bool {
    RunDir::open(run).is_ok_and(|run| run.manifest().finished_utc.is_some())
}

fn execute(
    file: &ScenarioFile,
    options: &Bisect,
    one: &Candidate,
    run: &Path,
) -> Result<(), Trouble> {
    let failed =
        |error| Trouble::new(Exit::Usage, format!("cannot write {}: {error}", run.display()));
    if run.exists() {
        // An earlier search was stopped in it.
        std::fs::remove_dir_all(run).map_err(failed)?;
    }
    std::fs::create_dir_all(run.parent().unwrap_or(run)).map_err(failed)?;
    let how = How { out: Some(run.to_owned()), kernel: vec![one.kernel.clone()], ..How::default() };
    let mut overrides = how.overrides();
    options.changes.add_to(&mut overrides);
    overrides.set("twin.trace", TRACED);
    carry_out(file, overrides, &how).map(drop)
}

fn short(id: &str) -> &str {
    let is_hash = id.len() == 40 && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_hash { &id[..12] } else { id }
}

impl Step {
    fn read(run: &Path, options: &Bisect) -> Result<Self, Trouble> {
        let (stage, quantile) = (options.decides, options.quantile);
        let cases = MeasuredCase::load(&RunDir::open(run)?, None)?;
        let invalid = |text: String| Trouble::new(Exit::Invalid, text);
        let case = cases.first().ok_or_else(|| invalid("the scenario has no case".into()))?;
        if let Some(why) = case.summary.violations.first() {
            return Err(invalid(why.clone()));
        }
        let view = case.main_view();
        let named = |name: &str| {
            case.series.iter().find(|one| one.name.is_in(view) && one.name.answers_to(name))
        };
        let series = named(stage.name())
            .ok_or_else(|| invalid(format!("stage {stage} was not measured")))?;
        let rank = quantile.rank(series.sorted.count());
        let [value] = series.sorted.at_ranks([rank])?;
        let ns = value.ok_or_else(|| invalid(format!("stage {stage} has no response")))?;
        let mut latencies = Vec::new();
        series.sorted.each(&mut |value, count| latencies.push((value, count)))?;
        Ok(Self { run: run.to_owned(), ns, latencies, stage, quantile })
    }

    /// Returns the calls of the traced sample that is nearest to the quantile that decides.
    pub fn calls(&self) -> Result<CallTree, Trouble> {
        self.calls_at(self.quantile)
    }

    /// Returns the calls of the traced sample that is nearest to a quantile.
    pub fn calls_at(&self, quantile: Quantile) -> Result<CallTree, Trouble> {
        let run = RunDir::open(&self.run)?;
        let path = CasePath::open(&run, None)?;
        let sample = path.choose(self.stage, At::Quantile(quantile))?;
        Ok(path.tree(&sample)?)
    }
}
