// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One file per subcommand; this table lists them.

mod completion;
mod doctor;
mod generator;
mod kernel;
mod list;
mod report;
mod run;
mod sweep;

use crate::cli::Command;
use crate::exit::{Exit, Trouble};

pub type Done = Result<Exit, Trouble>;

pub fn dispatch(command: Command) -> Done {
    match command {
        Command::Run(options) => run::run(&options),
        Command::Sweep(options) => sweep::sweep(&options),
        Command::Report(options) => report::report(&options),
        Command::List => list::list(),
        Command::Doctor => doctor::doctor(),
        Command::Kernel(command) => kernel::kernel(command),
        Command::Generator(command) => generator::generator(&command),
        Command::Completion { shell } => completion::completion(shell),
        Command::Man => completion::man(),
    }
}
