// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `irqscope kernel`: kernels for the twin.

use irqscope_quantity::{Column, aligned};
use irqscope_rig::{Kernel as Cached, RECIPES, Recipe, TESTED, fragment, kernels, offered};
use irqscope_scenario::{Arch, KernelName, KernelSource, suggestion};

use super::Done;
use crate::cli::Kernel;
use crate::exit::{Exit, Trouble};
use crate::interrupt::stop_on_signals;

pub fn kernel(command: Kernel) -> Done {
    match command {
        Kernel::Fetch { names, all } => {
            get(if all { TESTED.map(KernelName::running).into() } else { names })
        }
        Kernel::Build { names } => {
            names.iter().try_for_each(check_recipe)?;
            get(names)
        }
        Kernel::List => list(),
        Kernel::Offered { arch } => list_offered(arch),
        Kernel::Fragment { arch } => {
            print!("{}", fragment(arch));
            Ok(Exit::Fine)
        }
    }
}

fn list_offered(arch: Arch) -> Done {
    let rows = offered(arch, &|what| eprintln!("irqscope: {what}"))?;
    print!("{}", aligned(&rows, &[Column::Words]));
    Ok(Exit::Fine)
}

fn check_recipe(kernel: &KernelName) -> Result<(), Trouble> {
    let name = match &kernel.source {
        KernelSource::Git(_) | KernelSource::DebianSource(_) => return Ok(()),
        KernelSource::Known(name) if Recipe::find(name).is_some() => return Ok(()),
        _ => &kernel.text,
    };
    if name.contains('+') {
        let text = format!(
            "`{name}` is no kernel's own name; to build it from Debian's source, write source:{name}"
        );
        return Err(Trouble::new(Exit::Usage, text));
    }
    let known: Vec<&str> = RECIPES.iter().map(|recipe| recipe.name).collect();
    let hint = suggestion("kernel that is built", name, &known);
    Err(Trouble::new(
        Exit::Usage,
        format!(
            "{hint}; or name a source, source:6.12+lockdep, or a commit, git:DIRECTORY@REVISION"
        ),
    ))
}

fn get(names: Vec<KernelName>) -> Done {
    let stop = stop_on_signals()?;
    for name in names {
        let kernel = Cached::get(&name, &|what| eprintln!("irqscope: {what}"), &stop)?;
        println!("{}  {}", kernel.name, kernel.release);
    }
    Ok(Exit::Fine)
}

fn list() -> Done {
    let cached = kernels()?;
    let row = |kernel: &Cached| {
        [kernel.name.clone(), kernel.release.to_string(), kernel.image.display().to_string()]
    };
    print!("{}", aligned(&cached.iter().map(row).collect::<Vec<_>>(), &[Column::Words]));
    let is_missing = |name: &&str| cached.iter().all(|kernel| kernel.name != *name);
    let missing: Vec<&str> = TESTED.into_iter().filter(is_missing).collect();
    if !missing.is_empty() {
        let names = missing.join(" ");
        println!("not fetched: {} (irqscope kernel fetch {names})", missing.join(", "));
    }
    for recipe in RECIPES.iter().filter(|recipe| is_missing(&recipe.name)) {
        println!("not built: {}, {} (irqscope kernel build {0})", recipe.name, recipe.about);
    }
    Ok(Exit::Fine)
}
