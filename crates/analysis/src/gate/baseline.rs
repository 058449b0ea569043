// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A run held against a baseline: how much later it may be, and a verdict for each case, series and
//! quantile.

use std::str::FromStr;

use irqscope_quantity::{Quantile, grouped};

use super::all::is_measured;
use super::{Verdict, series, time, triggers};
use crate::compare::{
    Ask, ManifestDifference, MeasuredCase, Series, Shift, differences, is_exact, matching, pairs,
};
use crate::{AnalysisError, Result};

/// How much later a case may be than its baseline.
#[derive(Clone, Debug)]
pub struct Allowance<'a> {
    /// The comparison.
    pub ask: Ask<'a>,
    /// The allowance, in per cent.
    pub percent: f64,
    /// A bound that is not shown to hold has not passed.
    pub strict: bool,
}

/// An allowance in per cent, as it is written: `5%`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Allow(
    /// Per cent.
    pub f64,
);

impl FromStr for Allow {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = text.strip_suffix('%').and_then(|number| number.trim().parse::<f64>().ok());
        let sound = number.filter(|percent| (0.0..=10_000.0).contains(percent));
        sound.map(Self).ok_or_else(|| "not an allowance; write 5% or 0%".to_owned())
    }
}

/// A run, held against its baseline.
#[derive(Clone, Debug, Default)]
pub struct HeldAgainst {
    /// The verdicts, by case; a case that one side alone has, has not passed.
    pub verdicts: Vec<Verdict>,
    /// Settings that differ between the two and can change the figures by themselves.
    pub changed: Vec<Changed>,
}

/// A setting of a case that differs from the baseline's.
#[derive(Clone, Debug)]
pub struct Changed {
    /// The case's run and name.
    pub case: String,
    /// The setting, and both values.
    pub setting: ManifestDifference,
}

/// Holds all cases of a run against the cases of a baseline that [`pairs`] gives them.
///
/// # Errors
/// No case is on both sides; cases cannot be compared; a stage or benchmark that was asked for is on
/// neither side; or the disk's.
pub fn hold_all_against(
    base: &[MeasuredCase],
    cases: &[MeasuredCase],
    allowance: &Allowance<'_>,
) -> Result<HeldAgainst> {
    for name in allowance.ask.names {
        is_measured(name, cases.iter().chain(base))?;
    }
    let pairs = pairs(base, cases).map_err(AnalysisError::from)?;
    let mut held = HeldAgainst::default();
    for (base, other) in &pairs {
        let changed = differences(base, other).into_iter().filter(|one| one.matters);
        held.changed.extend(changed.map(|setting| Changed { case: other.name(), setting }));
        held.verdicts.extend(hold_against(base, other, allowance)?);
    }
    let is_paired = |case: &MeasuredCase| {
        pairs.iter().any(|(base, other)| base.name() == case.name() || other.name() == case.name())
    };
    for case in base.iter().chain(cases).filter(|case| !is_paired(case)) {
        let found = format!("only {} has it", case.run);
        let asked = "the same case on both sides".into();
        held.verdicts.push(Verdict::new(&case.case.case, asked, false, found));
    }
    Ok(held)
}

