// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `irqscope explain`: what late responses waited for.

use std::path::Path;

use irqscope_analysis::{Explained, Explanation, Truth, overheads};
use irqscope_report::{
    cause_rows_table, explanation_table, overhead_table, perfetto, sample_timeline, truth_table,
};
use irqscope_run::{CaseData, RunDir};

use super::{Done, print_json, write_new};
use crate::cli::Explain;
use crate::exit::{Exit, Trouble};

pub fn explain(options: &Explain) -> Done {
    let run = RunDir::open(&options.run)?;
    if options.overhead {
        return overhead(&run, options);
    }
    if options.truth {
        return truth(&run, options);
    }
    let mut explanations = Vec::new();
    let mut timelines = Vec::new();
    for data in run.cases()? {
        let data = data?;
        if data.explained.is_some() && is_asked(options, &data.case) {
            one_case(options, &data, &mut explanations, &mut timelines);
        }
    }
    if explanations.is_empty() {
        return Err(nothing(&run, options)?);
    }
    if let Some(path) = &options.perfetto {
        write_perfetto(path, &timelines)?;
    }
    match (options.json, options.rows) {
        (true, _) => print_json(&explanations)?,
        (_, true) => print!("{}", cause_rows_table(&explanations)),
        _ => print!("{}", explanation_table(&explanations)),
    }
    if options.worst > 0 && !options.json {
        for (case, one) in &timelines {
            print!("\n{}", sample_timeline(case, one));
        }
    }
    let violations: usize = explanations.iter().map(|one| one.violations).sum();
    Ok(if violations == 0 { Exit::Fine } else { Exit::Invalid })
}

fn is_asked(options: &Explain, case: &str) -> bool {
    options.case.as_ref().is_none_or(|asked| asked == case)
}

fn one_case(
    options: &Explain,
    data: &CaseData,
    explanations: &mut Vec<Explanation>,
    timelines: &mut Vec<(String, Explained)>,
) {
    let (stages, samples) = Explanation::of_case(data, options.above.0);
    let asked = |one: &Explanation| options.stage.is_none_or(|stage| stage == one.stage);
    for stage in stages.into_iter().filter(asked) {
        for seq in stage.worst.iter().take(options.worst.max(1)) {
            let found = samples.iter().find(|one| one.seq == *seq && one.stage == stage.stage);
            timelines.extend(found.map(|one| (data.case.clone(), one.clone())));
        }
        explanations.push(stage);
    }
}

/// Returns why there is nothing to explain.
fn nothing(run: &RunDir, options: &Explain) -> Result<Trouble, Trouble> {
    let (mut names, mut benchmarks) = (Vec::new(), false);
    for data in run.cases()? {
        let data = data?;
        benchmarks |= !data.benchmarks.is_empty();
        if data.explained.is_some() {
            names.push(data.case);
        }
    }
    let text = match (&options.case, names.is_empty()) {
        (_, true) if benchmarks => format!(
            "{} has benchmarks, of which no events are recorded; irqscope run sleeps has what the late \
             sleeps of a thread waited for, with options for kernel, state and count",
            run.path().display()
        ),
        (_, true) => format!(
            "{} has no events; measure again with irqscope run … --explain",
            run.path().display()
        ),
        (Some(case), _) => {
            format!("there is no case `{case}` with events; there are: {}", names.join(", "))
        }
        (None, _) => "the stage was not asked for in this run; see its manifest.json".to_owned(),
    };
    Ok(Trouble::new(Exit::Usage, text))
}

fn write_perfetto(path: &Path, timelines: &[(String, Explained)]) -> Result<(), Trouble> {
    let case = timelines.first().map_or("", |(case, _)| case);
    let samples: Vec<&Explained> =
        timelines.iter().filter(|(of, _)| of == case).map(|(_, one)| one).collect();
    write_new(path, perfetto(case, &samples))
}

fn truth(run: &RunDir, options: &Explain) -> Done {
    let mut all = Vec::new();
    for data in run.cases()? {
        let data = data?;
        all.extend(Truth::of(&data).filter(|_| is_asked(options, &data.case)));
    }
    if all.is_empty() {
        let text = "the run has no case with faults and events; see scenarios/faults.toml";
        return Err(Trouble::new(Exit::Usage, text));
    }
    match options.json {
        true => print_json(&all)?,
        false => all.iter().for_each(|truth| print!("{}", truth_table(truth))),
    }
    Ok(Exit::Fine)
}

fn overhead(run: &RunDir, options: &Explain) -> Done {
    let overheads = overheads(&irqscope_analysis::derive(run)?);
    if overheads.is_empty() {
        let text = "the run has no case both with and without events; set explain-effect = true in the scenario";
        return Err(Trouble::new(Exit::Usage, text));
    }
    match options.json {
        true => print_json(&overheads)?,
        false => print!("{}", overhead_table(&overheads)),
    }
    Ok(Exit::Fine)
}
