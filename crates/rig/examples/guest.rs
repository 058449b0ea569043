// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `guest KERNEL EXCHANGE [PORT] [HOW]...`: boots the guest that plays a real machine,
//! runs EXCHANGE/script in it and ends with its exit status. A complaint of its kernel
//! is an error. HOW is:
//!   `virtual`    on the twin's clock, with one CPU
//!   `cpus=N`     in real time, with N CPUs; 2 by default
//!   `memory=N`   with N MiB; 2048 by default
//!   `turns`      its CPUs take turns in one thread of QEMU
//!   `newer`      with a QEMU in which several CPUs can change their code at once
//!   `doorbell`   with the device of rig vm
//!   `boot=S`     host seconds until the script must have begun; 180 by default
//!   `limit=S`    host seconds until the guest must have ended; 600 by default
//!   `known=TEXT` with complaints that have this text passed over, and counted

use std::process::ExitCode;
use std::time::Duration;

use irqscope_rig::guest::Guest;
use irqscope_rig::{Arch, Build, Driver, Kernel, RigError, Stop, complaints};

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [kernel, exchange, how @ ..] = words.as_slice() else {
        eprintln!(
            "usage: guest KERNEL EXCHANGE [PORT] [virtual] [cpus=N] [memory=N] [turns] [newer] \
             [doorbell] [boot=S] [limit=S] [known=TEXT]"
        );
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
    let number = |name: &str, default: u32| {
        how.iter().find_map(|word| word.strip_prefix(name)?.parse().ok()).unwrap_or(default)
    };
    let seconds = |name: &str, default: u32| Duration::from_secs(number(name, default).into());
    let say = |step: &str| eprintln!("{step}");
    let name = irqscope_scenario::KernelName::parse(kernel).map_err(|error| RigError::Unready {
        what: error.to_string(),
        remedy: "see irqscope kernel list".into(),
    })?;
    let kernel = Kernel::get(&name, &say, &Stop::default())?;
    // Here, because an emulated compiler takes ten minutes; the guest sees this
    // machine's cache.
    let (headers, release) = (&kernel.headers, &kernel.release);
    // It finds headers only, not the image: the key of its build has none.
    Driver::build(Build { headers, release, arch: Arch::X86_64, image: None, test: false }, &say)?;
    let guest = Guest {
        kernel,
        exchange: exchange.into(),
        ssh_port: how.first().and_then(|port| port.parse().ok()),
        cpus: number("cpus=", 2),
        memory: number("memory=", 2048),
        virtual_clock: asked("virtual"),
        turns: asked("turns"),
        newer: asked("newer"),
        doorbell: asked("doorbell"),
        boot_limit: seconds("boot=", 180),
        limit: seconds("limit=", 600),
    };
    let status = guest.run(&Stop::default())?;
    let log = std::fs::read(guest.exchange.join("console")).unwrap_or_default();
    let log = String::from_utf8_lossy(&log);
    let known: Vec<&str> = how.iter().filter_map(|word| word.strip_prefix("known=")).collect();
    let (passed, new): (Vec<&str>, Vec<&str>) =
        complaints(&log).partition(|line| known.iter().any(|text| line.contains(text)));
    if !passed.is_empty() {
        println!("known complaints of the guest's kernel: {}", passed.len());
    }
    match new.first() {
        Some(complaint) => Err(RigError::Lost {
            what: format!("the guest's kernel complained: {complaint}"),
            console: None,
            tail: String::new(),
        }),
        None => Ok(status),
    }
}
