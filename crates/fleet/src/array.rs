// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Arrays of jobs for a cluster, as files in the fleet's directory: which task is which job, the script that
//! each task runs, and what it leaves. They outlive the fleet's process, and a later one reads them.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use irqscope_rig::hex;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::{FleetError, Result};

const ARRAYS: &str = "arrays";
const TASKS: &str = "tasks.json";
/// Marks an array whose tasks' ends are all in the journal; `NUMBER.recorded` marks one task.
const RECORDED: &str = "recorded";

/// Runs a task, which is a line of the file `commands`. The status is there whole or not at all.
const SCRIPT: &str = r#"#!/bin/sh
# A task of an array of irqscope fleet: line $SLURM_ARRAY_TASK_ID of the file commands. It leaves
# NUMBER.begun with its node, and NUMBER.status with its exit status and its seconds.
number=$SLURM_ARRAY_TASK_ID
echo "$SLURMD_NODENAME" >"$here/$number.begun"
begin=$(date +%s)
eval "$(sed -n "${number}p" "$here/commands")"
status=$?
echo "$status $(($(date +%s) - begin))" >"$here/.$number.status"
mv "$here/.$number.status" "$here/$number.status"
"#;

/// A job in an array.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Task {
    /// The job's name.
    pub job: String,
    /// Its run directory, seen from the fleet's.
    pub run: PathBuf,
    /// From 1.
    pub attempt: u32,
    /// The key of its result.
    pub key: Option<String>,
}

/// An array that was or is to be submitted.
#[derive(Debug)]
pub struct Array {
    directory: PathBuf,
    list: List,
}

#[derive(Debug, Serialize, Deserialize)]
struct List {
    place: String,
    /// Its name in the cluster.
    name: String,
    tasks: Vec<Task>,
}

/// The state of a task by its files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Left {
    Begun,
    Ended {
        exit: i32,
        seconds: u64,
    },
    /// Its end is in the journal.
    Recorded,
}

impl Array {
    /// Writes the files of an array: of each task what it is, and its command with redirections.
    ///
    /// # Errors
    /// The disk's.
    pub fn create(fleet: &Path, place: &str, tasks: Vec<(Task, String)>) -> Result<Self> {
        let all = std::path::absolute(fleet.join(ARRAYS))
            .map_err(|error| FleetError::write(fleet, error))?;
        let refused = |error| FleetError::write(&all, error);
        let numbers = numbers(&all).map_err(refused)?;
        let number = numbers.last().map_or(1, |last| last + 1);
        let directory = all.join(number.to_string());
        let making = all.join(format!(".{number}"));
        let name = format!("irqscope-{}-{number}", &hex(&Sha256::digest(path_bytes(&all)))[..8]);
        let (tasks, commands): (Vec<Task>, Vec<String>) = tasks.into_iter().unzip();
        let list = List { place: place.to_owned(), name, tasks };
        if making.exists() {
            fs::remove_dir_all(&making).map_err(refused)?;
        }
        fs::create_dir_all(&making).map_err(refused)?;
        let text = serde_json::to_string_pretty(&list).map_err(|error| refused(error.into()))?;
        fs::write(making.join(TASKS), text).map_err(refused)?;
        fs::write(making.join("commands"), commands.join("\n") + "\n").map_err(refused)?;
        let here = crate::job::quoted(&directory.display().to_string());
        let script = SCRIPT.replacen("number=", &format!("here={here}\nnumber="), 1);
        fs::write(making.join("script"), script).map_err(refused)?;
        fs::rename(&making, &directory).map_err(refused)?;
        Ok(Self { directory, list })
    }

    /// Finds the arrays of a place with tasks whose end may not be in the journal.
    ///
    /// # Errors
    /// The disk's, and a damaged file.
    pub fn unrecorded(fleet: &Path, place: &str) -> Result<Vec<Self>> {
        let all = std::path::absolute(fleet.join(ARRAYS))
            .map_err(|error| FleetError::read(fleet, error))?;
        let mut found = Vec::new();
        for number in numbers(&all).map_err(|error| FleetError::read(&all, error))? {
            let directory = all.join(number.to_string());
            if directory.join(RECORDED).exists() {
                continue;
            }
            let path = directory.join(TASKS);
            let read = |error| FleetError::read(&path, error);
            let text = fs::read_to_string(&path).map_err(read)?;
            let list: List = serde_json::from_str(&text).map_err(|error| read(error.into()))?;
            if list.place == place {
                found.push(Self { directory, list });
            }
        }
        Ok(found)
    }

    /// Returns its name in the cluster.
    pub fn name(&self) -> &str {
        &self.list.name
    }

