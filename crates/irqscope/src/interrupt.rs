// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Ctrl-C and SIGTERM ask for an orderly end; a second one is not waited for.

use irqscope_rig::Stop;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;

use crate::exit::{Exit, Trouble};

pub fn stop_on_signals() -> Result<Stop, Trouble> {
    let stop = Stop::default();
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        // Order matters: the first signal only sets the flag, the second finds
        // it set and ends the program.
        flag::register_conditional_shutdown(signal, Exit::Interrupted as i32, stop.flag())
            .and_then(|_| flag::register(signal, stop.flag()))
            .map_err(|error| {
                Trouble::new(Exit::Usage, format!("cannot handle signals: {error}"))
            })?;
    }
    Ok(stop)
}
