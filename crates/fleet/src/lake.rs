// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A lake that takes the fleet's runs, by the Python package that writes Delta tables (docs/lake.md): a run
//! is there once, however often it is added.

use std::path::Path;
use std::time::Duration;

use irqscope_rig::Stop;

use crate::process::{Ended, last_line, last_words, run as run_process};
use crate::{FleetError, Result};

const PYTHON: &str = "python3";
const MODULE: &str = "irqscope.lake";
/// The longest time for one run.
const LIMIT: Duration = Duration::from_secs(3600);

/// A lake: a directory, or `s3://BUCKET/PATH`.
#[derive(Clone, Debug)]
pub struct Lake {
    /// Its address.
    pub url: String,
}

impl Lake {
    /// Returns the lake at an address, once it is known that runs can be put there.
    ///
    /// # Errors
    /// Python, the package or what it needs is missing.
    pub fn at(url: &str) -> Result<Self> {
        let tried =
            std::process::Command::new(PYTHON).args(["-m", MODULE, "add", "--help"]).output();
        let why = match tried {
            Ok(said) if said.status.success() => return Ok(Self { url: url.to_owned() }),
            Ok(said) => last_line(&String::from_utf8_lossy(&said.stderr)),
            Err(error) => error.to_string(),
        };
        Err(FleetError::NoLake(why))
    }

    /// Adds a run that was measured in a place. Returns why that did not succeed; `None`: the run is in
    /// the lake.
    ///
    /// # Errors
    /// The log cannot be written.
    pub(crate) fn add(
        &self,
        run: &Path,
        place: &str,
        log: &Path,
        stop: &Stop,
    ) -> Result<Option<String>> {
        let words = [PYTHON, "-m", MODULE, "add"].map(str::to_owned);
        let options = ["--place", place, "--lake", &self.url].map(str::to_owned);
        let run = [run.display().to_string()];
        let arguments: Vec<String> = words.into_iter().chain(run).chain(options).collect();
        Ok(match run_process(&arguments, log, LIMIT, stop)? {
            Ended::Itself(Some(0)) => None,
            Ended::Itself(_) => Some(last_words(log)),
            Ended::Late => Some("not done within an hour".into()),
            Ended::Stopped => Some("interrupted".into()),
        })
    }
}
