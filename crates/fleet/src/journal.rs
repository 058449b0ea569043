// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A fleet's directory: the plan, a journal of what became of each job, the jobs' runs and what their
//! processes said.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::SystemTime;

use nix::fcntl::{Flock, FlockArg};
use serde::{Deserialize, Serialize};

use crate::plan::Plan;
use crate::{FleetError, Result, locked};

const JOURNAL: &str = "journal.jsonl";
const PLAN: &str = "plan.toml";

/// A line of the journal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// The job's name.
    pub job: String,
    /// When, in UTC.
    pub at: String,
    /// The kind of event.
    #[serde(flatten)]
    pub what: What,
}

/// A kind of event in the life of a job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "lowercase")]
pub enum What {
    /// Its process was started, for the nth time.
    Started {
        /// From 1.
        attempt: u32,
        /// The machine it got, of a place that has several.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        machine: Option<String>,
    },
    /// It was measured.
    Done {
        /// The run directory, seen from the fleet's.
        run: PathBuf,
        /// How long it took.
        seconds: u64,
        /// The machine on which, of a place that has several.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        machine: Option<String>,
        /// The key under which the same measurement is found again.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        key: Option<String>,
    },
    /// The same measurement is there already: it was not repeated.
    Known {
        /// Its run directory.
        run: PathBuf,
        /// Its key.
        key: String,
    },
    /// It gave no result.
    Failed {
        /// The exit status; none: it did not end within its time.
        exit: Option<i32>,
        /// The last words.
        why: String,
    },
    /// It was asked to end, with the fleet.
    Interrupted,
    /// Its run is in a lake.
    Kept {
        /// The lake's address.
        lake: String,
    },
    /// Its run could not be put into a lake.
    NotKept {
        /// The lake's address.
        lake: String,
        /// The last words.
        why: String,
    },
}

/// The state of a job, by its events until now.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// The last event but those of lakes; none: it was not begun.
    pub last: Option<What>,
    /// By the lake's address why the run is not there; `None` where it is.
    pub lakes: BTreeMap<String, Option<String>>,
    /// How often it was started.
    pub attempts: u32,
}

impl Outcome {
    /// Returns the run, if there is a result.
    pub fn run(&self) -> Option<&Path> {
        match &self.last {
            Some(What::Done { run, .. } | What::Known { run, .. }) => Some(run),
            _ => None,
        }
    }
}

/// A fleet's directory.
#[derive(Clone, Debug)]
pub struct Directory(PathBuf);

