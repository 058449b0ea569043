// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Measurements that need not be repeated: in the twin the same scenario, kernel and program give the
//! same samples, so that a result is known by the digest of the three.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use irqscope_rig::{Kernel, Part, Stop, content, hex};
use irqscope_run::RunDir;
use irqscope_scenario::RigKind;
use sha2::{Digest, Sha256};

use crate::job::{Job, Trust};
use crate::journal::{Directory, What};
use crate::plan::Where;
use crate::{FleetError, Result};

/// Returns the digest of the programs whose every byte decides about samples: this one, which has the
/// driver, the agent and the twin's generator.
///
/// # Errors
/// A part is missing or cannot be read.
pub fn of_program(program: &Path) -> Result<String> {
    let parts = [Part::OWN_AGENT.find()?, Part::TwinPlugin.find()?];
    let files = std::iter::once(program).chain(parts.iter().map(PathBuf::as_path));
    let digest = |path| {
        content(path).map(|(_, digest)| digest).map_err(|error| FleetError::read(path, error))
    };
    files.map(digest).collect()
}

/// Returns the key of a job of this machine; none where another measurement would give other samples, or where files of
/// the user's go along.
///
/// # Errors
/// A kernel is not there and cannot be had.
pub fn key(
    job: &Job,
    at: &Where,
    trust: &Trust,
    program: &str,
    stop: &Stop,
) -> Result<Option<String>> {
    let (overrides, scenario) = job.resolve(Path::new(&job.scenario), at, trust)?;
    if scenario.rig != RigKind::Twin || !scenario.payload.is_empty() {
        return Ok(None);
    }
    let mut hasher = Sha256::new();
    let mut add = |text: &str| {
        hasher.update((text.len() as u64).to_le_bytes());
        hasher.update(text.as_bytes());
    };
    add("irqscope fleet 1");
    add(scenario.to_toml());
    overrides.lines().iter().for_each(|line| add(line));
    for kernel in &scenario.kernels {
        Kernel::get(kernel, &|_| {}, stop)?.origin.iter().for_each(|origin| add(origin));
    }
    add(program);
    Ok(Some(hex(&hasher.finalize())))
}

/// Results by their keys.
#[derive(Debug, Default)]
pub struct Known(BTreeMap<String, PathBuf>);

impl Known {
    /// Collects the results of a fleet's directory.
    ///
    /// # Errors
    /// Its journal cannot be read.
    pub fn add(&mut self, directory: &Directory) -> Result<()> {
        for event in directory.events()? {
            if let What::Done { run, key: Some(key), .. } = event.what {
                self.0.insert(key, directory.path().join(run));
            }
        }
        Ok(())
    }

    /// Adds one result.
    pub fn insert(&mut self, key: String, run: PathBuf) {
        self.0.insert(key, run);
    }

    /// Returns the run of a key, if it is still there and complete.
    pub fn get(&self, key: &str) -> Option<PathBuf> {
        let run = self.0.get(key)?;
        RunDir::open(run).is_ok_and(|run| run.manifest().complete).then(|| run.clone())
    }
}
