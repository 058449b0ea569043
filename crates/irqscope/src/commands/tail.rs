// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `irqscope tail`: what is to be expected beyond the samples.

use irqscope_analysis::{TailAsk, tails};
use irqscope_report::tail_table;

use super::compare::load;
use super::{Done, print_json};
use crate::cli;
use crate::exit::Exit;

pub fn tail(options: &cli::Tail) -> Done {
    let cases = load(&options.run)?;
    let cli::Tail { stages, view, every, .. } = options;
    let all = tails(&cases, &TailAsk { names: stages, view: *view, every })?;
    match options.json {
        true => print_json(&all)?,
        false => print!("{}", tail_table(&all)),
    }
    let invalid = cases.iter().any(|case| !case.summary.violations.is_empty());
    let supported = all.iter().any(|one| one.tail.is_some());
    Ok(if supported && !invalid { Exit::Fine } else { Exit::Invalid })
}
