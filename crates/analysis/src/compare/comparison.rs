// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Two cases against each other.

use irqscope_quantity::Quantile;
use irqscope_wire::View;
use serde::Serialize;

use super::differences::{ManifestDifference, differences};
use super::{
    CompareError, INTERVAL_METHOD, MAXIMUM_METHOD, MeasuredCase, Series, SeriesName, Shift,
    TEST_METHOD, Test, differ, matching,
};
use crate::{Ascending, QUANTILE_METHOD, Result};

/// The comparison's format.
///
/// 1: first. 2: a shift has its `quantile` as a number between 0 and 1 where it had
/// `thousandths`. 3: its figures are null where there are too few samples for the quantile.
pub const VERSION: u32 = 3;

/// How sure intervals are, and the level of the test.
pub const LEVEL: f64 = 0.95;

/// The figures of two cases to compare.
#[derive(Clone, Debug)]
pub struct Ask<'a> {
    /// Stages and benchmarks by name; all of them where it is empty.
    pub names: &'a [String],
    /// Of stages; the main one where no view is named.
    pub view: Option<View>,
    /// The quantiles; 1 is the maximum.
    pub quantiles: &'a [Quantile],
}

/// Two cases, compared.
#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    /// The format's version.
    pub version: u32,
    /// The first side.
    pub base: String,
    /// The second side.
    pub other: String,
    /// Both were measured in the twin: measured again they give the same differences. Of other seeds
    /// that says nothing.
    pub exact: bool,
    /// The confidence level.
    pub level: f64,
    /// How quantiles are computed.
    pub quantile_method: &'static str,
    /// None where differences are exact.
    pub interval_method: Option<&'static str>,
    /// How maxima are compared.
    pub maximum_method: Option<&'static str>,
    /// How the difference is tested.
    pub test_method: Option<&'static str>,
    /// Differences besides the figures.
    pub differences: Vec<ManifestDifference>,
    /// Why the figures must not be used; empty for valid measurements.
    pub violations: Vec<String>,
    /// The series.
    pub series: Vec<SeriesComparison>,
    /// Series that one side alone measured.
    pub base_only: Vec<String>,
    /// Series that the second side alone has.
    pub other_only: Vec<String>,
}

/// One series of both sides, compared.
#[derive(Clone, Debug, Serialize)]
pub struct SeriesComparison {
    /// Its name on both sides.
    #[serde(skip)]
    pub names: [SeriesName; 2],
    /// Its title; with both names where a file of another tool does not say the policy.
    #[serde(rename = "series")]
    pub title: String,
    /// Values of the first side.
    pub base_count: u64,
    /// Values of the second side.
    pub other_count: u64,
    /// Triggers and rounds of which there is no figure.
    pub base_without: u64,
    /// Triggers of the second side without a value.
    pub other_without: u64,
    /// In which order the values of both sides came is known.
    pub in_order: bool,
    /// Both sides have the same values in the same order.
    pub identical: bool,
    /// The figures.
    pub shifts: Vec<Shift>,
    /// Whether they differ at all; none where figures are exact.
    pub test: Option<Test>,
    /// How many samples of each side the test would take, where there are too few.
    pub test_needs: Option<u64>,
}

impl Comparison {
    /// Compares two cases.
    ///
    /// # Errors
    /// The cases cannot be compared, and why; the disk's.
    pub fn of(base: &MeasuredCase, other: &MeasuredCase, ask: &Ask<'_>) -> Result<Self> {
        let exact = is_exact(base, other)?;
        let asked = |series: &Series| is_asked(series, base, ask);
        let all = matching(base, other);
        let pairs: Vec<&[&Series; 2]> = all.iter().filter(|[base, _]| asked(base)).collect();
        if pairs.is_empty() {
            return Err(CompareError::NothingCommon {
                base: base.name(),
                other: other.name(),
                bases: base.series_names(),
                others: other.series_names(),
            }
            .into());
        }
        let one =
            |[base, other]: &&[&Series; 2]| SeriesComparison::of(base, other, ask.quantiles, exact);
        let only = |one: &MeasuredCase, side: usize| -> Vec<String> {
            let is_matched = |one: &Series| all.iter().any(|pair| pair[side].name == one.name);
            let lonely = one.series.iter().filter(|one| asked(one) && !is_matched(one));
            lonely.map(|one| one.name.to_string()).collect()
        };
        let method = |name: &'static str| (!exact).then_some(name);
        Ok(Self {
            version: VERSION,
            base: base.name(),
            other: other.name(),
            exact,
            level: LEVEL,
            quantile_method: QUANTILE_METHOD,
            interval_method: method(INTERVAL_METHOD),
            maximum_method: method(MAXIMUM_METHOD),
            test_method: method(TEST_METHOD),
            differences: differences(base, other),
            violations: [base, other].into_iter().flat_map(violations).collect(),
            series: pairs.iter().map(one).collect::<Result<_>>()?,
            base_only: only(base, 0),
            other_only: only(other, 1),
        })
    }
}

