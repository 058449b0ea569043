// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `irqscope scenario`: what can be asked of scenarios.

use std::path::PathBuf;

use clap::Subcommand;

use super::Execution;

#[derive(Debug, Subcommand)]
#[command(after_help = "\
Examples:
  irqscope scenario new mine.toml
  irqscope scenario check mine.toml
  irqscope scenario show demo --rig ssh --host root@pi --set trigger.frequency=5kHz
  irqscope scenario schema > irqscope.schema.json")]
#[expect(clippy::large_enum_variant, reason = "one is parsed per program")]
pub enum Scenario {
    /// List the bundled scenarios, and what scenarios can name.
    List,
    /// Print a scenario with the given options in effect, and the cases that it has.
    Show(Execution),
    /// Say all that is wrong with scenarios, each with its line.
    Check {
        /// Bundled scenarios' names, or paths that end in .toml.
        #[arg(required = true, value_name = "SCENARIO")]
        scenarios: Vec<String>,
    },
    /// Write a scenario to begin with, which says what each key is for.
    New {
        /// The file; must not exist.
        #[arg(value_name = "FILE.toml")]
        file: PathBuf,
    },
    /// Print the JSON schema of scenarios, for editors.
    Schema,
}
