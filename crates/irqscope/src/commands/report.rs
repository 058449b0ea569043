// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `irqscope report`: everything that can be derived from a run's log.

use irqscope_analysis::Sweep;
use irqscope_run::RunDir;

use super::{Done, print_json};
use crate::cli::Report;
use crate::exit::Exit;

pub fn report(options: &Report) -> Done {
    let format = if options.json { Format::Summary } else { Format::Table };
    show(&RunDir::open(&options.run)?, format)
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

/// Derives the figures of a run and prints them.
pub fn show(run: &RunDir, format: Format) -> Done {
    let (summary, figures) = irqscope_analysis::derive_figures(run)?;
    // The table first: what goes wrong with a picture must not hide it.
    match format {
        Format::Table => print!("{}", irqscope_report::table(&summary)),
        Format::Summary => print_json(&summary)?,
        Format::Sweep => print_json(&Sweep::of(&summary))?,
        Format::Nothing => {}
    }
    let html = irqscope_report::write_figures(run, &summary, figures)?;
    if format == Format::Table {
        println!("\nrun     {}", run.path().display());
        println!("report  {}", html.display());
    }
    irqscope_analysis::check(&summary)?;
    Ok(Exit::Fine)
}
