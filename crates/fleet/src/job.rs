// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One measurement of a plan.

use std::collections::BTreeSet;
use std::path::Path;

use irqscope_scenario::{Overrides, RigKind, Scenario, ScenarioFile};

use crate::plan::Where;
use crate::{FleetError, Result};

/// The longest name of a job; it is that of a directory.
const LONGEST: usize = 100;

/// One measurement of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// Its name, unique in its plan and fit for a file.
    pub name: String,
    /// The scenario: a bundled one's name or a path.
    pub scenario: String,
    /// The kernel in place of the scenario's.
    pub kernel: Option<String>,
    /// The seed in place of the scenario's.
    pub seed: Option<u64>,
    /// Keys that are set, as `KEY=VALUE`.
    pub set: Vec<String>,
    /// The name of its place.
    pub place: String,
}

/// The way to a target that was found for one job.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Way {
    /// The target of rig ssh.
    pub host: Option<String>,
    /// Its port.
    pub port: Option<u16>,
    /// The board that is wired to it.
    pub connect: Option<String>,
}

/// The trust in the plan's scenarios: what of them may run programs.
#[derive(Clone, Copy, Debug, Default)]
pub struct Trust {
    /// Options of ssh by which programs can be run.
    pub ssh_options: bool,
    /// Loads of their own on this machine, and modules that are built.
    pub commands: bool,
}

impl Trust {
    fn words(&self) -> impl Iterator<Item = &'static str> {
        let ssh = self.ssh_options.then_some("--allow-ssh-options");
        ssh.into_iter().chain(self.commands.then_some("--allow-commands"))
    }

    fn add_to(&self, all: &mut Overrides) {
        if self.ssh_options {
            all.allow_ssh_options();
        }
        if self.commands {
            all.allow_commands();
        }
    }
}

impl Job {
    /// Makes its name out of what distinguishes it, and keeps it apart from `others`.
    pub(crate) fn name_beside(&self, with_place: bool, others: &mut BTreeSet<String>) -> String {
        let scenario = Path::new(&self.scenario).file_stem().unwrap_or_default();
        let mut parts = vec![scenario.to_string_lossy().into_owned()];
        parts.extend(self.kernel.clone());
        parts.extend(self.seed.map(|seed| format!("seed{seed}")));
        parts.extend(with_place.then(|| self.place.clone()));
        let fits = |letter: char| letter.is_ascii_alphanumeric() || "._-".contains(letter);
        let letter = |letter| if fits(letter) { letter } else { '_' };
        let plain: String = parts.join("-").chars().map(letter).take(LONGEST).collect();
        let plain = plain.trim_start_matches('.').to_owned();
        let numbered = (2..).map(|number| format!("{plain}.{number}"));
        let mut names = std::iter::once(plain.clone()).chain(numbered);
        names.find(|name| others.insert(name.clone())).unwrap_or(plain)
    }

    /// Returns the keys that the job sets, as far as they are known without its target.
    fn overrides(&self, at: &Where, trust: &Trust) -> Overrides {
        let mut all = Overrides::default();
        trust.add_to(&mut all);
        match at {
            Where::Here => {}
            Where::Host(host) => {
                all.set_rig(RigKind::Ssh);
                all.set_text("ssh.host", host);
            }
            Where::Labgrid(_) => {
                all.set_rig(RigKind::Ssh);
                all.set_text("ssh.host", "labgrid");
            }
        }
        if let Some(kernel) = &self.kernel {
            all.set_list("kernels", &[kernel]);
        }
        if let Some(seed) = self.seed {
            all.set("trigger.seed", seed);
        }
        for setting in &self.set {
            let (key, value) = setting.split_once('=').unwrap_or((setting, ""));
            all.set(key.trim(), value.trim());
        }
        all
    }

    /// Resolves its scenario with the keys that it sets; the target's own facts are found out later.
    ///
    /// # Errors
    /// The scenario cannot be read, or is wrong; `path` is the file to be named.
    pub(crate) fn resolve(
        &self,
        path: &Path,
        at: &Where,
        trust: &Trust,
    ) -> Result<(Overrides, Scenario)> {
        let of = |source| FleetError::Scenario {
            path: path.to_owned(),
            job: self.name.clone(),
            source: Box::new(source),
        };
        let overrides = self.overrides(at, trust);
        let file = ScenarioFile::load(&self.scenario).map_err(of)?;
        let scenario = Scenario::resolve(&file, &overrides).map_err(of)?;
        Ok((overrides, scenario))
    }

    /// Returns the command as a person would type it, behind its place's launcher, without its output directory
    /// and its target.
    pub fn command(&self, launcher: &[String]) -> String {
        let all = self.arguments(&Way::default(), Path::new(""), &Trust::default());
        let words =
            all.iter().filter(|word| !["--no-report", "--out", ""].contains(&word.as_str()));
        let program = "irqscope".to_owned();
        let words = launcher.iter().chain([&program]).chain(words);
        words.map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
    }

    /// Returns the arguments of the program that measures it into `out`.
    pub(crate) fn arguments(&self, way: &Way, out: &Path, trust: &Trust) -> Vec<String> {
        let mut all = vec!["run".to_owned(), self.scenario.clone(), "--no-report".to_owned()];
        all.extend(trust.words().map(str::to_owned));
        let mut option = |name: &str, value: String| all.extend([name.to_owned(), value]);
        option("--out", out.display().to_string());
        if let Some(host) = &way.host {
            option("--rig", "ssh".to_owned());
            option("--host", host.clone());
        }
        if let Some(port) = way.port {
            option("--set", format!("ssh.port={port}"));
        }
        if let Some(connect) = &way.connect {
            option("--connect", connect.clone());
        }
        if let Some(kernel) = &self.kernel {
            option("--kernel", kernel.clone());
        }
        if let Some(seed) = self.seed {
            option("--seed", seed.to_string());
        }
        self.set.iter().for_each(|set| option("--set", set.clone()));
        all
    }
}

/// Returns a word as a shell takes it.
pub(crate) fn quoted(word: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_./=:@,+~".contains(letter);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(kernel: &str) -> Job {
        Job {
            name: String::new(),
            scenario: "plans/mine.toml".into(),
            kernel: Some(kernel.into()),
            seed: Some(3),
            set: vec!["trigger.count=5".into()],
            place: "lab".into(),
        }
    }

    #[test]
    fn names_fit_files_and_are_unique() {
        let mut names = BTreeSet::new();
        assert_eq!(job("6.1").name_beside(false, &mut names), "mine-6.1-seed3");
        assert_eq!(job("6.1").name_beside(false, &mut names), "mine-6.1-seed3.2");
        let path = job("~/src/linux").name_beside(true, &mut names);
        assert_eq!(path, "mine-__src_linux-seed3-lab");
        assert!(job(&"x".repeat(500)).name_beside(true, &mut names).len() <= LONGEST);
    }

    #[test]
    fn arguments_have_the_way_to_the_target() {
        let way = Way {
            host: Some("root@10.0.0.2".into()),
            port: Some(2222),
            connect: Some("10.0.0.3:7000".into()),
        };
        let all = job("6.1").arguments(&way, Path::new("out"), &Trust::default()).join(" ");
        assert!(all.starts_with(
            "run plans/mine.toml --no-report --out out --rig ssh --host root@10.0.0.2"
        ));
        assert!(
            all.contains("--connect 10.0.0.3:7000 --kernel 6.1 --seed 3 --set trigger.count=5")
        );
    }
}