    /// Returns its tasks; the first is number 1.
    pub fn tasks(&self) -> &[Task] {
        &self.list.tasks
    }

    /// Returns its directory.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Returns what its tasks have left until now.
    ///
    /// # Errors
    /// The disk's.
    pub fn left(&self) -> Result<BTreeMap<usize, Left>> {
        let refused = |error| FleetError::read(&self.directory, error);
        let mut all = BTreeMap::new();
        for entry in fs::read_dir(&self.directory).map_err(refused)? {
            let name = entry.map_err(refused)?.file_name();
            let Some((number, kind)) = name.to_str().and_then(|name| name.split_once('.')) else {
                continue;
            };
            let Ok(number) = number.parse() else { continue };
            match kind {
                "recorded" => _ = all.insert(number, Left::Recorded),
                "begun" => _ = all.entry(number).or_insert(Left::Begun),
                "status" if all.get(&number) != Some(&Left::Recorded) => {
                    let text = fs::read_to_string(self.directory.join(&name)).map_err(refused)?;
                    // Nothing but the script writes it.
                    let (exit, seconds) = text.trim().split_once(' ').unwrap_or(("1", "0"));
                    let (exit, seconds) = (exit.parse().unwrap_or(1), seconds.parse().unwrap_or(0));
                    all.insert(number, Left::Ended { exit, seconds });
                }
                _ => {}
            }
        }
        Ok(all)
    }

    /// Returns the file of what the cluster says about a task.
    pub fn words(&self, number: usize) -> PathBuf {
        self.directory.join(format!("{number}.out"))
    }

    /// Notes that the end of a task is in the journal.
    ///
    /// # Errors
    /// The disk's.
    pub fn record_task(&self, number: usize) -> Result<()> {
        self.note(&format!("{number}.{RECORDED}"))
    }

    /// Notes that the ends of all tasks are in the journal.
    ///
    /// # Errors
    /// The disk's.
    pub fn record(&self) -> Result<()> {
        self.note(RECORDED)
    }

    fn note(&self, name: &str) -> Result<()> {
        let path = self.directory.join(name);
        fs::write(&path, "").map_err(|error| FleetError::write(&path, error))
    }
}

fn path_bytes(path: &Path) -> &[u8] {
    use std::os::unix::ffi::OsStrExt;
    path.as_os_str().as_bytes()
}

/// Returns the numbers of all arrays, in order.
fn numbers(all: &Path) -> io::Result<Vec<u64>> {
    let entries = match fs::read_dir(all) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut numbers = Vec::new();
    for entry in entries {
        numbers.extend(entry?.file_name().to_str().and_then(|name| name.parse::<u64>().ok()));
    }
    numbers.sort_unstable();
    Ok(numbers)
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    fn task(job: &str) -> Task {
        Task { job: job.into(), run: Path::new("runs").join(job), attempt: 1, key: None }
    }

    #[test]
    fn tasks_leave_their_status_and_a_later_fleet_finds_them() {
        let parent = tempfile::tempdir().unwrap();
        let fleet = parent.path().join("it's a fleet");
        let commands = ["sh -c 'exit 3'", "true", "echo no"];
        let tasks = ["a", "b", "c"].map(task).into_iter().zip(commands.map(str::to_owned));
        let array = Array::create(&fleet, "cluster", tasks.collect()).unwrap();
        for number in ["1", "2"] {
            let mut script = Command::new("sh");
            script.arg(array.directory().join("script")).env("SLURM_ARRAY_TASK_ID", number);
            assert!(script.env("SLURMD_NODENAME", "one").status().unwrap().success());
        }
        fs::write(array.directory().join("3.begun"), "two\n").unwrap();
        let left = array.left().unwrap();
        assert_eq!(left[&1], Left::Ended { exit: 3, seconds: 0 });
        assert_eq!(left[&2], Left::Ended { exit: 0, seconds: 0 });
        assert_eq!((left[&3], left.len()), (Left::Begun, 3));
        array.record_task(1).unwrap();
        assert_eq!(array.left().unwrap()[&1], Left::Recorded);

        let second = Array::create(&fleet, "cluster", vec![(task("d"), "true".into())]).unwrap();
        assert_ne!(second.name(), array.name());
        let names = |place| {
            let unrecorded = Array::unrecorded(&fleet, place).unwrap();
            unrecorded.iter().map(|array| array.tasks()[0].job.clone()).collect::<Vec<_>>()
        };
        assert_eq!((names("cluster"), names("other")), (vec!["a".into(), "d".into()], vec![]));
        array.record().unwrap();
        assert_eq!(names("cluster"), ["d"]);
    }
}