/// Returns whether figures are exact: virtual nanoseconds of one length on both sides, or real ones
/// on both.
pub(crate) fn is_exact(base: &MeasuredCase, other: &MeasuredCase) -> Result<bool, CompareError> {
    let of = |one: &MeasuredCase| one.summary.instruction_femtoseconds;
    let clocks = |twin: &MeasuredCase, other: &MeasuredCase| CompareError::OtherClock {
        twin: twin.name(),
        other: other.name(),
    };
    match (base.summary.twin, other.summary.twin) {
        (true, false) => return Err(clocks(base, other)),
        (false, true) => return Err(clocks(other, base)),
        _ => {}
    }
    match (of(base), of(other)) {
        (None, None) => Ok(false),
        (Some(one), Some(two)) if one == two => Ok(true),
        (Some(one), Some(two)) => Err(CompareError::OtherInstruction {
            twin: base.name(),
            other: other.name(),
            twin_ns: one / 1_000_000,
            other_ns: two / 1_000_000,
        }),
        // One of them was reached by its generator only: it ran as fast as it could.
        _ => Ok(false),
    }
}

fn is_asked(series: &Series, base: &MeasuredCase, ask: &Ask<'_>) -> bool {
    let in_view = series.name.is_in(ask.view.unwrap_or(base.main_view()));
    let is_named =
        ask.names.is_empty() || ask.names.iter().any(|name| series.name.answers_to(name));
    in_view && is_named
}

fn violations(one: &MeasuredCase) -> Vec<String> {
    let unfinished = "the case has no end in the log: it is not known what is missing";
    let told = one.summary.violations.iter().map(String::as_str);
    let all = told.chain((!one.summary.finished).then_some(unfinished));
    all.map(|text| format!("{}: {text}", one.name())).collect()
}

fn title(base: &SeriesName, other: &SeriesName) -> String {
    let short = |name: &SeriesName| match name {
        SeriesName::Benchmark { variant, series, .. } => format!("{variant} {series}"),
        SeriesName::Stage { .. } => name.to_string(),
    };
    if base == other { base.to_string() } else { format!("{base} | {}", short(other)) }
}

impl SeriesComparison {
    fn of(base: &Series, other: &Series, quantiles: &[Quantile], exact: bool) -> Result<Self> {
        let shift = |quantile: &Quantile| match exact {
            true => Shift::exact(base, other, *quantile).transpose(),
            false => Shift::estimated(base, other, *quantile, LEVEL).transpose(),
        };
        let in_order = base.is_in_order() && other.is_in_order();
        let test = (in_order && !exact).then(|| differ(base, other)).transpose()?;
        Ok(Self {
            title: title(&base.name, &other.name),
            names: [base.name.clone(), other.name.clone()],
            base_count: base.sorted.count(),
            other_count: other.sorted.count(),
            base_without: base.without,
            other_without: other.without,
            in_order,
            identical: in_order && base.values.is_same(&other.values)?,
            shifts: quantiles.iter().filter_map(shift).collect::<Result<_>>()?,
            test: test.as_ref().and_then(|test| test.ok()),
            test_needs: test.and_then(|test| test.err()).map(|short| short.needed),
        })
    }

    /// Returns whether responses are missing on one side: the figures leave them out.
    pub fn lacks_responses(&self) -> bool {
        self.base_without > 0 || self.other_without > 0
    }
}
