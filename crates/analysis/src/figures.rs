// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Everything about one case that figures and drawings are made of, in memory
//! that does not grow with its samples.

use std::path::Path;

use irqscope_run::{
    BenchRow, BenchSeries, BenchmarkData, CaseData, CaseStream, RunDir, SampleRow, SeriesRows,
};
use irqscope_wire::BenchmarkKind;

use crate::distribution::Counting;
use crate::{Counted, Counter, Distribution, LockSource, Locks, Recount, Result};

/// The distributions of one case, and the recount that its account is checked by.
#[derive(Debug)]
pub struct CaseFigures {
    /// Position of the case in the manifest.
    pub number: u16,
    /// In order of stage and view.
    pub stages: Vec<Distribution>,
    /// The terms of the identity as the inside view's samples have them, to be held against the
    /// driver's counters.
    pub recount: Recount,
    /// In the plan's order, and then the target's.
    pub series: Vec<SeriesFigures>,
    /// Of benchmarks whose rounds are drawn: with all rows.
    pub rounds: Vec<BenchmarkData>,
    /// The critical sections, where all of them were recorded and not only those that delayed a
    /// sample; of each seed.
    pub locks: Vec<Locks>,
}

/// One series of a benchmark.
#[derive(Debug)]
pub struct SeriesFigures {
    /// Position of its benchmark in the plan.
    pub benchmark: usize,
    /// Its own position in that benchmark, in the order in which the target named its series.
    pub series: usize,
    /// The benchmark that was run.
    pub kind: BenchmarkKind,
    /// A clock, a policy or a way to wake, by which one benchmark is run in several ways.
    pub variant: String,
    /// A thread, as in `cpu0` or `cpu0.1`, or an instant within a round, as in `wait`.
    pub name: String,
    /// Every value in nanoseconds; of an imported histogram the beginning of a bin for each sample
    /// in it.
    pub values: Counted,
    /// Where its rows are.
    pub rows: SeriesRows,
    /// None where no instants are known.
    pub course: Option<Course>,
}

/// When a series began and ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Course {
    /// The first sample's instant on the target's CLOCK_MONOTONIC: when it was due, or when it
    /// began where nothing is due.
    pub first_ns: i64,
    /// The last sample's instant likewise, which is not yet its end.
    pub last_ns: i64,
}

/// The receiver of rows while they are counted.
pub(crate) trait Keep {
    fn stages(&mut self, rows: &[SampleRow]) -> Result<()>;
    fn series(
        &mut self,
        one: &BenchmarkData,
        series: &BenchSeries,
        rows: &[BenchRow],
    ) -> Result<()>;
    /// Takes bins of an imported series, which has no rows; after the rows of every series.
    fn counted(&mut self, one: &BenchmarkData, series: &BenchSeries) -> Result<()>;
}

/// No receiver.
impl Keep for () {
    fn stages(&mut self, _: &[SampleRow]) -> Result<()> {
        Ok(())
    }

    fn series(&mut self, _: &BenchmarkData, _: &BenchSeries, _: &[BenchRow]) -> Result<()> {
        Ok(())
    }

    fn counted(&mut self, _: &BenchmarkData, _: &BenchSeries) -> Result<()> {
        Ok(())
    }
}

impl CaseFigures {
    /// Makes the figures of every case, in the manifest's order.
    ///
    /// # Errors
    /// The disk's.
    pub fn of_run(run: &RunDir) -> Result<Vec<Self>> {
        let index = run.index()?;
        let numbers = 0..run.manifest().cases.len() as u16;
        let of = |number| Self::of(&run.stream(&index, number)?, run.path(), &mut ());
        numbers.map(of).collect()
    }

    /// Makes the figures of one case.
    ///
    /// # Errors
    /// The disk's. `dir` is where files go, if there need to be any.
    pub fn of_stream(stream: &CaseStream<'_>, dir: &Path) -> Result<Self> {
        Self::of(stream, dir, &mut ())
    }

    /// Returns whether the case has no samples, whatever else it has.
    pub fn is_empty(&self) -> bool {
        self.stages.is_empty() && self.series.is_empty()
    }

    pub(crate) fn of(stream: &CaseStream<'_>, dir: &Path, keep: &mut impl Keep) -> Result<Self> {
        let data = stream.data();
        let (mut counting, mut recount) = (Counting::new(data, dir), Recount::begin(data));
        stream.stages(|rows| {
            keep.stages(rows)?;
            recount.add(rows);
            counting.add(rows)
        })?;
        let mut all = Vec::new();
        for (benchmark, one) in data.benchmarks.iter().enumerate() {
            for series in 0..one.series.len() {
                all.push(SeriesFigures::of(stream, [benchmark, series], dir, keep)?);
            }
        }
        let is_drawn = |one: &&BenchmarkData| one.kind == BenchmarkKind::Inversion;
        let rounds = data.benchmarks.iter().filter(is_drawn).cloned().collect();
        Ok(Self {
            number: data.number,
            stages: counting.finish()?,
            recount,
            series: all,
            rounds,
            locks: recorded_sections(data).into_iter().collect(),
        })
    }
}

fn recorded_sections(data: &CaseData) -> Option<Locks> {
    Locks::source_of(data).filter(|source| *source != LockSource::Interference)?;
    Locks::of_case(data, None).filter(|locks| !locks.sites.is_empty())
}

impl SeriesFigures {
    fn of(
        stream: &CaseStream<'_>,
        [benchmark, place]: [usize; 2],
        dir: &Path,
        keep: &mut impl Keep,
    ) -> Result<Self> {
        let one = &stream.data().benchmarks[benchmark];
        let series = &one.series[place];
        let (mut values, mut course) = (Counter::new(dir), None);
        stream.series(benchmark, place, |rows| {
            keep.series(one, series, rows)?;
            rows.iter().for_each(|row| extend(&mut course, row));
            rows.iter().try_for_each(|row| values.add(row.value.0, 1))
        })?;
        keep.counted(one, series)?;
        series.counted.iter().try_for_each(|bin| values.add(bin.value.0, bin.count))?;
        let (kind, variant, name) = (one.kind, one.variant.clone(), series.name.clone());
        let values = values.finish()?.and_beyond(series.beyond);
        let rows = SeriesRows::of(series);
        Ok(Self { benchmark, series: place, kind, variant, name, values, rows, course })
    }
}

fn extend(course: &mut Option<Course>, row: &BenchRow) {
    if let Some(at) = row.at {
        let first_ns = course.map_or(at.0, |course| course.first_ns);
        *course = Some(Course { first_ns, last_ns: at.0 });
    }
}
