// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Slurm's own programs, which submit an array of jobs, look for it and take it back. An array is found by
//! its name, which its fleet gives it, also when the submission itself was cut off.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use irqscope_rig::{OFFLINE, are_downloads_forbidden};

use crate::process::last_line;

/// The programs that are used; without the first nothing can be submitted.
pub const PROGRAMS: [&str; 3] = ["sbatch", "squeue", "scancel"];

/// The highest number of a task where the cluster does not say (slurm.conf(5), `MaxArraySize` minus one).
const USUAL_MOST: usize = 1000;

/// An array to be submitted.
pub struct Submission<'a> {
    pub name: &'a str,
    /// The options of the plan's place.
    pub options: &'a [String],
    /// The number of tasks, which are numbered from 1.
    pub tasks: usize,
    /// How many of them may run at the same time; none: the cluster's affair.
    pub at_once: Option<usize>,
    /// The script that each task runs.
    pub script: &'a Path,
    /// The directory for what Slurm says about a task, `N.out`.
    pub words: &'a Path,
}

/// Submits an array. No task is begun again by Slurm: its run directory would be there.
pub fn submit(array: &Submission) -> Result<(), String> {
    let most = array.at_once.map_or(String::new(), |most| format!("%{most}"));
    let words = array.words.display().to_string().replace('%', "%%");
    let mut command = Command::new("sbatch");
    command.args(array.options).args(["--parsable", "--no-requeue"]);
    command.arg(format!("--job-name={}", array.name));
    command.arg(format!("--array=1-{}{most}", array.tasks));
    command.arg(format!("--output={words}/%a.out")).arg(array.script);
    if are_downloads_forbidden() {
        command.env(OFFLINE, "1");
    }
    output(&mut command).map(|_| ())
}

/// Returns the numbers of an array's tasks that wait or run.
pub fn present(name: &str) -> Result<BTreeSet<usize>, String> {
    let said = output(Command::new("squeue").args(["-h", "-r", "-o", "%K", "-n", name]))?;
    Ok(said.lines().filter_map(|line| line.trim().parse().ok()).collect())
}

/// Takes an array back, or one task of it. Slurm asks what runs to end, and ends it after half a minute
/// (slurm.conf(5), `KillWait`).
pub fn cancel(name: &str, task: Option<usize>) -> Result<(), String> {
    let Some(task) = task else {
        return output(Command::new("scancel").args(["-n", name])).map(|_| ());
    };
    let said = output(Command::new("squeue").args(["-h", "-r", "-o", "%F %K", "-n", name]))?;
    for line in said.lines() {
        if let Some((job, number)) = line.split_once(' ')
            && number.trim().parse() == Ok(task)
        {
            output(Command::new("scancel").arg(format!("{job}_{task}")))?;
        }
    }
    Ok(())
}

/// Returns how many tasks an array may have.
pub fn most_tasks() -> usize {
    let said = output(Command::new("scontrol").args(["show", "config"])).unwrap_or_default();
    most_of(&said).unwrap_or(USUAL_MOST)
}

fn most_of(config: &str) -> Option<usize> {
    let line = config.lines().find_map(|line| line.strip_prefix("MaxArraySize"))?;
    let size: usize = line.trim_start_matches([' ', '=']).trim().parse().ok()?;
    (size > 1).then_some(size - 1)
}

fn output(command: &mut Command) -> Result<String, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let run = command.stdin(Stdio::null()).output();
    let Output { status, stdout, stderr } = run.map_err(|error| format!("{name}: {error}"))?;
    if status.success() {
        return Ok(String::from_utf8_lossy(&stdout).into_owned());
    }
    Err(last_line(&String::from_utf8_lossy(&stderr)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clusters_limit_is_read() {
        let config = "MailProg                = /bin/mail\nMaxArraySize            = 5001\n";
        assert_eq!(most_of(config), Some(5000));
        assert_eq!(most_of("MaxArraySize = 0"), None);
        assert_eq!(most_of(""), None);
    }
}
