// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Loads that a scenario brings: any command, held up as the scenario says.
//!
//! A worker starts the command and stays as its parent, reads what it complains of, and decides what
//! its end means. Both are in one process group, which the supervisor kills.

use std::convert::Infallible;
use std::fs;
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::park;

use irqscope_calls::{Program, calls, of_command};
use irqscope_wire::{AtEnd, OwnLoad, Scheduling};
use nix::unistd::{Gid, Pid, Uid, User, getppid, setgroups};

use super::Worker;
use super::external::USUAL_PATH;
use super::root;
use super::supervisor::die_with;
use crate::{network, scheduling};

/// Directories of loads' files, beside the agent's program.
const FILES: &str = "load";

/// Bytes of a command's complaints that are kept, and characters of a line that are reported.
const KEPT: usize = 1024;
const LINE: usize = 200;

/// An account that a load runs as.
#[derive(Clone, Copy)]
struct Account {
    user: Uid,
    group: Gid,
}

/// Returns the workers of a load, once its program and its user are found.
pub fn workers(load: &OwnLoad) -> Result<Vec<Worker>, String> {
    let dir = dir(&load.name)?;
    if load.has_root {
        return Ok(each(load, move |load| hold_in_root(load, &dir)));
    }
    let account = load.user.as_deref().map(account).transpose()?;
    let act = Act::of(load, |name| {
        find(name, &dir).ok_or_else(|| format!("there is no program {name}"))
    })?;
    Ok(each(load, move |load| act.hold(load, &dir, account)))
}

/// Returns as many workers as the load asks for.
fn each(
    load: &OwnLoad,
    work: impl Fn(&OwnLoad) -> Result<Infallible, String> + Clone + 'static,
) -> Vec<Worker> {
    let worker = |_| -> Worker {
        let (load, work) = (load.clone(), work.clone());
        Box::new(move || work(&load))
    };
    (0..load.count).map(worker).collect()
}

/// The work of a load.
#[derive(Clone)]
enum Act {
    /// It runs a program, with the command's other words.
    Run(PathBuf),
    /// It makes system calls.
    Call(Vec<String>),
}

impl Act {
    /// Returns what a load's command asks for; `find` finds a program by its name.
    fn of(
        load: &OwnLoad,
        find: impl FnOnce(&str) -> Result<PathBuf, String>,
    ) -> Result<Self, String> {
        let name = load.command.first().map(String::as_str).unwrap_or_default();
        match of_command(&load.command) {
            Some(calls) => Ok(Self::Call(calls.to_vec())),
            None => find(name).map(Self::Run),
        }
    }

    /// Does it until its end means that the load has ended.
    fn hold(
        &self,
        load: &OwnLoad,
        dir: &Path,
        account: Option<Account>,
    ) -> Result<Infallible, String> {
        match self {
            Self::Run(program) => hold(load, program, dir, account),
            Self::Call(calls) => make_calls(load, calls, dir, account),
        }
    }
}

/// Returns the directory of a load's files, which is made for one that has none.
fn dir(name: &str) -> Result<PathBuf, String> {
    let agent = std::env::current_exe().map_err(|error| format!("the agent's place: {error}"))?;
    let dir = agent.parent().unwrap_or(Path::new("/")).join(FILES).join(name);
    fs::create_dir_all(&dir).map_err(|error| format!("{}: {error}", dir.display()))?;
    Ok(dir)
}

/// Finds a program: a path counts from the load's directory, a word is looked for there and then
/// where programs are.
fn find(name: &str, dir: &Path) -> Option<PathBuf> {
    let is_file = |path: &PathBuf| path.is_file();
    let own = Some(dir.join(name)).filter(is_file);
    if name.is_empty() || name.contains('/') {
        return own;
    }
    let path = std::env::var_os("PATH").unwrap_or_else(|| USUAL_PATH.into());
    own.or_else(|| std::env::split_paths(&path).map(|folder| folder.join(name)).find(is_file))
}

