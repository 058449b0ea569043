// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `guest KERNEL EXCHANGE [PORT] [cpus=N] [virtual] [doorbell]`: boots the guest
//! that plays a real machine, runs EXCHANGE/script in it and ends with its exit
//! status. `cpus`: how many it has; 2 if nothing is said.
//! `virtual`: on the twin's clock. `doorbell`: with the device of rig vm. What its
//! kernel complains of is an error.

use std::process::ExitCode;
use std::time::Duration;

use irqscope_rig::guest::Guest;
use irqscope_rig::{Arch, Build, Driver, Kernel, RigError, Stop, first_complaint};

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [kernel, exchange, how @ ..] = words.as_slice() else {
        eprintln!("usage: guest KERNEL EXCHANGE [PORT] [cpus=N] [virtual] [doorbell]");
        return ExitCode::from(2);
    };
    match run(kernel, exchange, how) {
        Ok(status) => ExitCode::from(u8::try_from(status).unwrap_or(255)),
        Err(error) => {
            eprintln!("guest: {error}");
            ExitCode::from(3)
        }
    }
}

fn run(kernel: &str, exchange: &str, how: &[String]) -> Result<i32, RigError> {
    let asked = |word: &str| how.iter().any(|said| said == word);
    let cpus = how.iter().find_map(|said| said.strip_prefix("cpus=")?.parse().ok());
    let say = |step: &str| eprintln!("{step}");
    let kernel = Kernel::get(kernel, &say, &Stop::default())?;
    // Here, because an emulated compiler takes ten minutes; the guest sees this
    // machine's cache.
    let headers = kernel.headers();
    Driver::build(
        Build { headers: &headers, release: &kernel.release, arch: Arch::X86_64, test: false },
        &say,
    )?;
    let guest = Guest {
        kernel,
        exchange: exchange.into(),
        ssh_port: how.first().and_then(|port| port.parse().ok()),
        cpus: cpus.unwrap_or(2),
        virtual_clock: asked("virtual"),
        doorbell: asked("doorbell"),
        limit: Duration::from_secs(600),
    };
    let status = guest.run(&Stop::default())?;
    let log = std::fs::read(guest.exchange.join("console")).unwrap_or_default();
    match first_complaint(&String::from_utf8_lossy(&log)) {
        Some(complaint) => Err(RigError::Lost {
            what: format!("the guest's kernel complained: {complaint}"),
            console: None,
            tail: String::new(),
        }),
        None => Ok(status),
    }
}
