// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `irqscope scope`: lines over time.

use std::path::Path;

use irqscope_analysis::{Persistence, Slope, Summary, Wave, Waves};
use irqscope_report::{
    SCOPE_TEXT_COLUMNS, ScopeView, scope_columns, scope_png, scope_svg, scope_text,
};
use irqscope_run::{CaseData, RunDir};

use super::{Done, write_new};
use crate::cli::Scope;
use crate::exit::{Exit, Trouble};
use irqscope_quantity::Span;

pub fn scope(options: &Scope) -> Done {
    let run = RunDir::open(&options.run)?;
    let data = case(&run, options.case.as_deref())?;
    let waves = Waves::of(&data).ok_or_else(|| {
        Trouble::new(Exit::Usage, format!("{} has no samples of stages to show", data.case))
    })?;
    let caveat = Summary::read(&run).ok().and_then(|summary| summary.caveat());
    if options.persist {
        persistent(options, &waves, caveat.as_deref())
    } else {
        single(options, &data, &waves, caveat.as_deref())
    }
}

fn case(run: &RunDir, asked: Option<&str>) -> Result<CaseData, Trouble> {
    let cases = &run.manifest().cases;
    let is_asked = |case: &&irqscope_run::CaseManifest| asked.is_none_or(|name| case.case == name);
    let found = (0..).zip(cases).find(|(_, case)| is_asked(case));
    let Some((number, _)) = found else {
        let names: Vec<&str> = cases.iter().map(|case| case.case.as_str()).collect();
        let asked = asked.unwrap_or_default();
        let text = format!("the run has no case {asked}; there are {}", names.join(", "));
        return Err(Trouble::new(Exit::Usage, text));
    };
    Ok(run.case(&run.index()?, number)?)
}

fn single(options: &Scope, data: &CaseData, waves: &Waves, caveat: Option<&str>) -> Done {
    let burst = data.asked().and_then(|asked| asked.burst);
    let last = options.at + burst.map_or(1, |burst| u64::from(burst.triggers)) - 1;
    let rows = || data.rows.iter().filter(|row| row.view == waves.view);
    let zero = rows().find(|row| row.seq == options.at).map(|row| row.trigger.0);
    let zero = zero.ok_or_else(|| {
        let text = format!("{} has no trigger {}", waves.case, options.at);
        Trouble::new(Exit::Usage, text)
    })?;
    let of_sweep = rows().filter(|row| (options.at..=last).contains(&row.seq));
    let ends = of_sweep.filter_map(|row| {
        Some(row.trigger.0 + row.latency?.0 + row.execution.map_or(0, |it| it.0))
    });
    let end = ends.max().unwrap_or(zero) - zero;
    let window = [-nanoseconds(options.before), after(options, end)];
    show(options, waves, ScopeView::Single { zero, window }, None, caveat)
}

fn persistent(options: &Scope, waves: &Waves, caveat: Option<&str>) -> Done {
    let line = waves.line(&options.align.line).ok_or_else(|| {
        let names: Vec<&str> = waves.lines.iter().map(|line| line.name.as_str()).collect();
        let text = format!("no line {}; there are {}", options.align.line, names.join(", "));
        Trouble::new(Exit::Usage, text)
    })?;
    // Without a window of one's own: until the slowest has answered its trigger.
    let window = [-nanoseconds(options.before), after(options, longest(waves, line))];
    let seen = |columns| Persistence::of(waves, &options.align, window, columns);
    let none = || {
        let text = format!("no edge of {} to begin a sweep at", options.align.line);
        Trouble::new(Exit::Usage, text)
    };
    let text = seen(SCOPE_TEXT_COLUMNS).ok_or_else(none)?;
    let drawn = options.out.as_ref().and_then(|_| seen(scope_columns()));
    let slope = match options.align.slope {
        Slope::Rising => "rises",
        Slope::Falling => "falls",
    };
    let align = format!("where {} {slope}", options.align.line);
    let view = |seen| ScopeView::Persistent { seen, align: &align };
    show(options, waves, view(&text), drawn.as_ref().map(view), caveat)
}

/// Returns the longest time from an edge of the line to the last change before its next one.
fn longest(waves: &Waves, line: &Wave) -> i64 {
    let edges: Vec<i64> =
        line.changes.iter().filter(|change| change.high).map(|change| change.at).collect();
    let mut longest = 1;
    for other in &waves.lines {
        for change in &other.changes {
            let before = edges.partition_point(|edge| *edge <= change.at);
            if let Some(edge) = before.checked_sub(1).and_then(|place| edges.get(place)) {
                longest = longest.max(change.at - edge);
            }
        }
    }
    longest
}

fn after(options: &Scope, end: i64) -> i64 {
    options.after.map_or(end.max(1) + end / 20 + 1, nanoseconds)
}

fn nanoseconds(span: Span) -> i64 {
    i64::try_from(span.0).unwrap_or(i64::MAX)
}

/// Shows it on the terminal, and draws it where that is asked for.
fn show(
    options: &Scope,
    waves: &Waves,
    view: ScopeView<'_>,
    drawn: Option<ScopeView<'_>>,
    caveat: Option<&str>,
) -> Done {
    if let Some(path) = &options.out {
        draw(path, &scope_svg(waves, drawn.unwrap_or(view), caveat))?;
    }
    print!("{}", scope_text(waves, view));
    if let Some(caveat) = caveat {
        println!("{caveat}");
    }
    Ok(Exit::Fine)
}

fn draw(path: &Path, svg: &str) -> Result<(), Trouble> {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("svg") => write_new(path, svg),
        Some("png") => write_new(path, scope_png(svg)?),
        _ => Err(Trouble::new(Exit::Usage, "--out ends in .svg or .png, which says what it is")),
    }
}
