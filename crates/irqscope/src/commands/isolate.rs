// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `irqscope isolate`: everything that took a CPU away from a loop that should have it alone.

use irqscope_analysis::Isolation;
use irqscope_report::isolation_screen;
use irqscope_run::RunDir;

use super::report::print_lines;
use super::{Done, print_json};
use crate::cli::Isolate;
use crate::console;
use crate::exit::{Exit, Trouble};

pub fn isolate(options: &Isolate) -> Done {
    let run = RunDir::open(&options.run)?;
    let (mut all, mut names) = (Vec::new(), Vec::new());
    for data in run.cases()? {
        let data = data?;
        names.push(data.case.clone());
        if options.case.as_ref().is_none_or(|case| *case == data.case) {
            all.extend(Isolation::of_case(&data));
        }
    }
    if let Some(case) = options.case.as_ref().filter(|case| !names.contains(case)) {
        let text = format!("no case {case}; there are: {}", names.join(", "));
        return Err(Trouble::new(Exit::Usage, text));
    }
    if all.is_empty() {
        let text = "this run has no isolated CPU: irqscope run isolate, or [bench.isolate] in a \
                    scenario of your own";
        return Err(Trouble::new(Exit::Usage, text));
    }
    match options.json {
        true => print_json(&all)?,
        false => print_lines(&isolation_screen(&all, options.top, console::width())),
    }
    let whole = all.iter().all(|one| one.ended);
    Ok(if whole { Exit::Fine } else { Exit::Invalid })
}
