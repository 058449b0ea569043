// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `irqscope-agent run`: one case on a real machine, frames on stdout.

use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::path::Path;
use std::process::ExitCode;

use irqscope_wire::Plan;

use crate::case;
use crate::cli::RunOptions;
use crate::context::Context;
use crate::error::{Error, Result};
use crate::plan;
use crate::sink::Sink;
use crate::stop::Stop;

/// Runs a plan; returns the exit status.
pub fn run(options: &RunOptions) -> ExitCode {
    match measure(options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("irqscope-agent: error: {error}; {}", error.remedy());
            ExitCode::from(error.exit_code())
        }
    }
}

fn measure(options: &RunOptions) -> Result<()> {
    let stop = Stop::on_signals()?.or_on_eof(options.stop_on_eof).or_on_broken_pipe();
    let stdout = io::stdout().as_fd().try_clone_to_owned().map_err(Error::Output)?;
    let mut sink = Sink::stream(File::from(stdout));
    let plan = match read_plan(options) {
        Ok(plan) => plan,
        Err(error) => {
            case::refuse(&mut sink, &error);
            return Err(error);
        }
    };
    let context = Context { root: Path::new("/"), stop: &stop, is_real: true, stops: false };
    case::run(&context, &plan, &mut sink)
}

fn read_plan(options: &RunOptions) -> Result<Plan> {
    match &options.plan {
        // Not through std's buffer: what follows the plan is not ours to take.
        None => plan::read(File::from(
            io::stdin().as_fd().try_clone_to_owned().map_err(|e| Error::Plan(e.to_string()))?,
        )),
        Some(path) => match File::open(path) {
            Ok(file) => plan::read(file),
            Err(error) => Err(Error::Plan(format!("{}: {error}", path.display()))),
        },
    }
}
