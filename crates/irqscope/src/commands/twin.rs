// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `irqscope twin`: a target to play with.

use irqscope_rig::guest::check_programs;
use irqscope_rig::{OpenTwin, Prepared, RigError, check_name, open_plan};
use irqscope_scenario::Twin as Machine;

use super::Done;
use crate::cli::Twin;
use crate::exit::Exit;
use crate::interrupt::stop_on_signals;

pub fn twin(options: &Twin) -> Done {
    let stop = stop_on_signals()?;
    check_name(&options.kernel)?;
    let label = options.kernel.label.as_str();
    check_programs([label])?;
    let plan = open_plan(label, &options.load);
    let say = |what: &str| eprintln!("irqscope: {what}");
    let prepared = Prepared::get(&options.kernel, &plan, false, &say, &stop)?;
    let dir = tempfile::tempdir().map_err(|error| {
        crate::exit::Trouble::new(Exit::Usage, format!("cannot create a directory: {error}"))
    })?;
    let machine = OpenTwin {
        prepared: &prepared,
        plan: &plan,
        twin: Machine::default(),
        port: options.port,
        console: &dir.path().join("console.log"),
    };
    let mut address = |at: &str| {
        println!("irqscope: the generator listens on {at}");
        eprintln!("irqscope: booting {}; Ctrl-C ends it", options.kernel);
    };
    let mut answers = || eprintln!("irqscope: the target answers on every line");
    match machine.run(&say, &stop, &mut address, &mut answers) {
        Err(RigError::Interrupted) => Ok(Exit::Fine),
        result => Ok(result.map(|()| Exit::Fine)?),
    }
}
