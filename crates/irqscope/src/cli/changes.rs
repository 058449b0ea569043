// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Keys of a scenario that are set on the command line.

use clap::Args;
use irqscope_scenario::Overrides;
use irqscope_wire::Stage;

use super::How;
use super::values::named;

/// Other keys than the scenario's.
#[derive(Debug, Default, Args)]
pub struct Changes {
    /// Sets any key of the scenario: a dotted path and a TOML value, in which a string
    /// needs no quotes. May be repeated; docs/scenarios.md has all keys.
    #[arg(long, value_name = "KEY=VALUE", value_parser = setting)]
    pub set: Vec<(String, String)>,
    /// A stage instead of the scenario's; may be repeated.
    #[arg(long, value_name = "NAME", value_parser = named::<Stage>(Stage::NAMES))]
    pub stage: Vec<Stage>,
    /// A system state instead of the scenario's; may be repeated.
    #[arg(long, value_name = "NAME")]
    pub state: Vec<String>,
    /// Triggers of each case instead of the scenario's.
    #[arg(long, value_name = "N")]
    pub count: Option<u64>,
    /// The seed of the jitter instead of the scenario's.
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Measure each case with N seeds, from the seed on: figures get intervals over them.
    #[arg(long, value_name = "N")]
    pub seeds: Option<u32>,
    /// Record what else the CPU under test does, for `irqscope explain`.
    #[arg(long)]
    pub explain: bool,
}

fn setting(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or("write KEY=VALUE")?;
    Ok((key.trim().to_owned(), value.trim().to_owned()))
}

impl How {
    /// Adds the keys that these options set.
    pub fn overrides(&self) -> Overrides {
        let mut all = Overrides::default();
        if let Some(rig) = self.rig {
            all.set_rig(rig);
        }
        if self.allow_ssh_options {
            all.allow_ssh_options();
        }
        if self.allow_commands {
            all.allow_commands();
        }
        all.set_list("kernels", &self.kernel);
        if let Some(host) = &self.host {
            all.set_text("ssh.host", host);
        }
        if let Some(address) = &self.connect {
            all.set_text("board.address", address);
        }
        all
    }
}

impl Changes {
    /// Adds the keys that these options set; `--set` counts most.
    pub fn add_to(&self, all: &mut Overrides) {
        let stages: Vec<&str> = self.stage.iter().map(|stage| stage.name()).collect();
        all.set_list("stages", &stages);
        all.set_list("states", &self.state);
        if let Some(count) = self.count {
            all.set("trigger.count", count);
        }
        if let Some(seed) = self.seed {
            all.set("trigger.seed", seed);
        }
        if let Some(seeds) = self.seeds {
            all.set("trigger.seeds", seeds);
        }
        if self.explain {
            all.set("explain", true);
        }
        for (key, value) in &self.set {
            all.set(key, value);
        }
    }
}
