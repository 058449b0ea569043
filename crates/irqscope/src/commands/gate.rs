// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `irqscope gate`: verdicts, for people and for continuous integration.

use irqscope_analysis::{
    Allowance, Ask, Changed, ManifestDifference, MeasuredCase, Verdict, hold_all, hold_all_against,
    may_be_held,
};
use irqscope_quantity::Limit;
use irqscope_report::{junit, tap};

use super::compare::load;
use super::{Done, print_json, write_new};
use crate::cli::Gate;
use crate::exit::{Exit, Trouble};

pub fn gate(options: &Gate) -> Done {
    let cases = load(&options.run)?;
    let base = options.against.as_ref().map(load).transpose()?.unwrap_or_default();
    may_be_held(cases.iter().chain(&base))?;
    let limits = limits(options, &cases)?;
    let mut verdicts = hold_all(&cases, &limits)?;
    if options.against.is_some() {
        verdicts.extend(against(options, &base, &cases)?);
    }
    if let Some(path) = &options.junit {
        write_new(path, junit(&verdicts))?;
    }
    let exceeded = verdicts.iter().filter(|verdict| !verdict.passed);
    if options.json {
        print_json(&verdicts)?;
    } else if options.tap {
        print!("{}", tap(&verdicts));
    } else {
        exceeded.clone().for_each(|one| println!("{}: {}: {}", one.case, one.asked, one.found));
    }
    Ok(if exceeded.count() == 0 { Exit::Fine } else { Exit::Exceeded })
}

/// Returns the limits that were asked for, else those of the scenario.
fn limits(options: &Gate, cases: &[MeasuredCase]) -> Result<Vec<Limit>, Trouble> {
    if !options.max.is_empty() || options.against.is_some() {
        return Ok(options.max.clone());
    }
    let own = cases.first().map_or(Vec::new(), |case| case.manifest.limits.clone());
    match own.is_empty() {
        true => Err(Trouble::new(
            Exit::Usage,
            "there is nothing to hold the run against: give --max 'user<150us@p99.9' or \
                           --against BASELINE, or write limits into the scenario",
        )),
        false => Ok(own),
    }
}

fn against(
    options: &Gate,
    base: &[MeasuredCase],
    cases: &[MeasuredCase],
) -> Result<Vec<Verdict>, Trouble> {
    let ask = Ask { names: &options.stages, view: None, quantiles: &options.at };
    let allowance = Allowance { ask, percent: options.allow.0, strict: options.strict };
    let held = hold_all_against(base, cases, &allowance)?;
    for Changed { case, setting } in held.changed {
        let ManifestDifference { what, base, other, .. } = setting;
        eprintln!("irqscope: {case}: {what} differs from the baseline: {base} | {other}");
    }
    Ok(held.verdicts)
}
