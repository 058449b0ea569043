// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Loads that are programs of their own, where they are installed.

use std::convert::Infallible;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use irqscope_wire::Load;

use super::Worker;

/// Where programs are if the environment does not say.
pub const USUAL_PATH: &str = "/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// Returns the options of a load: for ever, as far as both programs allow to say so; and bounded in
/// memory.
fn arguments(load: Load) -> &'static [&'static str] {
    match load {
        Load::Hackbench => &["--groups", "2", "--loops", "1000000000"],
        Load::StressNg => &[
            "--cpu",
            "1",
            "--switch",
            "1",
            "--pipe",
            "1",
            "--timer",
            "1",
            "--vm",
            "1",
            "--vm-bytes",
            "16M",
            "--timeout",
            "0",
            "--no-rand-seed",
            "--quiet",
            "--temp-path",
            "/tmp",
        ],
        _ => &[],
    }
}

/// Returns whether a load can be started here: our own always can.
pub fn is_present(load: Load) -> bool {
    !matches!(load, Load::Hackbench | Load::StressNg) || find(load).is_some()
}

fn find(load: Load) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_else(|| USUAL_PATH.into());
    std::env::split_paths(&path).map(|folder| folder.join(load.name())).find(|file| file.is_file())
}

pub fn workers(load: Load) -> Result<Vec<Worker>, String> {
    let program = find(load).ok_or("it is not installed")?;
    Ok(vec![Box::new(move || execute(load, program))])
}

fn execute(load: Load, program: PathBuf) -> Result<Infallible, String> {
    let mut command = Command::new(&program);
    command.args(arguments(load)).stdin(Stdio::null()).stdout(Stdio::null());
    let error = command.stderr(Stdio::null()).exec();
    Err(format!("{}: {error}", program.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_own_loads_need_no_installation() {
        let own = Load::ALL.iter().filter(|load| arguments(**load).is_empty());
        assert!(own.clone().all(|load| is_present(*load)));
        assert_eq!(own.count(), Load::ALL.len() - 2);
    }
}
