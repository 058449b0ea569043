// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `irqscope locks`: how long critical sections are held.

use irqscope_analysis::Locks as Figures;
use irqscope_report::{Extras, locks_text};
use irqscope_run::RunDir;

use super::report::{Pages, finish};
use super::{Done, print_json};
use crate::cli::Locks;
use crate::exit::{Exit, Trouble};

/// Sites in a table, unless another number is asked for.
pub const TOP: usize = 20;

pub fn locks(options: &Locks) -> Done {
    let run = RunDir::open(&options.run)?;
    let period = options.period.map(|period| period.0);
    let mut all = Vec::new();
    let mut names = Vec::new();
    for data in run.cases()? {
        let data = data?;
        names.push(data.case.clone());
        if options.case.as_ref().is_none_or(|case| *case == data.case) {
            all.extend(Figures::of_case(&data, period));
        }
    }
    check(options, &names, &all)?;
    if options.json {
        print_json(&all)?;
    } else {
        print!("{}", locks_text(&all, options.top, options.draw));
    }
    Ok(Exit::Fine)
}

/// Shows the sections of a run that was made for them.
pub fn show_all(run: &RunDir, json: bool) -> Done {
    let (mut all, mut notes) = (Vec::new(), Vec::new());
    for data in run.cases()? {
        let data = data?;
        notes.extend(data.notes.iter().map(|note| note.text.clone()));
        all.extend(Figures::of_case(&data, None));
    }
    if json {
        print_json(&all)?;
    } else {
        print!("{}", locks_text(&all, TOP, 0));
        notes.iter().for_each(|note| println!("{note}"));
    }
    let (summary, figures) = irqscope_analysis::derive_figures(run)?;
    finish(run, &summary, figures, Extras::default(), (Pages::None, !json))
}

fn check(options: &Locks, names: &[String], found: &[Figures]) -> Result<(), Trouble> {
    if let Some(case) = options.case.as_ref().filter(|case| !names.contains(case)) {
        let text = format!("no case {case}; there are: {}", names.join(", "));
        return Err(Trouble::new(Exit::Usage, text));
    }
    if found.is_empty() {
        let text = "this run has no record of critical sections: measure a kernel with \
                    delayed locking (irqscope run delayed-locking), any in the twin with --sections, one with \
                    CONFIG_PREEMPT_TRACER by irqscope watch sections, or any with --explain";
        return Err(Trouble::new(Exit::Usage, text));
    }
    Ok(())
}
