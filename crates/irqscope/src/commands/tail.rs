// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `irqscope tail`: what is to be expected beyond the samples.

use irqscope_analysis::{Ascending, Measured, MeasuredCase, SeriesName, TAIL_METHOD, Tail};
use irqscope_report::{TailRow, tail_table};
use serde_json::json;

use super::compare::load;
use super::{Done, print_json};
use crate::cli;
use crate::exit::{Exit, Trouble};

/// The limit of the extrapolation, as a multiple of the measured time.
const FARTHEST: f64 = 1_000.0;

pub fn tail(options: &cli::Tail) -> Done {
    let cases = load(&options.run)?;
    let mut rows = Vec::new();
    for case in &cases {
        for series in case.series.iter().filter(|series| is_asked(options, case, series)) {
            rows.push(row(options, case, series)?);
        }
    }
    if rows.is_empty() {
        let names = cases.iter().flat_map(|case| &case.series);
        let mut names: Vec<String> = names.map(|series| series.name.to_string()).collect();
        names.dedup();
        let text = format!("nothing of that name was measured; there are: {}", names.join(", "));
        return Err(Trouble::new(Exit::Usage, text));
    }
    match options.json {
        true => print_json(&rows.iter().map(as_json).collect::<Vec<_>>())?,
        false => print!("{}", tail_table(&rows)),
    }
    let invalid = cases.iter().any(|case| !case.summary.violations.is_empty());
    let supported = rows.iter().any(|row| row.tail.is_ok());
    Ok(if supported && !invalid { Exit::Fine } else { Exit::Invalid })
}

fn is_asked(options: &cli::Tail, case: &MeasuredCase, series: &Measured) -> bool {
    let names = &options.stages;
    let is_named = names.is_empty() || names.iter().any(|name| series.name.answers_to(name));
    is_named && series.name.is_in(options.view.unwrap_or(case.main_view()))
}

fn row(options: &cli::Tail, case: &MeasuredCase, series: &Measured) -> Result<TailRow, Trouble> {
    let (count, period_ns) = (series.sorted.count() as f64, period_ns(case, series));
    let mut every = [1.0, 10.0, 100.0].map(|times| times * count).to_vec();
    if !options.every.is_empty() {
        let name = format!("{} {}", case.name(), series.name);
        let period = period_ns.ok_or_else(|| {
            let text = format!("{name} has no period: the number of samples in a time is unknown; leave --every out");
            Trouble::new(Exit::Usage, text)
        })?;
        every = options.every.iter().map(|span| span.0 as f64 / period as f64).collect();
        if every.iter().any(|samples| *samples > FARTHEST * count) {
            let text = format!(
                "--every goes farther than {FARTHEST} times what was measured of {name}; ask for less, or measure longer"
            );
            return Err(Trouble::new(Exit::Usage, text));
        }
    }
    Ok(TailRow {
        case: case.name(),
        title: series.name.to_string(),
        twin: case.summary.twin,
        period_ns,
        tail: Tail::of(series, &every)?,
    })
}

/// Returns the time from one sample to the next, where it is known.
fn period_ns(case: &MeasuredCase, series: &Measured) -> Option<u64> {
    let plan = case.case.plan.as_ref()?;
    match &series.name {
        // In turns each stage is asked by every n-th trigger.
        SeriesName::Stage { .. } => {
            let triggers = case.summary.triggers.max(1);
            let share = triggers as f64 / (series.sorted.count() + series.without).max(1) as f64;
            Some((plan.stages()?.period_ns as f64 * share) as u64)
        }
        SeriesName::Benchmark { benchmark, variant, .. } => {
            let asked = plan
                .benchmarks()
                .iter()
                .find(|one| one.kind() == *benchmark && one.variant() == *variant);
            asked?.period_ns()
        }
    }
}

fn as_json(row: &TailRow) -> serde_json::Value {
    let (tail, refusal) = match &row.tail {
        Ok(tail) => (Some(tail), None),
        Err(refusal) => (None, Some(refusal.to_string())),
    };
    json!({
        "case": row.case, "series": row.title, "method": TAIL_METHOD, "twin": row.twin,
        "period_ns": row.period_ns, "tail": tail, "refusal": refusal,
    })
}
