// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A comparison in a few sentences: at each quantile how many series are later, how many earlier, and
//! which one differs the most.

use irqscope_analysis::{Comparison, SeriesComparison, Shift};
use irqscope_quantity::{Quantile, alone, change};

/// Formats a sentence for each quantile: where the other side is later or earlier.
pub(crate) fn verdicts(one: &Comparison) -> Vec<String> {
    if one.series.iter().all(|series| series.identical) {
        return vec!["Both sides have the same samples.".to_owned()];
    }
    let mut quantiles: Vec<Quantile> = Vec::new();
    for shift in one.series.iter().flat_map(|series| &series.shifts) {
        if !quantiles.contains(&shift.quantile) {
            quantiles.push(shift.quantile);
        }
    }
    quantiles.into_iter().filter_map(|quantile| sentence(one, quantile)).collect()
}

fn sentence(one: &Comparison, quantile: Quantile) -> Option<String> {
    let of = |series: &'_ SeriesComparison| -> Option<(String, Difference)> {
        let shift = series.shifts.iter().find(|shift| shift.quantile == quantile)?;
        Some((series.title.clone(), Difference::of(shift, one.exact)?))
    };
    let all: Vec<(String, Difference)> = one.series.iter().filter_map(of).collect();
    if all.is_empty() {
        return None;
    }
    let count = |sign: f64| all.iter().filter(|(_, it)| it.ns * sign > 0.0).count();
    let (later, earlier) = (count(1.0), count(-1.0));
    let shown = if one.exact { "" } else { "shown to be " };
    let text = match (later, earlier) {
        (0, 0) if one.exact => format!("{quantile}: the same"),
        (0, 0) => format!("{quantile}: no difference shown"),
        (_, 0) => format!("{quantile}: other is {shown}later in {later} of {}", all.len()),
        (0, _) => format!("{quantile}: other is {shown}earlier in {earlier} of {}", all.len()),
        _ => format!(
            "{quantile}: other is {shown}later in {later} of {}, earlier in {earlier}",
            all.len()
        ),
    };
    let most = all.iter().max_by(|(_, one), (_, other)| one.weight().total_cmp(&other.weight()));
    Some(match most.filter(|_| later + earlier > 0) {
        Some((title, most)) => format!("{text}; the most: {title}, {}", most.text()),
        None => text,
    })
}

/// A difference that counts; of 0 where none was shown.
struct Difference {
    ns: f64,
    percent: Option<f64>,
}

impl Difference {
    /// Returns `None` where no figure is known.
    fn of(shift: &Shift, is_exact: bool) -> Option<Self> {
        let whole = Self { ns: shift.difference_ns? as f64, percent: shift.percent };
        if is_exact {
            return Some(whole);
        }
        let limits = shift.interval?;
        let is_shown = limits.low_ns > 0.0 || limits.high_ns < 0.0;
        // The maximum's interval is of windows of one length, and so is what it shows.
        let shown = match shift.window {
            Some(_) => Self { ns: limits.estimate_ns, percent: None },
            None => whole,
        };
        Some(if is_shown { shown } else { Self { ns: 0.0, percent: None } })
    }

    /// Differences in per cent can be compared where medians are far apart.
    fn weight(&self) -> f64 {
        self.percent.unwrap_or(self.ns / 1e9).abs()
    }

    fn text(&self) -> String {
        let sign = if self.ns > 0.0 { "+" } else { "" };
        let share =
            self.percent.map_or_else(String::new, |percent| format!(" ({})", change(percent)));
        format!("{sign}{}{share}", alone(self.ns.round() as i64))
    }
}
