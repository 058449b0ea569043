// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `irqscope-agent`: one subcommand, one file; the table is here.

use std::process::ExitCode;

use irqscope_agent::{bench, cli, generator, init, noop, threads};

fn main() -> ExitCode {
    if noop::is_meant() {
        return ExitCode::SUCCESS;
    }
    if init::is_meant() {
        init::run();
    }
    match cli::parse() {
        Ok(cli::Command::Help) => cli::print(cli::HELP),
        Ok(cli::Command::Version) => cli::print(cli::VERSION),
        Ok(cli::Command::Run(options)) => irqscope_agent::run::run(&options),
        Ok(cli::Command::Bench(options)) => bench::command::run(&options),
        Ok(cli::Command::Threads(options)) => threads::run(&options),
        Ok(cli::Command::Generator(options)) => generator::run(&options),
        Ok(cli::Command::Load(options)) => irqscope_agent::load::run(&options),
        Err(error) => cli::usage_error(&error),
    }
}