/// Finds a user by number or name; its group has the same number where no list of users says more.
fn account(user: &str) -> Result<Account, String> {
    if let Ok(number) = user.parse() {
        let known = User::from_uid(Uid::from_raw(number)).ok().flatten();
        let group = known.map_or(Gid::from_raw(number), |known| known.gid);
        return Ok(Account { user: Uid::from_raw(number), group });
    }
    match User::from_name(user) {
        Ok(Some(found)) => Ok(Account { user: found.uid, group: found.gid }),
        _ => Err(format!("there is no user {user}; a number always works")),
    }
}

/// Does the load's work in the root file system that it has brought: there its program and its user are found.
fn hold_in_root(load: &OwnLoad, dir: &Path) -> Result<Infallible, String> {
    if load.peer {
        network::enter_peer().map_err(|error| error.to_string())?;
    }
    root::enter(dir)?;
    let account = load.user.as_deref().map(account).transpose()?;
    let here = std::env::current_dir().map_err(|error| error.to_string())?;
    let path = format!("{}:{USUAL_PATH}", root::FILES);
    let mut load = OwnLoad { peer: false, ..load.clone() };
    load.environment.insert(0, ("PATH".into(), path));
    // The program is looked for where it is started, in this PATH.
    let act = Act::of(&load, |name| Ok(name.into()))?;
    act.hold(&load, &here, account)
}

/// Runs the command until its end means that the load has ended.
fn hold(
    load: &OwnLoad,
    program: &Path,
    dir: &Path,
    account: Option<Account>,
) -> Result<Infallible, String> {
    loop {
        let mut child =
            start(load, program, dir, account).map_err(|error| unstarted(load, program, &error))?;
        let last = last_words(&mut child);
        let status = child.wait().map_err(|error| error.to_string())?;
        let ended = || format!("it ended with {status}{}", said(&last));
        match load.at_end {
            _ if !status.success() => return Err(ended()),
            AtEnd::Fail => return Err(ended()),
            AtEnd::Restart => {}
            AtEnd::GoOn => loop {
                park();
            },
        }
    }
}

/// Makes system calls in this process, until one fails when it is first made.
fn make_calls(
    load: &OwnLoad,
    texts: &[String],
    dir: &Path,
    account: Option<Account>,
) -> Result<Infallible, String> {
    let said = |error: &dyn std::fmt::Display| error.to_string();
    let calls = calls(texts.iter().map(String::as_str)).map_err(|error| said(&error))?;
    std::env::set_current_dir(dir).map_err(|error| format!("{}: {error}", dir.display()))?;
    become_load(load.scheduling, load.peer, account, getppid()).map_err(|error| said(&error))?;
    let mut program = Program::new(&calls).map_err(|error| said(&error))?;
    let mut pass = || {
        // SAFETY: this process has one thread, and nothing but these calls to do.
        unsafe { program.pass() };
        program.check()
    };
    // A call that fails later may be another load's doing.
    pass().map_err(|error| said(&error))?;
    loop {
        let _ = pass();
    }
}

/// Gives this process, which ends with `parent`, what the scenario says of the load.
fn become_load(
    policy: Option<Scheduling>,
    peer: bool,
    account: Option<Account>,
    parent: Pid,
) -> std::io::Result<()> {
    if peer {
        network::enter_peer()?;
    }
    if let Some(policy) = policy {
        scheduling::schedule("the load", policy).map_err(std::io::Error::other)?;
    }
    if let Some(Account { user, group }) = account {
        setgroups(&[])?;
        nix::unistd::setgid(group)?;
        nix::unistd::setuid(user)?;
    }
    // After setuid(), which takes it back.
    Ok(die_with(parent)?)
}

fn unstarted(load: &OwnLoad, program: &Path, error: &std::io::Error) -> String {
    let program = program.display();
    match error.kind() {
        std::io::ErrorKind::NotFound if load.has_root => format!(
            "there is no program {program} in its root file system, or not its interpreter or loader"
        ),
        _ => format!("{program}: {error}"),
    }
}

fn start(
    load: &OwnLoad,
    program: &Path,
    dir: &Path,
    account: Option<Account>,
) -> std::io::Result<Child> {
    let mut command = Command::new(program);
    command.args(&load.command[1..]).current_dir(dir);
    command.env("PATH", std::env::var_os("PATH").unwrap_or_else(|| USUAL_PATH.into()));
    command.envs(load.environment.iter().map(|(name, value)| (name, value)));
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let (worker, policy, peer) = (Pid::this(), load.scheduling, load.peer);
    let set_up = move || become_load(policy, peer, account, worker);
    // SAFETY: the worker has one thread, so its child may allocate.
    unsafe { command.pre_exec(set_up) }.spawn()
}