impl Directory {
    /// Makes the directory of a plan, or opens it again.
    ///
    /// # Errors
    /// It belongs to another plan, or to something else; and the disk's.
    pub fn of_plan(path: &Path, plan: &Plan) -> Result<Self> {
        let copy = path.join(PLAN);
        match fs::read_to_string(&copy) {
            Ok(text) if text == plan.text => return Ok(Self(path.to_owned())),
            Ok(_) => {
                let (plan, directory) = (plan.path.clone(), path.to_owned());
                return Err(FleetError::OtherPlan { plan, directory });
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(FleetError::read(&copy, error)),
        }
        let refused = |error| FleetError::write(path, error);
        fs::create_dir_all(path).map_err(refused)?;
        if fs::read_dir(path).map_err(refused)?.next().is_some() {
            return Err(FleetError::NoFleet(path.to_owned()));
        }
        fs::create_dir(path.join("logs")).map_err(refused)?;
        fs::create_dir(path.join("runs")).map_err(refused)?;
        // Last, and whole: a directory with a plan has all of this.
        let making = path.join(".plan.toml");
        fs::write(&making, &plan.text).map_err(refused)?;
        fs::rename(&making, &copy).map_err(refused)?;
        Ok(Self(path.to_owned()))
    }

    /// Opens a fleet's directory.
    ///
    /// # Errors
    /// The directory is not a fleet's.
    pub fn open(path: &Path) -> Result<Self> {
        if !path.join(PLAN).is_file() {
            return Err(FleetError::NoFleet(path.to_owned()));
        }
        Ok(Self(path.to_owned()))
    }

    /// Returns its path.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Returns the file for what a job's process says.
    pub(crate) fn log(&self, job: &str) -> PathBuf {
        self.0.join("logs").join(format!("{job}.log"))
    }

    /// Returns the run directory for a job's next attempt, seen from this one. None that is there is
    /// touched.
    pub(crate) fn next_run(&self, job: &str) -> PathBuf {
        let again = (2..).map(|number| Path::new("runs").join(format!("{job}~{number}")));
        let mut all = std::iter::once(Path::new("runs").join(job)).chain(again);
        let free = |path: &PathBuf| self.0.join(path).symlink_metadata().is_err();
        all.find(free).unwrap_or_default()
    }

    /// Reads what became of each job. A last line that was cut off in the middle counts as not written.
    ///
    /// # Errors
    /// A line before it is damaged; and the disk's.
    pub fn outcomes(&self) -> Result<BTreeMap<String, Outcome>> {
        let mut all: BTreeMap<String, Outcome> = BTreeMap::new();
        for event in self.events()? {
            let of = all.entry(event.job).or_default();
            of.attempts += u32::from(matches!(event.what, What::Started { .. }));
            match event.what {
                What::Kept { lake } => _ = of.lakes.insert(lake, None),
                What::NotKept { lake, why } => _ = of.lakes.insert(lake, Some(why)),
                // Another measurement is another run.
                What::Started { .. } => (of.lakes, of.last) = (BTreeMap::new(), Some(event.what)),
                what => of.last = Some(what),
            }
        }
        Ok(all)
    }

    /// Reads all events.
    ///
    /// # Errors
    /// As of [`Directory::outcomes`].
    pub fn events(&self) -> Result<Vec<Event>> {
        let path = self.0.join(JOURNAL);
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(FleetError::read(&path, error)),
        };
        let whole = text.rfind('\n').map_or("", |end| &text[..end]);
        let mut events = Vec::new();
        for (number, line) in whole.lines().enumerate().filter(|(_, line)| !line.is_empty()) {
            events.push(serde_json::from_str(line).map_err(|error| FleetError::Journal {
                path: path.clone(),
                line: number + 1,
                why: error.to_string(),
            })?);
        }
        Ok(events)
    }
}

/// The journal, open for writing; one process at a time has it.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: Mutex<Flock<File>>,
}

impl Journal {
    /// Opens the journal of a directory.
    ///
    /// # Errors
    /// Another process has it; and the disk's.
    pub fn open(directory: &Directory) -> Result<Self> {
        let path = directory.0.join(JOURNAL);
        let refused = |error| FleetError::write(&path, error);
        let file = OpenOptions::new().create(true).append(true).read(true).open(&path);
        let file = Flock::lock(file.map_err(refused)?, FlockArg::LockExclusiveNonblock)
            .map_err(|_| FleetError::Busy(directory.0.clone()))?;
        let journal = Self { path: path.clone(), file: Mutex::new(file) };
        // A line that was cut off in the middle was not written; the next one begins in its place.
        let text = fs::read(&path).map_err(refused)?;
        if text.last().is_some_and(|last| *last != b'\n') {
            let end = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
            let file = locked(&journal.file);
            file.set_len(end as u64).map_err(refused)?;
        }
        Ok(journal)
    }

    /// Writes an event, and waits until the disk has it.
    ///
    /// # Errors
    /// The disk's.
    pub fn write(&self, job: &str, what: What) -> Result<()> {
        let at = irqscope_run::utc(SystemTime::now());
        let event = Event { job: job.to_owned(), at, what };
        let refused = |error| FleetError::write(&self.path, error);
        let line = serde_json::to_string(&event).map_err(|error| refused(error.into()))?;
        let mut file = locked(&self.file);
        file.write_all(format!("{line}\n").as_bytes()).map_err(refused)?;
        file.sync_data().map_err(refused)
    }
}
