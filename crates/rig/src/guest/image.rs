// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The image that a guest that measures boots from: the agent as its first process, modules in the
//! order in which they are loaded, and the plan, or word that the guest is given one later.

use std::collections::BTreeSet;

use irqscope_scenario::Devices;
use irqscope_wire::Plan;
use tempfile::NamedTempFile;

use crate::error::{Result, RigError, Trying};
use crate::guest::devices;
use crate::guest::initramfs::Initramfs;
use crate::kernel::driver::Driver;
use crate::kernel::modules::{Modules, dependencies};
use crate::parts::Part;
use crate::payload::Module;
use crate::plan::encoded;
use crate::prepared::Prepared;

/// To multiples of this the agent and the driver's modules are filled up with zeros, which neither
/// the kernel nor its module loader reads. A guest's boot takes time by the size of its files, and
/// its samples are to be the same with another build of this program.
const AGENT_UNIT: usize = 4 << 20;
const MODULE_UNIT: usize = 1 << 20;

/// An initramfs in the making, for one kernel and one plan.
pub(crate) struct Image {
    initramfs: Initramfs,
    modules: Modules,
    driver: Option<Driver>,
    /// The paths that are in it: a module may be on two lists.
    has: BTreeSet<String>,
}

/// A list of modules for the agent, one `path parameters` per line.
#[derive(Default)]
pub(crate) struct List(String);

impl List {
    pub fn text(&self) -> &str {
        &self.0
    }
}

impl Image {
    pub fn new(prepared: &Prepared) -> Result<Self> {
        let Prepared { kernel, driver, .. } = prepared.clone();
        let agent = Part::Agent(kernel.arch().into()).find()?;
        let agent = std::fs::read(&agent).trying(|| format!("cannot read {}", agent.display()))?;
        let mut initramfs = Initramfs::new(&filled_up(agent, AGENT_UNIT))?;
        prepared.brought.entries.iter().try_for_each(|entry| initramfs.bring(entry))?;
        Ok(Self { initramfs, modules: Modules::of(&kernel)?, driver, has: BTreeSet::new() })
    }

    /// Adds a module of the kernel's own, after all that it depends on.
    pub fn kernel_module(&mut self, list: &mut List, name: &str, parameters: &str) -> Result<()> {
        for (module, contents) in self.modules.load_order(name)? {
            let parameters = if module == name { parameters } else { "" };
            self.add(list, &module, &contents, parameters)?;
        }
        Ok(())
    }

    /// Adds the drivers of devices, and a sign that there are two network cards.
    pub fn devices(&mut self, list: &mut List, devices: Devices) -> Result<()> {
        for name in devices::modules(devices) {
            self.kernel_module(list, name, "")?;
        }
        devices.network.map_or(Ok(()), |_| self.list("network", &List::default()))
    }

    /// Adds the modules that the scenario brings.
    pub fn own_modules(&mut self, list: &mut List, modules: &[Module]) -> Result<()> {
        for Module { name, file, parameters } in modules {
            match file {
                None => self.kernel_module(list, name, parameters)?,
                Some(path) => {
                    let contents =
                        std::fs::read(path).trying(|| format!("cannot read {}", path.display()))?;
                    // Its dependencies among the kernel's own come first.
                    for needed in dependencies(&contents) {
                        if !modules.iter().any(|one| one.name.replace('-', "_") == needed) {
                            self.kernel_module(list, &needed, "")?;
                        }
                    }
                    self.add(list, name, &contents, parameters)?;
                }
            }
        }
        Ok(())
    }

    /// Adds a module of the driver, where that takes part.
    pub fn driver_module(&mut self, list: &mut List, name: &str, parameters: &str) -> Result<()> {
        let Some(driver) = &self.driver else { return Ok(()) };
        let path = driver.module(name);
        let contents = std::fs::read(&path).trying(|| format!("cannot read {}", path.display()))?;
        self.add(list, name, &filled_up(contents, MODULE_UNIT), parameters)
    }

    /// Adds what the agent does at once.
    pub fn plan(&mut self, plan: &Plan) -> Result<()> {
        self.initramfs.file("irqscope/plan", &encoded(plan)?)
    }

    /// Adds the list that the agent looks for in /irqscope, or a sign, which is an empty one.
    pub fn list(&mut self, name: &str, list: &List) -> Result<()> {
        self.initramfs.file(&format!("irqscope/{name}"), list.text().as_bytes())
    }

    /// Returns it as a file, which goes with its owner. `memory`: the guest's, in MiB, which `key` sets.
    pub fn finish(self, memory: u32, key: &str) -> Result<NamedTempFile> {
        let bytes = self.initramfs.finish()?;
        // It lies there packed and unpacked, and half as much has to be left for the kernel.
        let needed = u32::try_from((bytes.len() >> 20) * 5 / 2).unwrap_or(u32::MAX);
        if needed > memory {
            return Err(RigError::unready(
                format!("what goes along needs about {needed} MiB, and the guest has {memory}"),
                format!("bring less, or set {key} = {}", needed.next_multiple_of(128) + 128),
            ));
        }
        let file = NamedTempFile::new().trying(|| "cannot create the initramfs".into())?;
        std::fs::write(file.path(), bytes).trying(|| "cannot write the initramfs".into())?;
        Ok(file)
    }

    fn add(
        &mut self,
        list: &mut List,
        name: &str,
        contents: &[u8],
        parameters: &str,
    ) -> Result<()> {
        let path = format!("modules/{name}.ko");
        if list.0.contains(&format!("/{path} ")) {
            return Ok(());
        }
        list.0.push_str(&format!("/{path} {parameters}\n"));
        if !self.has.insert(path.clone()) {
            return Ok(());
        }
        self.initramfs.file(&path, contents)
    }
}

fn filled_up(mut contents: Vec<u8>, unit: usize) -> Vec<u8> {
    contents.resize(contents.len().next_multiple_of(unit), 0);
    contents
}
