// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Everything that follows from the log: the Parquet files, summary.json and, of a
//! sweep, sweep.json.

use irqscope_run::{
    BenchRow, BenchSeries, BenchWriter, BenchmarkData, CaseData, CaseManifest, Digest,
    InterferenceRow, InterferenceWriter, RunDir, SampleRow, SamplesWriter,
};
use irqscope_wire::{Account, Mode, Stage, StageCost, Tick, View};

use crate::figures::Keep;
use crate::observer::observer_effects;
use crate::validity::log_warning;
use crate::{
    Above, CaseFigures, CaseSummary, Distribution, Explained, Explanation, OutsideAccount,
    QUANTILE_METHOD, Recount, Result, SeedsSummary, StageSummary, Summary, Sweep, VERSION,
    Violation, Warning, explain,
};
use crate::{bench, outside};

/// Reads the log, one case at a time, and writes the derived files. An invalid measurement is
/// written too; [`check`](crate::check) reports it.
///
/// # Errors
/// The log cannot be read, or the disk takes no file.
pub fn derive(run: &RunDir) -> Result<Summary> {
    derive_figures(run).map(|(summary, _)| summary)
}

/// Derives likewise, and returns what the figures were made of, in the manifest's order; nothing of
/// a sweep, of which no distribution is drawn.
///
/// # Errors
/// The log cannot be read, or the disk takes no file.
pub fn derive_figures(run: &RunDir) -> Result<(Summary, Vec<CaseFigures>)> {
    let index = run.index()?;
    let mut digest = Digest::default();
    let mut tables = Tables::of(run)?;
    let (mut cases, mut kept) = (Vec::new(), Vec::new());
    for number in run.cases_by_name() {
        let stream = run.stream(&index, number)?;
        let data = stream.data();
        let manifest = &run.manifest().cases[usize::from(number)];
        let seed = manifest.seed_of.as_ref().map(|name| (name.as_str(), Digest::default()));
        let mut keep = Pass { case: &data.case, seed, digest: &mut digest, tables: &mut tables };
        let figures = CaseFigures::of(&stream, run.path(), &mut keep)?;
        let seed_digest = keep.seed.map(|(_, digest)| digest.finish());
        tables.explain(data)?;
        let case = CaseSummary { seed_digest, ..case_summary(manifest, data, &figures)? };
        cases.push((number, case));
        kept.extend(manifest.step_of.is_none().then_some(figures));
    }
    kept.sort_by_key(|figures| figures.number);
    tables.finish()?;
    cases.sort_by_key(|(number, _)| *number);
    let manifest = run.manifest();
    let finished = |(number, case): &(u16, CaseSummary)| {
        case.finished && manifest.cases[usize::from(*number)].failure.is_none()
    };
    let complete = cases.iter().all(finished);
    let mut cases: Vec<CaseSummary> = cases.into_iter().map(|(_, case)| case).collect();
    let summary = Summary {
        version: VERSION,
        digest: digest.finish(),
        quantile_method: QUANTILE_METHOD.into(),
        tool_version: manifest.tool_version.clone(),
        scenario: manifest.scenario.clone(),
        complete,
        warnings: log_warning(index.health()).into_iter().collect(),
        observer_effects: observer_effects(&cases),
        seeds: SeedsSummary::all(&mut cases),
        cases,
    };
    summary.write(run)?;
    Sweep::of(&summary).map_or(Ok(()), |sweep| sweep.write(run))?;
    Ok((summary, kept))
}

/// The Parquet files that a run has samples for.
struct Tables {
    stages: Option<SamplesWriter>,
    benchmarks: Option<BenchWriter>,
    interference: Option<InterferenceWriter>,
}

impl Tables {
    fn of(run: &RunDir) -> Result<Self> {
        let cases = &run.manifest().cases;
        let stages = cases.is_empty() || cases.iter().any(|case| !is_benchmarks(case));
        let benchmarks = cases.iter().any(is_benchmarks);
        let with_events =
            |case: &CaseManifest| case.plan.as_ref().is_some_and(irqscope_wire::Plan::explains);
        let explained = cases.iter().any(with_events);
        Ok(Self {
            stages: stages.then(|| run.samples_writer()).transpose()?,
            benchmarks: benchmarks.then(|| run.bench_writer()).transpose()?,
            interference: explained.then(|| run.interference_writer()).transpose()?,
        })
    }

