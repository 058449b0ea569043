// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `irqscope report`: everything that can be derived from a run's log.

use irqscope_run::RunDir;

use super::Done;
use crate::cli::Report;
use crate::exit::{Exit, Trouble};

pub fn report(options: &Report) -> Done {
    show(&RunDir::open(&options.run)?, options.json)
}

/// Derives the figures of a run and prints the table, or the summary.
pub fn show(run: &RunDir, json: bool) -> Done {
    let summary = irqscope_analysis::derive(run)?;
    // The table first: what goes wrong with a picture must not hide it.
    if json {
        let text = serde_json::to_string_pretty(&summary)
            .map_err(|error| Trouble::new(Exit::Usage, error))?;
        println!("{text}");
    } else {
        print!("{}", irqscope_report::table(&summary));
    }
    let html = irqscope_report::write_all(run, &summary)?;
    if !json {
        println!("\nrun     {}", run.path().display());
        println!("report  {}", html.display());
    }
    irqscope_analysis::check(&summary)?;
    Ok(Exit::Fine)
}
