// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Goal: loads run on the CPU they were given, and none outlives the agent,
//! however that ends.

use std::fs;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use irqscope_agent::scheduling;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

const LIMIT: Duration = Duration::from_secs(20);

fn load(name: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_irqscope-agent"));
    command.args(["load", name]).stderr(Stdio::piped());
    command
}

fn load_on(name: &str, cpu: &str) -> Command {
    let mut command = load(name);
    command.args(["--cpu", cpu]);
    command
}

/// Returns parent and CPU of a process that is not a zombie.
fn alive(pid: i32) -> Option<(i32, u32)> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let fields: Vec<_> = stat.rsplit_once(')')?.1.split_whitespace().map(String::from).collect();
    (fields[0] != "Z").then(|| (fields[1].parse().unwrap(), fields[36].parse().unwrap()))
}

fn descendants(root: i32) -> Vec<i32> {
    let entries = fs::read_dir("/proc").unwrap();
    let pids = entries.filter_map(|entry| entry.unwrap().file_name().to_str()?.parse().ok());
    let parents: Vec<(i32, i32)> =
        pids.filter_map(|pid| alive(pid).map(|(parent, _)| (pid, parent))).collect();
    let mut found = vec![root];
    let mut next = 0;
    while let Some(parent) = found.get(next).copied() {
        found.extend(parents.iter().filter(|(_, of)| *of == parent).map(|(pid, _)| pid));
        next += 1;
    }
    found.split_off(1)
}

fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !holds() {
        assert!(begin.elapsed() < LIMIT, "{what}");
        sleep(Duration::from_millis(20));
    }
}

/// Starts a load, and waits until it has at least `processes` processes.
fn started(mut command: Command, processes: usize) -> (Child, Vec<i32>) {
    let child = command.spawn().unwrap();
    let pid = child.id() as i32;
    wait_until("the load does not start", || descendants(pid).len() > processes);
    (child, descendants(pid))
}

fn assert_all_end(descendants: &[i32]) {
    wait_until("a process was left behind", || descendants.iter().all(|pid| alive(*pid).is_none()));
}

#[test]
fn each_load_ends_with_an_agent_that_is_killed() {
    // On one CPU, so that 256 busy ones leave the others to this test.
    let cpu = scheduling::allowed().last().unwrap().to_string();
    for (name, processes) in
        [("busy", 1), ("tcp", 2), ("copy", 1), ("exec", 1), ("memory", 1), ("busy256", 256)]
    {
        let (mut agent, descendants) = started(load_on(name, &cpu), processes);
        agent.kill().unwrap();
        agent.wait().unwrap();
        assert_all_end(&descendants);
    }
}

#[test]
fn a_load_runs_on_its_cpu_until_a_signal_ends_it_well() {
    let cpu = *scheduling::allowed().last().unwrap();
    let (mut agent, descendants) = started(load_on("busy", &cpu.to_string()), 1);
    let worker = *descendants.last().unwrap();
    wait_until("it runs elsewhere", || alive(worker).is_some_and(|(_, on)| on == cpu));
    kill(Pid::from_raw(agent.id() as i32), Signal::SIGTERM).unwrap();
    assert!(agent.wait().unwrap().success());
    assert_all_end(&descendants);
}

/// Makes a program that stands for a foreign load.
fn foreign(folder: &Path, script: &str) -> Command {
    let program = folder.join("hackbench");
    fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = load("hackbench");
    command.env("PATH", format!("{}:/usr/bin:/bin", folder.display()));
    command
}

#[test]
fn a_grandchild_that_left_its_session_is_found_and_ended() {
    let folder = tempfile::tempdir().unwrap();
    let pid_file = folder.path().join("pid");
    let script = format!(
        "setsid sh -c 'echo $$ > {0}.new; mv {0}.new {0}; exec sleep 1000' &\nwait",
        pid_file.display()
    );
    let mut agent = foreign(folder.path(), &script).spawn().unwrap();
    wait_until("the grandchild does not start", || pid_file.exists());
    let grandchild = fs::read_to_string(&pid_file).unwrap().trim().parse().unwrap();
    assert!(alive(grandchild).is_some());
    agent.kill().unwrap();
    agent.wait().unwrap();
    assert_all_end(&[grandchild]);
}

#[test]
fn a_load_that_ends_by_itself_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let mut agent = foreign(folder.path(), "exit 7").spawn().unwrap();
    assert_eq!(agent.wait().unwrap().code(), Some(3));
    let mut text = String::new();
    agent.stderr.take().unwrap().read_to_string(&mut text).unwrap();
    assert!(text.contains("load hackbench: it ended with exit code 7"), "{text}");
}

#[test]
fn a_load_that_is_not_installed_is_named() {
    let mut command = load("stress-ng");
    let output = command.env("PATH", "/nowhere").output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    assert!(String::from_utf8_lossy(&output.stderr).contains("stress-ng: it is not installed"));
}
