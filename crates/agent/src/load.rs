// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `irqscope-agent load`: holds up one load until it is killed.

use std::process::ExitCode;
use std::time::Duration;

use crate::cli::LoadOptions;
use crate::error::{Error, Result};
use crate::loads::Loads;
use crate::stop::Stop;

/// Runs a load until it is stopped; returns the exit status.
pub fn run(options: &LoadOptions) -> ExitCode {
    match hold(options) {
        Ok(()) | Err(Error::Stopped(_)) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("irqscope-agent: error: {error}; {}", error.remedy());
            ExitCode::from(3)
        }
    }
}

fn hold(options: &LoadOptions) -> Result<()> {
    let stop = Stop::on_signals()?;
    let mut loads = Loads::start(&options.state, options.cpu)?;
    if let Some(load) = loads.absent().first() {
        return Err(Error::Load { load: load.to_string(), text: "it is not installed".into() });
    }
    loop {
        stop.nap(Duration::from_secs(3600), loads.report())?;
        loads.check()?;
    }
}
