// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `irqscope import`: what other programs measured, as a run.

use std::path::Path;
use std::time::SystemTime;

use irqscope_report::foreign;
use irqscope_run::{RunError, fresh_name};

use super::Done;
use super::report::{Format, show};
use crate::cli::Import;

pub fn import(options: &Import) -> Done {
    let fresh = || fresh_name(Path::new("runs"), "import", SystemTime::now());
    let out = options.out.clone().unwrap_or_else(fresh);
    if out.symlink_metadata().is_ok() {
        return Err(RunError::Exists { path: out }.into());
    }
    let run = foreign::import(&foreign::Import {
        files: &options.files,
        out: &out,
        format: options.format,
        unit_ns: options.unit_ns(),
        args: std::env::args().collect(),
        tool_version: env!("CARGO_PKG_VERSION"),
    })?;
    show(&run, if options.json { Format::Summary } else { Format::Table })
}