/// Verdicts for each series: whether it was answered as often, and one for each
/// quantile. Where chance has a part in it, an interval says what was shown: all of
/// them together are wrong with 5 % at most (Bonferroni).
///
/// # Errors
/// The cases cannot be compared, or the disk's.
pub fn hold_against(
    base: &MeasuredCase,
    other: &MeasuredCase,
    allowance: &Allowance<'_>,
) -> Result<Vec<Verdict>> {
    let exact = is_exact(base, other)?;
    let ask = &allowance.ask;
    let view = ask.view.unwrap_or(base.main_view());
    let case = other.case.case.as_str();
    let failed = |asked: String, found: String| Verdict::new(case, asked, false, found);
    let asked: Vec<&Series> = match ask.names {
        [] => base.series.iter().filter(|one| one.name.is_in(view)).collect(),
        names => names.iter().flat_map(|name| series(base, name, view)).collect(),
    };
    let intervals = (asked.len() * ask.quantiles.len()).max(1);
    let level = 1.0 - (1.0 - crate::LEVEL) / intervals as f64;
    let mut verdicts = Vec::new();
    for name in ask.names.iter().filter(|name| series(base, name, view).is_empty()) {
        let found = format!("{} did not measure it", base.name());
        verdicts.push(failed(format!("{name} against the baseline"), found));
    }
    let pairs = matching(base, other);
    for base in asked {
        let Some([_, other]) = pairs.iter().find(|[one, _]| one.name == base.name) else {
            let asked = format!("{} against the baseline", base.name);
            verdicts.push(failed(asked, "was not measured".into()));
            continue;
        };
        let pair = Pair { case, base, other, exact, level };
        verdicts.push(pair.answered());
        for quantile in ask.quantiles {
            verdicts.push(pair.within(*quantile, allowance)?);
        }
    }
    Ok(verdicts)
}

/// One series on both sides.
struct Pair<'a> {
    case: &'a str,
    base: &'a Series,
    other: &'a Series,
    exact: bool,
    level: f64,
}

impl Pair<'_> {
    /// Responses that are missing are no improvement.
    fn answered(&self) -> Verdict {
        let share = |series: &Series| series.without as f64 / triggers(series).max(1) as f64;
        let asked = format!("{} answered as often as in the baseline", self.other.name);
        let passed = share(self.other) <= share(self.base);
        let (without, before) = (self.other.without, self.base.without);
        let found = format!("without a figure: {without}, in the baseline {before}");
        Verdict::new(self.case, asked, passed, found)
    }

    fn within(&self, quantile: Quantile, allowance: &Allowance<'_>) -> Result<Verdict> {
        let Allowance { percent, strict, .. } = allowance;
        let shift = match self.exact {
            true => Shift::exact(self.base, self.other, quantile)?,
            false => Shift::estimated(self.base, self.other, quantile, self.level)?,
        };
        let in_order = self.base.is_in_order() && self.other.is_in_order();
        let (passed, found) = match shift {
            None => (false, "not one response on one side".into()),
            Some(_) if !self.exact && !in_order => (
                false,
                "in which order the samples came is not known, so the verdict cannot be sure"
                    .into(),
            ),
            Some(shift) => is_within(&shift, *percent, *strict, self.exact),
        };
        let name = &self.other.name;
        let asked = format!("{name} within {percent} % of the baseline at {quantile}");
        Ok(Verdict::new(self.case, asked, passed, found))
    }
}

fn is_within(shift: &Shift, allowed: f64, strict: bool, exact: bool) -> (bool, String) {
    let needed = shift
        .needed
        .map_or_else(String::new, |needed| format!("; it takes about {} samples", grouped(needed)));
    let (Some(base), Some(other)) = (shift.base_ns, shift.other_ns) else {
        let why =
            if shift.needed.is_some() { "too few samples for" } else { "a histogram ends before" };
        return (false, format!("{why} {}{needed}", shift.quantile));
    };
    let [base_time, other_time] = [base, other].map(time);
    let found = format!("{base_time} to {other_time}");
    let Some(percent) = shift.percent else {
        let found = format!("{found}; there are no per cents of what is not above zero");
        return (other <= base, found);
    };
    let found = format!("{found}, {percent:+.1} %");
    if exact {
        return (percent <= allowed, found);
    }
    let Some([low, high]) = shift.interval.and_then(|limits| limits.percent) else {
        return (false, format!("{found}, too few samples to be sure{needed}"));
    };
    let found = format!("{found} [{low:+.1}, {high:+.1}]");
    (if strict { high <= allowed } else { low <= allowed }, found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_allowance_is_in_per_cent() {
        assert_eq!("5%".parse(), Ok(Allow(5.0)));
        assert_eq!("0.5 %".parse(), Ok(Allow(0.5)));
        for wrong in ["5", "-1%", "nan%", "%"] {
            assert!(wrong.parse::<Allow>().unwrap_err().contains("5%"), "{wrong}");
        }
    }
}
