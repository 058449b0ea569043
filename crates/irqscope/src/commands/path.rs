// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `irqscope path`: what was executed in one latency, or in one and not in another.

use std::path::Path;

use irqscope_analysis::{At, ComparedPaths, ShownPath};
use irqscope_report::{PATH_CAVEAT, check_line, difference_table, flame, path_table, path_title};
use irqscope_run::RunDir;

use super::{Done, print_json, write_new};
use crate::cli::Path as Options;
use crate::exit::{Exit, Trouble};

pub fn path(options: &Options) -> Done {
    let first_at = options.from.unwrap_or(options.at);
    let first = show(&options.run, options.case.as_deref(), options, first_at)?;
    let second = second(options, &first)?;
    let last = second.as_ref().unwrap_or(&first);
    if let Some(file) = &options.svg {
        write_new(file, flame(&last.tree, &path_title(&last.case, &last.sample), PATH_CAVEAT))?;
    }
    if let Some(file) = &options.folded {
        write_new(file, last.tree.folded())?;
    }
    let agrees = [Some(&first), second.as_ref()];
    let agrees = agrees.into_iter().flatten().all(|shown| shown.check.mismatches.is_empty());
    match second {
        Some(second) => print_both(first, second, options.json)?,
        None => print_one(&first, options.json)?,
    }
    Ok(if agrees { Exit::Fine } else { Exit::Invalid })
}

/// Returns what the first one is compared with, if it is.
fn second(options: &Options, first: &ShownPath) -> Result<Option<ShownPath>, Trouble> {
    if let Some(to) = options.to {
        return show(&options.run, Some(&first.case), options, to).map(Some);
    }
    if options.against.is_none() && options.against_case.is_none() {
        return Ok(None);
    }
    let run = options.against.as_ref().unwrap_or(&options.run);
    let case = options.against_case.as_deref().unwrap_or(&first.case);
    show(run, Some(case), options, options.at).map(Some)
}

fn show(run: &Path, case: Option<&str>, options: &Options, at: At) -> Result<ShownPath, Trouble> {
    Ok(ShownPath::of(&RunDir::open(run)?, case, options.stage, at)?)
}

fn print_one(shown: &ShownPath, json: bool) -> Result<(), Trouble> {
    if json {
        return print_json(shown);
    }
    println!("{}\n\n{}", path_title(&shown.case, &shown.sample), path_table(&shown.tree));
    println!("{}\n{PATH_CAVEAT}", check_line(&shown.check));
    Ok(())
}

fn print_both(first: ShownPath, second: ShownPath, json: bool) -> Result<(), Trouble> {
    let compared = ComparedPaths::of(first, second);
    if json {
        return print_json(&compared);
    }
    let ComparedPaths { first, second, difference } = compared;
    println!("first     {}", path_title(&first.case, &first.sample));
    println!("second    {}\n", path_title(&second.case, &second.sample));
    println!("{}", difference_table(&difference));
    println!("{}", check_line(&first.check));
    if second.case != first.case {
        println!("{}", check_line(&second.check));
    }
    println!("{PATH_CAVEAT}");
    Ok(())
}
