// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Kernels against each other, in sentences.

use irqscope_wire::Stage;

use super::rows::Row;

/// The stages that are compared, where they were asked.
const STAGES: [Stage; 2] = [Stage::User, Stage::Thread];

/// Compares the worst responses of each pair of kernels, in the state in which they are the worst.
pub(super) fn sentences(rows: &[Row<'_>]) -> Vec<String> {
    let kernels = kernels(rows);
    let pairs = pairs(&kernels);
    let sentence = |stage: Stage, (base, other): &(&str, &str)| {
        let of_stage = || rows.iter().filter(|row| row.stage == Some(stage));
        let is_same =
            |row: &Row<'_>, one: &&Row<'_>| one.of.kernel == *other && one.of.state == row.of.state;
        let both = of_stage().filter(|row| row.of.kernel == *base).filter_map(|row| {
            let same = of_stage().find(|one| is_same(row, one))?;
            Some((row, row.worst_ns?, same, same.worst_ns?))
        });
        let worst = |(_, base, _, other): &(_, f64, _, f64)| base.max(*other);
        let (one, base_ns, two, other_ns) =
            both.max_by(|one, other| worst(one).total_cmp(&worst(other)))?;
        Some(format!(
            "In state {}, {stage} waits at most {} on {base} and {} on {other}: {}{}.",
            one.of.state,
            one.worst()?,
            two.worst()?,
            factor(base_ns, other_ns),
            certainty(one, two),
        ))
    };
    let each = |stage: &Stage| pairs.iter().filter_map(|pair| sentence(*stage, pair)).collect();
    STAGES.iter().flat_map(|stage| -> Vec<String> { each(stage) }).collect()
}

fn kernels<'a>(rows: &[Row<'a>]) -> Vec<&'a str> {
    let mut kernels: Vec<&str> = Vec::new();
    for row in rows {
        let name = row.of.kernel.as_str();
        if !kernels.contains(&name) {
            kernels.push(name);
        }
    }
    kernels
}

/// Pairs each real-time kernel with the one that it was made of; without such a pair, the first
/// kernel with each other one.
fn pairs<'a>(kernels: &[&'a str]) -> Vec<(&'a str, &'a str)> {
    let stock = |rt: &&'a str| {
        let plain = rt.strip_suffix("-rt")?;
        kernels.contains(&plain).then_some((plain, *rt))
    };
    let all: Vec<_> = kernels.iter().filter_map(stock).collect();
    match (all.is_empty(), kernels) {
        (true, [first, others @ ..]) => others.iter().map(|other| (*first, *other)).collect(),
        _ => all,
    }
}

/// Formats `22.7 times less`.
fn factor(base_ns: f64, other_ns: f64) -> String {
    let (low, high) = (base_ns.min(other_ns), base_ns.max(other_ns));
    if low <= 0.0 {
        return "which is no factor".to_owned();
    }
    let times = format!("{:.1}", high / low);
    match (times.as_str(), other_ns < base_ns) {
        ("1.0", _) => "about the same".to_owned(),
        (_, true) => format!("{times} times less"),
        (_, false) => format!("{times} times more"),
    }
}

/// Says how sure that is: by the intervals over seeds, or of this run alone.
fn certainty(one: &Row<'_>, other: &Row<'_>) -> String {
    let lost = if one.lost() + other.lost() > 0 { ", lost responses left out" } else { "" };
    let interval = |row: &Row<'_>| row.seeds?.max_ns?.interval_ns;
    let sure = match (interval(one), interval(other)) {
        (Some([low, high]), Some([low2, high2])) if high < low2 || high2 < low => {
            "; over the seeds, the maxima's 95 % intervals are apart"
        }
        (Some(_), Some(_)) => "; over the seeds, the maxima's 95 % intervals overlap",
        _ => ", in this run",
    };
    format!("{sure}{lost}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_real_time_kernel_is_paired_with_its_own_stock_kernel() {
        assert_eq!(
            pairs(&["6.1", "6.12", "6.1-rt", "6.12-rt"]),
            [("6.1", "6.1-rt"), ("6.12", "6.12-rt")]
        );
        assert_eq!(pairs(&["6.1-rt", "6.12"]), [("6.1-rt", "6.12")]);
        assert!(pairs(&["6.1"]).is_empty() && pairs(&[]).is_empty());
    }

    #[test]
    fn a_factor_says_which_side_is_shorter() {
        assert_eq!(factor(317_560.0, 14_000.0), "22.7 times less");
        assert_eq!(factor(10.0, 25.0), "2.5 times more");
        assert_eq!(factor(100.0, 101.0), "about the same");
        assert_eq!(factor(0.0, 5.0), "which is no factor");
    }
}
