// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `irqscope kernel`: kernels for the twin.

use irqscope_rig::{Kernel as Cached, TESTED, kernels};

use super::Done;
use crate::cli::Kernel;
use crate::exit::Exit;

pub fn kernel(command: Kernel) -> Done {
    match command {
        Kernel::Fetch { names, all } => {
            fetch(if all { TESTED.map(String::from).into() } else { names })
        }
        Kernel::List => list(),
    }
}

fn fetch(names: Vec<String>) -> Done {
    for name in names {
        let kernel = Cached::get(&name, &|what| eprintln!("irqscope: {what}"))?;
        println!("{:8} {}", kernel.name, kernel.release);
    }
    Ok(Exit::Fine)
}

fn list() -> Done {
    let cached = kernels()?;
    for kernel in &cached {
        println!("{:8} {:28} {}", kernel.name, kernel.release, kernel.image().display());
    }
    let missing: Vec<&str> = TESTED
        .into_iter()
        .filter(|name| cached.iter().all(|kernel| kernel.name != *name))
        .collect();
    if !missing.is_empty() {
        println!(
            "not fetched: {} (irqscope kernel fetch {})",
            missing.join(", "),
            missing.join(" ")
        );
    }
    Ok(Exit::Fine)
}
