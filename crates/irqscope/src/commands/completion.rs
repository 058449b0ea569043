// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `irqscope completion` and `irqscope man`: from the same definition as help.

use std::io;
use std::path::Path;

use clap::CommandFactory;
use clap_complete::env::Shells;

use super::Done;
use crate::cli::{COMPLETE, Cli};
use crate::exit::{Exit, Trouble};

/// Prints the script by which a shell asks this program for candidates.
pub fn completion(shell: clap_complete::Shell) -> Done {
    const NAME: &str = "irqscope";
    let shells = Shells::builtins();
    let known = shells.completer(&shell.to_string());
    let done = known.map(|it| it.write_registration(COMPLETE, NAME, NAME, NAME, &mut io::stdout()));
    match done {
        Some(Ok(())) => Ok(Exit::Fine),
        Some(Err(error)) => Err(cannot(&error)),
        None => Err(cannot(&format!("no completion for {shell}"))),
    }
}

/// Prints the manual's first page, or writes a page for each subcommand into a directory.
pub fn man(to: Option<&Path>) -> Done {
    let done = match to {
        None => clap_mangen::Man::new(Cli::command()).render(&mut io::stdout()),
        Some(directory) => std::fs::create_dir_all(directory)
            .and_then(|()| clap_mangen::generate_to(Cli::command(), directory)),
    };
    done.map(|()| Exit::Fine).map_err(|error| cannot(&error))
}

fn cannot(why: &dyn std::fmt::Display) -> Trouble {
    Trouble::new(Exit::Usage, format!("cannot write it: {why}"))
}
