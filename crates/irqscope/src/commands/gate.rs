// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `irqscope gate`: verdicts, for people and for continuous integration.

use irqscope_analysis::{
    Allowance, Ask, MeasuredCase, Verdict, differences, hold, hold_against, pairs,
};
use irqscope_report::{junit, tap};

use super::compare::load;
use super::{Done, write_new};
use crate::cli::{Gate, Max};
use crate::exit::{Exit, Trouble};

pub fn gate(options: &Gate) -> Done {
    let cases = load(&options.run)?;
    let base = options.against.as_ref().map(load).transpose()?.unwrap_or_default();
    check(cases.iter().chain(&base))?;
    let mut verdicts = limits(options, &cases)?;
    if options.against.is_some() {
        verdicts.extend(against(options, &base, &cases)?);
    }
    if let Some(path) = &options.junit {
        write_new(path, junit(&verdicts))?;
    }
    let exceeded = verdicts.iter().filter(|verdict| !verdict.passed);
    match options.tap {
        true => print!("{}", tap(&verdicts)),
        false => exceeded.clone().for_each(|one| {
            println!("{}: {}: {}", one.case, one.asked, one.found);
        }),
    }
    Ok(if exceeded.count() == 0 { Exit::Fine } else { Exit::Exceeded })
}

/// Refuses a verdict without a valid and complete measurement.
fn check<'a>(cases: impl Iterator<Item = &'a MeasuredCase>) -> Result<(), Trouble> {
    for case in cases {
        let violation = case.summary.violations.first().cloned();
        let unfinished = || "it did not run to its end; repeat the run".to_owned();
        let failed = (!case.summary.finished || !case.case.has_result()).then(unfinished);
        if let Some(why) = violation.or(failed).or_else(|| case.damage.first().cloned()) {
            let text = format!("no verdict: {}: {why}", case.name());
            return Err(Trouble::new(Exit::Invalid, text));
        }
    }
    Ok(())
}

fn limits(options: &Gate, cases: &[MeasuredCase]) -> Result<Vec<Verdict>, Trouble> {
    let mut all = Vec::new();
    for Max(limit) in &options.max {
        let known =
            |case: &MeasuredCase| case.series.iter().any(|one| one.name.answers_to(&limit.name));
        if !cases.iter().any(known) {
            return Err(unknown(&limit.name, cases));
        }
        for case in cases {
            all.extend(hold(case, limit)?);
        }
    }
    Ok(all)
}

fn unknown(name: &str, cases: &[MeasuredCase]) -> Trouble {
    let names = cases.iter().flat_map(|case| &case.series);
    let mut names: Vec<String> = names.map(|series| series.name.to_string()).collect();
    names.sort();
    names.dedup();
    let text = format!("nothing called `{name}` was measured; there are: {}", names.join(", "));
    Trouble::new(Exit::Usage, text)
}

fn against(
    options: &Gate,
    base: &[MeasuredCase],
    cases: &[MeasuredCase],
) -> Result<Vec<Verdict>, Trouble> {
    for name in &options.stages {
        let known = |case: &MeasuredCase| case.series.iter().any(|one| one.name.answers_to(name));
        if !cases.iter().chain(base).any(known) {
            return Err(unknown(name, cases));
        }
    }
    let ask = Ask { names: &options.stages, view: None, quantiles: &options.at };
    let allowance = Allowance { ask, percent: options.allow.0, strict: options.strict };
    let pairs = pairs(base, cases)?;
    let mut all = Vec::new();
    for (base, other) in &pairs {
        for one in differences(base, other).into_iter().filter(|one| one.matters) {
            eprintln!(
                "irqscope: {}: {} differs from the baseline: {} | {}",
                other.name(),
                one.what,
                one.base,
                one.other
            );
        }
        all.extend(hold_against(base, other, &allowance)?);
    }
    let paired = |case: &&MeasuredCase| {
        pairs.iter().any(|(base, other)| base.name() == case.name() || other.name() == case.name())
    };
    for case in base.iter().chain(cases).filter(|case| !paired(case)) {
        all.push(Verdict {
            case: case.case.case.clone(),
            asked: "the same case on both sides".into(),
            passed: false,
            found: format!("only {} has it", case.run),
        });
    }
    Ok(all)
}
