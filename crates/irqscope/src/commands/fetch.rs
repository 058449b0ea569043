// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `irqscope fetch`: all that would be downloaded, before it is needed or for another machine.

use std::path::Path;

use irqscope_rig::{Stop, Wanted, cache_root, pack_bundle, unpack_bundle};

use super::Done;
use super::cache::size;
use super::scenario::checked;
use crate::cli::Fetch;
use crate::exit::{Exit, Trouble};
use crate::interrupt::stop_on_signals;

pub fn fetch(options: &Fetch) -> Done {
    let stop = stop_on_signals()?;
    if let Some(file) = &options.from {
        return unpack(file, &stop);
    }
    let names = wanted(options)?.fetch(&say, &stop)?;
    if names.is_empty() {
        let what = "nothing has to be downloaded for these: their targets run already, or kernels are \
                    your own; name a scenario of a twin or a virtual machine, or --kernel 6.1";
        return Err(Trouble::new(Exit::Usage, what));
    }
    match &options.offline_bundle {
        Some(file) => pack(&names, file, &stop),
        None => {
            names.iter().for_each(|name| println!("{name}"));
            Ok(Exit::Fine)
        }
    }
}

fn wanted(options: &Fetch) -> Result<Wanted, Trouble> {
    if options.scenarios.is_empty() && options.kernel.is_empty() {
        return Ok(Wanted::usual());
    }
    let mut wanted = Wanted::default();
    for name in &options.scenarios {
        wanted.add_scenario(&checked(name)?);
    }
    options.kernel.iter().for_each(|kernel| wanted.add_kernel(kernel));
    Ok(wanted)
}

fn pack(names: &[String], file: &Path, stop: &Stop) -> Done {
    let bytes = pack_bundle(names, file, env!("CARGO_PKG_VERSION"), &say, stop)?;
    println!("{}: {}, {}", file.display(), names.join(", "), size(bytes));
    println!("next: irqscope fetch --from FILE  on the machine without a network");
    Ok(Exit::Fine)
}

fn unpack(file: &Path, stop: &Stop) -> Done {
    let came = unpack_bundle(file, &say, stop)?;
    match &came[..] {
        [] => println!("all that {} has was there already", file.display()),
        came => println!("{} came into {}", came.join(", "), cache_root()?.display()),
    }
    Ok(Exit::Fine)
}

fn say(what: &str) {
    eprintln!("irqscope: {what}");
}
