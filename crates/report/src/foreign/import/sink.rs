// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The interface between parsers and the readers of what they parse.

use std::path::Path;

use irqscope_wire::{BenchmarkKind, Beyond, Class, Nanoseconds};

use crate::foreign::ForeignError;
use crate::foreign::error::Place;

/// Threads and CPUs of one file.
pub const MOST_SERIES: usize = 4_096;

/// A file's facts about itself as a whole.
#[derive(Clone, Debug, Default)]
pub struct Head {
    /// The program that wrote it.
    pub tool: &'static str,
    /// Of the kernel that was measured.
    pub release: Option<String>,
    pub machine: Option<String>,
    /// The step that values come in.
    pub resolution_ns: Option<u64>,
    /// A fact that the reader of the figures has to know.
    pub warnings: Vec<String>,
    /// Another fact.
    pub notes: Vec<String>,
}

impl Head {
    pub fn of(tool: &'static str) -> Self {
        Self { tool, ..Self::default() }
    }

    /// Notes what no histogram can show.
    pub fn is_histogram(&mut self, bins: &str) {
        self.warnings.push(format!(
            "imported from a histogram of {}: {bins}; in which order and at which instants the samples came is not known",
            self.tool
        ));
    }

    /// Counts samples beyond the last bin.
    pub fn overflowed(&mut self, count: u64, beyond: &str) {
        if count > 0 {
            self.warnings.push(format!(
                "{count} samples lay beyond the histogram ({beyond}) and have no value of their own: they are counted as dropped, and the mean and quantiles that lie among them are not known"
            ));
        }
    }
}

/// The facts of one series.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeriesHead {
    /// None: the file's own.
    pub case: Option<String>,
    pub kind: BenchmarkKind,
    /// None: as the class is called.
    pub variant: Option<String>,
    pub name: String,
    pub cpu: Option<u16>,
    pub class: Class,
    pub period_ns: Option<u64>,
}

impl SeriesHead {
    pub fn new(kind: BenchmarkKind, name: impl Into<String>, cpu: Option<u16>) -> Self {
        let name = name.into();
        Self { case: None, kind, variant: None, name, cpu, class: Class::Unknown, period_ns: None }
    }
}

/// Makes what lies beyond a histogram; a greatest value that does not lie there is passed over.
pub fn beyond(from: i64, greatest: Option<i64>, count: u64) -> Beyond {
    let greatest = greatest.filter(|greatest| *greatest >= from).map(Nanoseconds);
    Beyond { from: Nanoseconds(from), greatest, count }
}

/// Takes what is read. A series comes before its values, and has the number of its turn.
pub trait Sink {
    fn series(&mut self, head: SeriesHead);

    /// Takes a value that has a number within its series, and perhaps an instant.
    fn sample(
        &mut self,
        series: usize,
        seq: u64,
        at: Option<i64>,
        value: i64,
    ) -> Result<(), ForeignError>;

    fn bin(&mut self, series: usize, value: i64, count: u64) -> Result<(), ForeignError>;

    /// Takes samples beyond a histogram, of which the file keeps the number only.
    fn beyond(&mut self, series: usize, beyond: Beyond) -> Result<(), ForeignError>;

    /// Corrects a fact of a series that was learnt after it had begun.
    fn correct(&mut self, series: usize, class: Option<Class>, period_ns: Option<u64>);
}

/// The first reading: what series there are, and how many values each has.
#[derive(Debug)]
pub struct Survey {
    /// The case that is the file's own.
    pub case: String,
    pub series: Vec<Surveyed>,
}

#[derive(Debug)]
pub struct Surveyed {
    pub head: SeriesHead,
    pub taken: u64,
    pub dropped: u64,
}

impl Survey {
    pub fn new(case: String) -> Self {
        Self { case, series: Vec::new() }
    }

    /// Checks that there is any sample: a file without is no measurement.
    pub fn check(&self, path: &Path) -> Result<(), ForeignError> {
        if self.series.len() > MOST_SERIES {
            let why = format!("has {} threads; {MOST_SERIES} can be imported", self.series.len());
            return Err(ForeignError::wrong(path, Place::End, why));
        }
        let any = self.series.iter().any(|one| one.taken > 0 || one.dropped > 0);
        let why = "holds no sample; was the tool interrupted before it wrote any?";
        any.then_some(()).ok_or_else(|| ForeignError::wrong(path, Place::End, why))
    }

    /// Returns the case of a series.
    pub fn case_of<'a>(&'a self, head: &'a SeriesHead) -> &'a str {
        head.case.as_deref().unwrap_or(&self.case)
    }

    fn count(&mut self, series: usize, count: u64) {
        if let Some(one) = self.series.get_mut(series) {
            one.taken = one.taken.saturating_add(count);
        }
    }
}

impl Sink for Survey {
    fn series(&mut self, head: SeriesHead) {
        self.series.push(Surveyed { head, taken: 0, dropped: 0 });
    }

    fn sample(
        &mut self,
        series: usize,
        _: u64,
        _: Option<i64>,
        _: i64,
    ) -> Result<(), ForeignError> {
        self.count(series, 1);
        Ok(())
    }

    fn bin(&mut self, series: usize, _: i64, count: u64) -> Result<(), ForeignError> {
        self.count(series, count);
        Ok(())
    }

    fn beyond(&mut self, series: usize, beyond: Beyond) -> Result<(), ForeignError> {
        if let Some(one) = self.series.get_mut(series) {
            one.dropped = one.dropped.saturating_add(beyond.count);
        }
        Ok(())
    }

    fn correct(&mut self, series: usize, class: Option<Class>, period_ns: Option<u64>) {
        if let Some(one) = self.series.get_mut(series) {
            one.head.class = class.unwrap_or(one.head.class);
            one.head.period_ns = period_ns.or(one.head.period_ns);
        }
    }
}
