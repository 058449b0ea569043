// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `irqscope report`: everything that can be derived from a run's log.

use irqscope_analysis::{
    Above, CaseFigures, Explanation, Summary, Sweep, Verdict, explanations, hold_own,
};
use irqscope_quantity::Quantile;
use irqscope_report::{
    About, Extras, Form, Line, answer, axes, axis_screen, below, by_axis, csv, locks_text, narrow,
};
use irqscope_run::RunDir;

use super::probing::usage;
use super::{Done, print_json};
use crate::cli::{Report, Shown};
use crate::console;
use crate::exit::{Exit, Trouble};

pub fn report(options: &Report) -> Done {
    let form = if options.intspect { Form::Intspect } else { Form::Logarithmic };
    let run = RunDir::open(&options.run)?;
    match &options.by {
        Some(axis) => show_by(&run, axis, form),
        None => show_answer(&run, &options.shown, None, Pages::All(form)),
    }
}

/// Derives likewise, and prints figures by the levels of an axis.
fn show_by(run: &RunDir, axis: &str, form: Form) -> Done {
    let (summary, figures) = irqscope_analysis::derive_figures(run)?;
    let Some(by) = by_axis(run.manifest(), &summary, axis) else {
        let all = axes(run.manifest()).join(", ");
        let have =
            if all.is_empty() { "nothing varies".to_owned() } else { format!("there are {all}") };
        return usage(format!("this run has no two levels of `{axis}`: {have}"));
    };
    print_lines(&axis_screen(&by, console::width()));
    finish(run, &summary, figures, Extras::default(), (Pages::All(form), true))
}

/// The output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Table,
    /// summary.json
    Summary,
    /// sweep.json
    Sweep,
    /// Somebody else does.
    Nothing,
}

/// The pages and pictures that are written into the run directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pages {
    All(Form),
    None,
}

/// Derives the figures of a run and prints them.
pub fn show(run: &RunDir, format: Format) -> Done {
    show_whole(run, format, Pages::All(Form::default()))
}

fn show_whole(run: &RunDir, format: Format, pages: Pages) -> Done {
    let (summary, figures) = irqscope_analysis::derive_figures(run)?;
    // The table first: what goes wrong with a picture must not hide it.
    match format {
        Format::Table => print!("{}", irqscope_report::table(&summary)),
        Format::Summary => print_json(&summary)?,
        Format::Sweep => print_json(&Sweep::of(&summary))?,
        Format::Nothing => {}
    }
    finish(run, &summary, figures, Extras::default(), (pages, format == Format::Table))
}

/// Derives likewise, and prints an answer in words before a table that fits the terminal; of a
/// sweep its own table.
pub fn show_answer(run: &RunDir, shown: &Shown, scenario: Option<&str>, pages: Pages) -> Done {
    if shown.json || shown.wide {
        let format = if shown.json { Format::Summary } else { Format::Table };
        return show_whole(run, format, pages);
    }
    let (summary, figures) = irqscope_analysis::derive_figures(run)?;
    if shown.csv {
        print!("{}", csv(&summary, &shown.choice()));
        return finish(run, &summary, figures, Extras::default(), (pages, false));
    }
    let is_chosen = !shown.columns.is_empty() || shown.sort.is_some();
    let mut extras = Extras::default();
    match (Sweep::of(&summary).is_some(), is_chosen) {
        (true, false) => print!("{}", irqscope_report::table(&summary)),
        (true, true) => print_lines(&narrow(&summary, &shown.choice(), console::width())),
        (false, _) => {
            let explanations = explanations(run, Above::Quantile(Quantile::P99))?;
            let verdicts = hold_own(run)?;
            let of_sections = print_sections(&figures);
            let facts = (&explanations[..], &verdicts[..], of_sections);
            first_screen(run, &summary, facts, shown, scenario);
            (extras.explained, extras.verdicts) = (Some(explanations), Some(verdicts));
        }
    }
    finish(run, &summary, figures, extras, (pages, true))
}

/// Derives likewise, and prints the one screen of a watch. Pages, which take a slow machine long, are
/// drawn where they are asked for.
pub fn show_watch(run: &RunDir, json: bool, limit_ns: Option<u64>) -> Done {
    if json {
        return show_whole(run, Format::Summary, Pages::None);
    }
    let (summary, figures) = irqscope_analysis::derive_figures(run)?;
    print_lines(&irqscope_report::watch_screen(&summary, &figures, console::width(), limit_ns)?);
    finish(run, &summary, figures, Extras::default(), (Pages::None, true))
}

/// Prints the critical sections of a run that has nothing else, and returns whether it is one.
fn print_sections(figures: &[CaseFigures]) -> bool {
    if !figures.iter().all(CaseFigures::is_empty) {
        return false;
    }
    let all: Vec<_> = figures.iter().flat_map(|case| case.locks.clone()).collect();
    print!("{}", locks_text(&all, super::locks::TOP, 0));
    !all.is_empty()
}

fn first_screen(
    run: &RunDir,
    summary: &Summary,
    (explanations, verdicts, of_sections): (&[Explanation], &[Verdict], bool),
    shown: &Shown,
    scenario: Option<&str>,
) {
    let (width, path) = (console::width(), run.path().display().to_string());
    let about = About { run: &path, scenario, explanations, verdicts, of_sections, width };
    let blocks =
        [answer(summary, &about), narrow(summary, &shown.choice(), width), below(summary, width)];
    for (place, block) in blocks.iter().filter(|lines| !lines.is_empty()).enumerate() {
        if place > 0 {
            println!();
        }
        print_lines(block);
    }
}

pub fn print_lines(lines: &[Line]) {
    lines.iter().for_each(|Line { text, alarming }| console::line(text, *alarming));
}

/// Writes the report, names it where its name is asked for, and ends with the state of the
/// measurement.
pub fn finish(
    run: &RunDir,
    summary: &Summary,
    figures: Vec<CaseFigures>,
    extras: Extras,
    (pages, is_named): (Pages, bool),
) -> Result<Exit, Trouble> {
    let html = match pages {
        Pages::All(form) => {
            Some(irqscope_report::write_figures(run, summary, figures, Extras { form, ..extras })?)
        }
        Pages::None => None,
    };
    if is_named {
        println!("\nrun     {}", run.path().display());
        if let Some(html) = html {
            println!("report  {}", html.display());
        }
    }
    irqscope_analysis::check(summary)?;
    Ok(Exit::Fine)
}
