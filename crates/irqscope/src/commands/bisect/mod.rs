// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `irqscope bisect`: the first kernel of a row whose responses are later than they should be, or the
//! first that has mended that.
//!
//! `history` has the row, `step` measures one kernel, `plan` says which are likely, `search` which
//! is tried next, `account` writes what was found.

mod account;
mod history;
mod plan;
mod search;
mod step;

use irqscope_analysis::Difference;
use irqscope_scenario::{Scenario, ScenarioFile};

use super::Done;
use crate::cli::Bisect;
use crate::exit::{Exit, Trouble};
use account::{Account, time};
use history::{Candidate, History, Sought};
use search::{Search, Verdict};
use step::{Step, Unmeasured, measure};

/// The rule by which a kernel is like the later end of the row.
enum Rule {
    /// Its latency is longer than this.
    Longer(i64),
    /// Its latency is not longer than this.
    NotLonger(i64),
    /// It has other latencies than the earlier end, which has these.
    Unlike(Vec<(i64, u64)>),
}

impl Rule {
    fn verdict(&self, step: &Step) -> Verdict {
        let later = match self {
            Self::Longer(limit) => step.ns > *limit,
            Self::NotLonger(limit) => step.ns <= *limit,
            Self::Unlike(latencies) => step.latencies != *latencies,
        };
        if later { Verdict::Later } else { Verdict::Earlier }
    }
}

pub fn bisect(options: &Bisect) -> Done {
    let file = ScenarioFile::load(&options.scenario)?;
    check(&file, options)?;
    let history = History::of(options)?;
    let mut account = Account::new(options, &history)?;
    let end = |one: &Candidate| needed(measure(&file, options, one), &one.title);
    let (earlier, later) = (end(&history.earlier)?, end(history.later())?);
    let rule = rule(options, history.sought, &earlier, &later)?;
    account.begin(&earlier, &later)?;
    let difference = Difference::new(&earlier.calls()?, &later.calls()?);
    let weights = match options.git.as_ref().filter(|_| !options.unplanned) {
        Some(repository) => {
            let (weights, touching) =
                plan::weights(repository, &history.earlier.id, &history.after, &difference)?;
            eprintln!(
                "irqscope: {touching} of {} commits touch functions whose instructions differ",
                weights.len()
            );
            weights
        }
        None => vec![1.0; history.after.len()],
    };
    let mut search = Search::new(weights);
    let (mut before, mut first) = (earlier, later);
    while let Some(at) = search.next() {
        let one = &history.after[at];
        eprintln!("irqscope: trying {}", one.title);
        let verdict = match measure(&file, options, one) {
            Ok(step) => {
                let verdict = rule.verdict(&step);
                account.step(one, verdict, &time(step.ns))?;
                match verdict {
                    Verdict::Later => first = step,
                    _ => before = step,
                }
                verdict
            }
            Err(Unmeasured::Skipped(why)) => {
                account.step(one, Verdict::Skipped, why.lines().next().unwrap_or_default())?;
                Verdict::Skipped
            }
            Err(Unmeasured::Ended(trouble)) => {
                let note = "the same command goes on with the search";
                return Err(trouble.with_note(note));
            }
        };
        search.note(at, verdict);
    }
    account.end(&history, &search, &before, &first)?;
    Ok(Exit::Fine)
}

/// Refuses a scenario whose steps could not be exact.
fn check(file: &ScenarioFile, options: &Bisect) -> Result<(), Trouble> {
    let mut overrides = irqscope_scenario::Overrides::default();
    options.changes.add_to(&mut overrides);
    let scenario = Scenario::resolve(file, &overrides)?;
    if !scenario.rig.facts().virtual_clock {
        let text = format!(
            "bisect needs rig twin, where one run decides a step; {} has rig {}: add --set rig=twin, or \
             compare two kernels with irqscope compare",
            file.name,
            scenario.rig.name()
        );
        return Err(Trouble::new(Exit::Usage, text));
    }
    let asks = |case: &irqscope_scenario::Case| {
        case.plan.stages().is_some_and(|asked| asked.stages.contains(&options.decides))
    };
    if !scenario.cases().first().is_some_and(asks) {
        let text =
            format!("the scenario does not measure stage {}: add --stage {0}", options.decides);
        return Err(Trouble::new(Exit::Usage, text));
    }
    Ok(())
}

/// Returns the step of an end, which has to be measured.
fn needed(step: Result<Step, Unmeasured>, title: &str) -> Result<Step, Trouble> {
    step.map_err(|why| match why {
        Unmeasured::Skipped(why) => {
            Trouble::new(Exit::Lost, format!("{title} cannot be measured: {why}"))
        }
        Unmeasured::Ended(trouble) => trouble,
    })
}

fn rule(options: &Bisect, sought: Sought, earlier: &Step, later: &Step) -> Result<Rule, Trouble> {
    let what = format!("{} of stage {}", options.quantile, options.decides);
    let refuse = |text: String| Err(Trouble::new(Exit::Usage, text));
    if earlier.latencies == later.latencies {
        return refuse(format!(
            "nothing differs between good and bad: all latencies of stage {} are the same; choose \
             another stage (--decides), another state (--state), or more triggers (--count)",
            options.decides
        ));
    }
    if options.any {
        return Ok(Rule::Unlike(earlier.latencies.clone()));
    }
    let (good, bad) = match sought {
        Sought::Regression => (earlier.ns, later.ns),
        Sought::Fix => (later.ns, earlier.ns),
    };
    if good == bad {
        return refuse(format!(
            "{what} is {} with both: choose another --quantile, or --any for other latencies of it",
            time(good)
        ));
    }
    if good > bad {
        return refuse(format!(
            "good is later than bad: {what} is {} with good and {} with bad; swap them, or use --any",
            time(good),
            time(bad)
        ));
    }
    let limit = match options.limit {
        None => good + (bad - good) / 2,
        Some(limit) => i64::try_from(limit.0).unwrap_or(i64::MAX),
    };
    if !(good..bad).contains(&limit) {
        return refuse(format!(
            "--limit {} is not between good ({}) and bad ({})",
            time(limit),
            time(good),
            time(bad)
        ));
    }
    Ok(match sought {
        Sought::Regression => Rule::Longer(limit),
        Sought::Fix => Rule::NotLonger(limit),
    })
}
