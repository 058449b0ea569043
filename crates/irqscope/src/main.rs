// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The command line: parse, call, print.
#![forbid(unsafe_code)]

// First, for its macros.
#[macro_use]
mod console;

mod cli;
mod commands;
mod exit;
mod interrupt;
mod progress;

use clap::{CommandFactory, Parser};
use clap_complete::CompleteEnv;

/// Ends the program with its reader: one that has seen enough (`| head`) is no error. Rust ignores
/// SIGPIPE and panics when it prints.
fn end_with_the_reader() {
    let default = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        let message = info.payload_as_str().unwrap_or_default();
        if message.starts_with("failed printing to stdout") && message.contains("Broken pipe") {
            std::process::exit(141); // as shells report SIGPIPE
        }
        default(info);
    }));
}

fn main() -> std::process::ExitCode {
    end_with_the_reader();
    CompleteEnv::with_factory(cli::Cli::command).var(cli::COMPLETE).complete();
    let cli = cli::Cli::parse();
    if cli.offline {
        irqscope_rig::forbid_downloads();
    }
    let _scratch = irqscope_rig::Scratch::begin();
    match commands::dispatch(cli.command) {
        Ok(code) => code.into(),
        Err(trouble) => trouble.report().into(),
    }
}