    fn explain(&mut self, data: &CaseData) -> Result<()> {
        if let Some(interference) = self.interference.as_mut().filter(|_| data.explained.is_some())
        {
            let (view, explained) = explain(data);
            let rows: Vec<InterferenceRow<'_>> = explained.iter().flat_map(rows).collect();
            interference.write(&data.case, view, &rows)?;
        }
        Ok(())
    }

    fn finish(self) -> Result<()> {
        self.stages.map(SamplesWriter::finish).transpose()?;
        self.benchmarks.map(BenchWriter::finish).transpose()?;
        self.interference.map(InterferenceWriter::finish).transpose()?;
        Ok(())
    }
}

fn rows(one: &Explained) -> impl Iterator<Item = InterferenceRow<'_>> {
    one.segments.iter().zip(0..).map(|(segment, part)| InterferenceRow {
        seq: one.seq,
        stage: one.stage,
        part,
        start: segment.start,
        length: segment.length,
        cause: segment.cause.kind.name(),
        name: &segment.cause.name,
        detail: &segment.cause.detail,
    })
}

fn is_benchmarks(case: &CaseManifest) -> bool {
    case.plan.as_ref().is_some_and(|plan| !plan.needs_driver())
}

/// Consumers of the rows of a case as they pass, in the order of the digest and of the tables.
struct Pass<'a> {
    case: &'a str,
    /// Of one of several seeds: the name that the case has where it is the only one, and its digest
    /// by that name.
    seed: Option<(&'a str, Digest)>,
    digest: &'a mut Digest,
    tables: &'a mut Tables,
}

impl Keep for Pass<'_> {
    fn stages(&mut self, rows: &[SampleRow]) -> Result<()> {
        rows.iter().for_each(|row| self.digest.update(self.case, row));
        if let Some((name, digest)) = &mut self.seed {
            rows.iter().for_each(|row| digest.update(name, row));
        }
        let table = self.tables.stages.as_mut();
        Ok(table.map_or(Ok(()), |table| table.write(self.case, rows))?)
    }

    fn series(
        &mut self,
        one: &BenchmarkData,
        series: &BenchSeries,
        rows: &[BenchRow],
    ) -> Result<()> {
        let update = |row| self.digest.update_bench(self.case, one, &series.name, row);
        rows.iter().for_each(update);
        let table = self.tables.benchmarks.as_mut();
        Ok(table.map_or(Ok(()), |table| table.write(self.case, one, series, rows))?)
    }

    fn counted(&mut self, one: &BenchmarkData, series: &BenchSeries) -> Result<()> {
        let update = |bin| self.digest.update_bin(self.case, one, &series.name, bin);
        series.counted.iter().for_each(update);
        let table = self.tables.benchmarks.as_mut();
        Ok(table.map_or(Ok(()), |table| table.write_counted(self.case, one, series))?)
    }
}

/// Explains every stage of every case that has events; in the manifest's order.
///
/// # Errors
/// The log cannot be read.
pub fn explanations(run: &RunDir, above: Above) -> Result<Vec<Explanation>> {
    let mut all = Vec::new();
    let may_have =
        |case: &CaseManifest| case.plan.as_ref().is_none_or(irqscope_wire::Plan::explains);
    if !run.manifest().cases.iter().any(may_have) {
        return Ok(all);
    }
    let index = run.index()?;
    for number in 0..run.manifest().cases.len() as u16 {
        // A case with events is held as a whole.
        let stream = run.stream(&index, number)?;
        if stream.data().explained.is_some() {
            all.extend(Explanation::of_case(stream.data(), above).0);
        }
    }
    Ok(all)
}

