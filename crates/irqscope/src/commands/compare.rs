// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `irqscope compare`: one case against another, or each against its namesake.

use irqscope_analysis::{Ask, CompareError, Comparison, MeasuredCase, pairs};
use irqscope_report::{Compared, comparison_table, write_comparisons};
use irqscope_run::RunDir;

use super::{Done, print_json};
use crate::cli::{Chosen, Compare};
use crate::exit::{Exit, Trouble};

pub fn compare(options: &Compare) -> Done {
    let mut sides = Vec::new();
    for chosen in &options.runs {
        sides.push(load(chosen)?);
    }
    let pairs = all_pairs(&sides)?;
    let ask = Ask { names: &options.stages, view: options.view, quantiles: &options.at };
    let mut comparisons = Vec::new();
    for (base, other) in &pairs {
        comparisons.push(Comparison::of(base, other, &ask)?);
    }
    let of = |(comparison, (base, other))| Compared { comparison, base, other };
    let compared: Vec<Compared<'_>> = comparisons.iter().zip(pairs).map(of).collect();
    match options.json {
        true => print_json(&comparisons)?,
        false => print!("{}", compared.iter().map(comparison_table).collect::<Vec<_>>().join("\n")),
    }
    if let Some(out) = &options.out {
        let json = serde_json::to_string_pretty(&comparisons);
        let json = json.map_err(|error| Trouble::new(Exit::Usage, error))?;
        let page = write_comparisons(out, &compared, &json)?;
        eprintln!("page: {}", page.display());
    }
    let valid = comparisons.iter().all(|one| one.violations.is_empty());
    Ok(if valid { Exit::Fine } else { Exit::Invalid })
}

/// Reads the chosen cases of a run.
pub(super) fn load(chosen: &Chosen) -> Result<Vec<MeasuredCase>, Trouble> {
    let run = RunDir::open(&chosen.run)?;
    Ok(MeasuredCase::load(&run, chosen.case.as_deref())?)
}

/// Pairs the first side with each other one; of one side alone its first case with the others.
fn all_pairs(
    sides: &[Vec<MeasuredCase>],
) -> Result<Vec<(&MeasuredCase, &MeasuredCase)>, CompareError> {
    let [base, others @ ..] = sides else { return Ok(Vec::new()) };
    if others.is_empty() {
        return match base.as_slice() {
            [first, others @ ..] if !others.is_empty() => {
                Ok(others.iter().map(|other| (first, other)).collect())
            }
            _ => Err(CompareError::Alone {
                run: base.first().map_or_else(String::new, |one| one.run.clone()),
            }),
        };
    }
    let mut all = Vec::new();
    for other in others {
        all.extend(pairs(base, other)?);
    }
    Ok(all)
}
