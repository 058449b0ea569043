// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The entries of the cache that scenarios and kernels need, fetched where they are not there.

use std::path::PathBuf;

use irqscope_scenario::{KernelName, KernelSource, Payload, RigKind, Scenario};

use crate::arch::Arch;
use crate::cache;
use crate::error::Result;
use crate::guest::emulator::{self, Emulator};
use crate::kernel::build::{self, Recipe};
use crate::kernel::{Kernel, TESTED, check_name};
use crate::payload;
use crate::stop::Stop;

/// All that would be downloaded for some scenarios and kernels.
#[derive(Debug, Default)]
pub struct Wanted {
    kernels: Vec<KernelName>,
    /// The packages of loads, for each architecture of a guest.
    payloads: Vec<(Payload, Arch)>,
    /// The architectures of twins that not every QEMU can run.
    emulators: Vec<Arch>,
}

impl Wanted {
    /// Returns the kernels that the project is tested on, and a QEMU for several CPUs.
    pub fn usual() -> Self {
        let kernels = TESTED.map(KernelName::running).into();
        Self { kernels, payloads: Vec::new(), emulators: vec![Arch::X86_64] }
    }

    /// Adds a kernel, and a QEMU where not every one can run it.
    pub fn add_kernel(&mut self, kernel: &KernelName) {
        self.add_emulator(Arch::of_kernel(&kernel.label), 1);
        if self.kernels.iter().all(|known| known.source != kernel.source) {
            self.kernels.push(kernel.clone());
        }
    }

    /// Adds what a scenario needs; where the target is a machine that runs, that is nothing.
    pub fn add_scenario(&mut self, scenario: &Scenario) {
        if !scenario.rig.boots() {
            return;
        }
        for kernel in &scenario.kernels {
            self.add_kernel(kernel);
            let arch = Arch::of_kernel(&kernel.label);
            if !scenario.payload.packages.is_empty() {
                self.payloads.push((scenario.payload.clone(), arch));
            }
            if scenario.rig == RigKind::Twin {
                self.add_emulator(arch, scenario.twin.cpus);
            }
        }
    }

    fn add_emulator(&mut self, arch: Arch, cpus: u32) {
        if Emulator::is_demanding(arch, cpus) && !self.emulators.contains(&arch) {
            self.emulators.push(arch);
        }
    }

    /// Fetches what the cache lacks; returns the names of all entries, `kernels/6.1`.
    ///
    /// # Errors
    /// A name is wrong, or something cannot be fetched.
    pub fn fetch(&self, say: &dyn Fn(&str), stop: &Stop) -> Result<Vec<String>> {
        self.kernels.iter().try_for_each(check_name)?;
        let mut found = Vec::new();
        for kernel in &self.kernels {
            found.extend(fetched(kernel, say, stop)?);
        }
        for arch in &self.emulators {
            found.push(emulator::newer(*arch, say)?);
            stop.check()?;
        }
        for (payload, arch) in &self.payloads {
            found.extend(payload::fetched(payload, *arch, say)?);
            stop.check()?;
        }
        let root = cache::root()?;
        let name =
            |entry: PathBuf| entry.strip_prefix(&root).unwrap_or(&entry).display().to_string();
        let mut names: Vec<String> = found.into_iter().map(name).collect();
        names.sort();
        names.dedup();
        Ok(names)
    }
}

/// Fetches what a kernel is made of. One of the user's own is in no cache.
fn fetched(kernel: &KernelName, say: &dyn Fn(&str), stop: &Stop) -> Result<Option<PathBuf>> {
    match &kernel.source {
        KernelSource::Known(name) => match Recipe::find(name) {
            Some(recipe) => build::fetched(&recipe.source(), say).map(Some),
            None => Ok(Kernel::get(kernel, say, stop)?.entry),
        },
        KernelSource::DebianSource(source) => build::fetched(source, say).map(Some),
        _ => {
            say(&format!("kernel {} is your own: take it along by yourself", kernel.text));
            Ok(None)
        }
    }
}
