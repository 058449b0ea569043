// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `irqscope completion` and `irqscope man`: from the same definition as help.

use clap::CommandFactory;

use super::Done;
use crate::cli::Cli;
use crate::exit::{Exit, Trouble};

pub fn completion(shell: clap_complete::Shell) -> Done {
    clap_complete::generate(shell, &mut Cli::command(), "irqscope", &mut std::io::stdout());
    Ok(Exit::Fine)
}

pub fn man() -> Done {
    clap_mangen::Man::new(Cli::command())
        .render(&mut std::io::stdout())
        .map_err(|error| Trouble::new(Exit::Usage, format!("cannot print the manual: {error}")))?;
    Ok(Exit::Fine)
}
