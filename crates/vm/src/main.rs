// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `irqscope-vm`: parse, serve, exit.

use std::process::ExitCode;

use irqscope_vm::args::{Command, HELP, VERSION, parse};
use irqscope_vm::serve::serve;

fn main() -> ExitCode {
    let command = match parse(std::env::args_os().skip(1)) {
        Ok(command) => command,
        Err(error) => {
            eprintln!("irqscope-vm: error: {error}");
            return ExitCode::from(2);
        }
    };
    match command {
        Command::Help => print!("{HELP}"),
        Command::Version => print!("{VERSION}"),
        Command::Serve(options) => {
            if let Err(error) = serve(&options) {
                eprintln!("irqscope-vm: error: {error}");
                return ExitCode::from(3);
            }
        }
    }
    ExitCode::SUCCESS
}