/// Reads what the command complains of until it or its last child has ended; returns the last line. Of
/// what comes only the end is kept, however much it is.
fn last_words(child: &mut Child) -> String {
    let Some(mut stderr) = child.stderr.take() else { return String::new() };
    let (mut kept, mut buffer) = (Vec::new(), [0; KEPT]);
    while let Ok(length @ 1..) = stderr.read(&mut buffer) {
        kept.extend_from_slice(&buffer[..length]);
        kept.drain(..kept.len().saturating_sub(KEPT));
    }
    let text = String::from_utf8_lossy(&kept);
    let last = text.lines().rev().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    last.chars().filter(|c| !c.is_control()).take(LINE).collect()
}

fn said(last: &str) -> String {
    if last.is_empty() { String::new() } else { format!(" (it said: {last})") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use irqscope_wire::LoadCpu;

    fn load(command: &[&str], at_end: AtEnd) -> OwnLoad {
        OwnLoad {
            name: "mine".into(),
            command: command.iter().map(|word| (*word).to_owned()).collect(),
            environment: vec![("WORD".into(), "value".into())],
            count: 1,
            cpu: LoadCpu::Any,
            scheduling: None,
            user: None,
            at_end,
            peer: false,
            has_root: false,
        }
    }

    fn held(load: &OwnLoad) -> String {
        hold(load, Path::new("/bin/sh"), Path::new("/"), None).unwrap_err()
    }

    #[test]
    fn a_command_that_ends_says_how_and_its_last_words() {
        let failed = load(&["sh", "-c", "echo first >&2; echo $WORD >&2; exit 3"], AtEnd::GoOn);
        assert_eq!(held(&failed), "it ended with exit status: 3 (it said: value)");
        let floods = "head -c 300000 /dev/zero >&2; echo >&2; echo end >&2; exit 1";
        assert!(held(&load(&["sh", "-c", floods], AtEnd::Fail)).ends_with("(it said: end)"));
        let ended = load(&["sh", "-c", "pwd"], AtEnd::Fail);
        assert_eq!(held(&ended), "it ended with exit status: 0");
    }

    #[test]
    fn calls_are_made_until_one_fails_at_first() {
        let made = |calls: &[&str]| {
            let calls: Vec<String> = calls.iter().map(|call| (*call).to_owned()).collect();
            let load =
                OwnLoad { command: irqscope_calls::command(&calls), ..load(&[], AtEnd::Fail) };
            let act = Act::of(&load, |name| Err(format!("{name} is no program"))).unwrap();
            act.hold(&load, Path::new("/"), None).unwrap_err()
        };
        let open = "r0 = openat(AT_FDCWD, \"/dev/null\", O_RDONLY)";
        let error = made(&[open, "close(r0)", "close(r0)"]);
        assert!(error.starts_with("close(r0): ") && error.contains("EBADF"), "{error}");
        assert!(made(&["close("]).contains("is no call"));
    }

    #[test]
    fn a_command_is_started_again_until_it_fails() {
        let dir = tempfile::tempdir().unwrap();
        let script = format!("cd {}; test ! -e b; mv a b || :> a", dir.path().display());
        let again = load(&["sh", "-c", &format!("{script}; test ! -e b")], AtEnd::Restart);
        assert!(held(&again).starts_with("it ended with exit status: 1"));
    }

    #[test]
    fn a_program_is_found_in_its_own_directory_first() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(find("sh", dir.path()).unwrap().file_name().unwrap(), "sh");
        std::fs::write(dir.path().join("sh"), "").unwrap();
        assert_eq!(find("sh", dir.path()).unwrap(), dir.path().join("sh"));
        assert_eq!(find("./sh", dir.path()).unwrap(), dir.path().join("./sh"));
        assert_eq!(find("./none", dir.path()), None);
        assert_eq!(find("irqscope-no-such", dir.path()), None);
    }
}
