// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One file per subcommand; this table lists them.

mod bench;
mod bisect;
mod bursts;
mod cache;
mod compare;
mod completion;
mod doctor;
mod explain;
mod export;
mod fetch;
mod fleet;
mod gate;
mod generator;
mod hunt;
mod import;
mod isolate;
mod kernel;
mod locks;
mod path;
mod probing;
mod report;
mod reproduce;
mod run;
mod scenario;
mod scope;
mod serve;
mod sweep;
mod tail;
mod threads;
mod top;
mod twin;
mod watch;
mod worst;

use std::fs::File;
use std::io::Write;
use std::path::Path;

use serde::Serialize;

use crate::cli::Command;
use crate::exit::{Exit, Trouble};

pub type Done = Result<Exit, Trouble>;

pub fn dispatch(command: Command) -> Done {
    match command {
        Command::Run(options) => run::run(&options),
        Command::Sweep(options) => sweep::sweep(&options),
        Command::Hunt(options) => hunt::hunt(&options),
        Command::Worst(options) => worst::worst(&options),
        Command::Bisect(options) => bisect::bisect(&options),
        Command::Bench(options) => bench::bench(&options),
        Command::Watch(options) => watch::watch(&options),
        Command::Threads(options) => threads::threads(&options),
        Command::Report(options) => report::report(&options),
        Command::Path(options) => path::path(&options),
        Command::Explain(options) => explain::explain(&options),
        Command::Scope(options) => scope::scope(&options),
        Command::Bursts(options) => bursts::bursts(&options),
        Command::Isolate(options) => isolate::isolate(&options),
        Command::Locks(options) => locks::locks(&options),
        Command::Export(options) => export::export(&options),
        Command::Import(options) => import::import(&options),
        Command::Compare(options) => compare::compare(&options),
        Command::Gate(options) => gate::gate(&options),
        Command::Tail(options) => tail::tail(&options),
        Command::Reproduce(options) => reproduce::reproduce(&options),
        Command::Serve(options) => serve::serve(&options),
        Command::Top(options) => top::top(&options),
        Command::Twin(options) => twin::twin(&options),
        Command::List => scenario::list(),
        Command::Scenario(options) => scenario::scenario(&options),
        Command::Doctor => doctor::doctor(),
        Command::Fleet(command) => fleet::fleet(&command),
        Command::Cache(command) => cache::cache(command),
        Command::Kernel(command) => kernel::kernel(command),
        Command::Fetch(options) => fetch::fetch(&options),
        Command::Generator(command) => generator::generator(&command),
        Command::Completion { shell } => completion::completion(shell),
        Command::Man { to } => completion::man(to.as_deref()),
    }
}

fn print_json(value: &impl Serialize) -> Result<(), Trouble> {
    let text = serde_json::to_string_pretty(value);
    println!("{}", text.map_err(|error| Trouble::new(Exit::Usage, error))?);
    Ok(())
}

/// Writes a file that the user named. A file that is there already is theirs and stays.
fn write_new(path: &Path, content: impl AsRef<[u8]>) -> Result<(), Trouble> {
    let written = File::create_new(path).and_then(|mut file| file.write_all(content.as_ref()));
    written.map_err(|error| {
        let text = format!("cannot write {}: {error}; name another file", path.display());
        Trouble::new(Exit::Usage, text)
    })
}