/// Summarises one case; nothing is written.
pub(crate) fn case_summary(
    manifest: &CaseManifest,
    data: &CaseData,
    figures: &CaseFigures,
) -> Result<CaseSummary> {
    let recount = &figures.recount;
    let account = data.counters.map_or_else(|| recount.account(), Account::from);
    let account = outside::account(data, account);
    let violations = violations(data, recount);
    let stages = stages(data, &figures.stages)?;
    let view = main_view(data);
    let shown = stages.iter().filter(|stage| stage.view == view);
    Ok(CaseSummary {
        case: data.case.clone(),
        step_of: manifest.step_of.clone(),
        step_stage: manifest.step_stage,
        seed_of: manifest.seed_of.clone(),
        seed: manifest.seed_of.as_ref().and(manifest.asked()).map(|asked| asked.seed),
        seed_digest: None,
        kernel: manifest.kernel.clone(),
        release: data.started.as_ref().map(|s| s.kernel.clone()).unwrap_or_default(),
        state: manifest.state.name.clone(),
        period_ns: manifest.asked().map(|asked| asked.period_ns),
        mode: manifest.asked().map_or(Mode::Together, |asked| asked.mode),
        triggers: account.triggers,
        complete: account.complete,
        missing: shown.map(|stage| (stage.stage, stage.missing)).collect(),
        missing_triggers: account.missing,
        coalesced: account.coalesced,
        dropped: account.dropped,
        unrecorded: account.unrecorded,
        open: account.open,
        skipped: account.skipped,
        spurious: data.counters.map_or(0, |counters| counters.spurious),
        identity_holds: data.counters.is_some() && violations.is_empty(),
        finished: data.counters.is_some(),
        failed: data.failure.is_some() || manifest.failure.is_some(),
        twin: data.is_twin(),
        instruction_femtoseconds: instruction(data).map(|tick| tick.femtoseconds),
        tick_femtoseconds: data.tick().map(|tick| tick.femtoseconds),
        violations: violations.iter().map(Violation::to_string).collect(),
        warnings: warnings(manifest, data),
        outside: OutsideAccount::of(data),
        edge_offsets: outside::edge_offsets(data),
        stages,
        benchmarks: bench::summaries(data, &figures.series)?,
        unavailable: bench::unavailable(data),
    })
}

/// Returns violations. A case that the driver never reported on cannot violate the identity: it is
/// unfinished, which is a warning.
fn violations(data: &CaseData, recount: &Recount) -> Vec<Violation> {
    let recounted = data.counters.filter(|_| has_inside(data));
    let mut violations =
        recounted.map(|counters| recount.violations(&counters)).unwrap_or_default();
    violations.extend(outside::violations(data));
    violations.extend(bench::violations(data));
    if data.unconverted > 0 {
        violations.push(Violation::Unconverted(data.unconverted));
    }
    violations
}

fn has_inside(data: &CaseData) -> bool {
    data.plan.as_ref().is_none_or(|plan| plan.has_view(View::Inside))
}

/// Returns the view whose figures come first.
fn main_view(data: &CaseData) -> View {
    if data.outside.is_some() { View::Outside } else { View::Inside }
}

/// Returns the log's warnings, then those that only the manifest knows. In a sweep that a stage
/// cannot keep up is no warning: it is what is looked for.
fn warnings(manifest: &CaseManifest, data: &CaseData) -> Vec<String> {
    let mut of_log = Warning::of(data);
    of_log.retain(|warning| manifest.step_of.is_none() || !warning.is_of_overload());
    let mut all: Vec<String> = of_log.iter().map(Warning::to_string).collect();
    for text in &manifest.warnings {
        if !all.contains(text) {
            all.push(text.clone());
        }
    }
    if let (None, Some(failure)) = (&data.failure, &manifest.failure) {
        let (what, remedy) = (failure.what.clone(), failure.remedy.clone());
        all.retain(|text| *text != Warning::Unfinished.to_string());
        all.push(Warning::Failed { what, remedy }.to_string());
    }
    all
}

fn stages(data: &CaseData, distributions: &[Distribution]) -> Result<Vec<StageSummary>> {
    let of = |one| Ok(with_cost(StageSummary::new(one)?, data));
    distributions.iter().map(of).collect()
}

fn with_cost(mut summary: StageSummary, data: &CaseData) -> StageSummary {
    let cycles = cost(&data.costs, summary.stage);
    summary.cost_cycles = cycles;
    summary.cost_instructions = cycles.and_then(|cycles| instructions(data, cycles));
    summary.cost_ns = cycles
        .and_then(|cycles| i64::try_from(cycles).ok())
        .zip(data.tick())
        .map(|(cycles, tick)| tick.nanoseconds(cycles).0);
    summary
}

fn cost(costs: &[StageCost], stage: Stage) -> Option<u64> {
    costs.iter().find(|cost| cost.stage == stage).map(|cost| cost.cycles.0)
}

/// Returns the time of an instruction, which only the twin has.
fn instruction(data: &CaseData) -> Option<Tick> {
    data.plan.as_ref()?.instruction
}

fn instructions(data: &CaseData, cycles: u64) -> Option<u64> {
    let femtoseconds = u128::from(cycles) * u128::from(data.tick()?.femtoseconds);
    let instructions = femtoseconds / u128::from(instruction(data)?.femtoseconds.max(1));
    u64::try_from(instructions).ok()
}
