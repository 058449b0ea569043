// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The command line: parse, call, print.
#![forbid(unsafe_code)]

mod cli;
mod commands;
mod exit;
mod interrupt;
mod progress;
mod quantity;

use clap::Parser;

fn main() -> std::process::ExitCode {
    let cli = cli::Cli::parse();
    match commands::dispatch(cli.command) {
        Ok(code) => code.into(),
        Err(trouble) => trouble.report().into(),
    }
}
