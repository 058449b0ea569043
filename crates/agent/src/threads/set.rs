// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Priorities and affinities from a file, all of them or none: what does not
//! match anything is refused before anything is changed, the way back is on the
//! disk before the first change, and a change that fails takes the others back.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use irqscope_quantity::CpuList;
use irqscope_wire::{Policy, Scheduling, ThreadFact};
use nix::errno::Errno;
use nix::sched::{CpuSet, sched_setaffinity};
use nix::unistd::Pid;
use serde::Deserialize;

use super::show::ranges;
use super::{interrupts, scan};
use crate::error::{Error, Result};
use crate::{scheduling, settings};

/// The file's contents.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wanted {
    #[serde(default)]
    thread: Vec<ThreadText>,
    #[serde(default)]
    interrupt: Vec<InterruptText>,
}

/// Threads by name, in which `*` stands for anything; by their number as well
/// in the file that leads back.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ThreadText {
    name: String,
    pid: Option<u32>,
    /// "fifo 60", "rr 5" or "other".
    priority: Option<String>,
    /// "0-1,3".
    cpus: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct InterruptText {
    line: u32,
    cpus: String,
}

/// One change with its way back.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Change {
    Priority { pid: u32, name: String, from: Scheduling, to: Scheduling },
    Affinity { pid: u32, name: String, from: Vec<u32>, to: Vec<u32> },
    Interrupt { line: u32, from: Vec<u32>, to: Vec<u32> },
}

fn wrong(text: impl Into<String>) -> Error {
    Error::Threads(text.into())
}

impl Wanted {
    pub fn parse(text: &str) -> Result<Wanted> {
        toml::from_str(text).map_err(|error| wrong(error.to_string().trim_end()))
    }

    /// Returns every change that it takes; nothing is changed yet.
    fn changes(&self, root: &Path) -> Result<Vec<Change>> {
        let threads = scan::threads(root);
        let mut changes = Vec::new();
        for text in &self.thread {
            changes.extend(text.changes(&threads)?);
        }
        let lines = interrupts::lines(root, &[]);
        for text in &self.interrupt {
            let line = lines.iter().find(|line| line.line == text.line.to_string());
            let line = line.ok_or_else(|| wrong(format!("no interrupt has line {}", text.line)))?;
            let to = cpus(&text.cpus)?;
            changes.push(Change::Interrupt { line: text.line, from: line.cpus.clone(), to });
        }
        changes.retain(|change| !change.is_nothing());
        Ok(changes)
    }
}

impl ThreadText {
    fn changes(&self, threads: &[ThreadFact]) -> Result<Vec<Change>> {
        let mine = |one: &&ThreadFact| {
            matches(&self.name, &one.name) && self.pid.is_none_or(|pid| pid == one.pid)
        };
        let found: Vec<&ThreadFact> = threads.iter().filter(mine).collect();
        if found.is_empty() {
            return Err(wrong(format!("no thread is called `{}`", self.name)));
        }
        let priority = self.priority.as_deref().map(scheduling).transpose()?;
        let cpus = self.cpus.as_deref().map(cpus).transpose()?;
        let mut changes = Vec::new();
        for one in found {
            let (pid, name) = (one.pid, one.name.clone());
            if let Some(to) = priority {
                let from = one.scheduling().ok_or_else(|| {
                    wrong(format!("{name} has the policy {}, which is left alone", one.policy))
                })?;
                changes.push(Change::Priority { pid, name: name.clone(), from, to });
            }
            if let Some(to) = cpus.clone() {
                changes.push(Change::Affinity { pid, name, from: one.cpus.clone(), to });
            }
        }
        Ok(changes)
    }
}

impl Change {
    fn is_nothing(&self) -> bool {
        match self {
            Change::Priority { from, to, .. } => from == to,
            Change::Affinity { from, to, .. } | Change::Interrupt { from, to, .. } => from == to,
        }
    }

    fn make(&self, root: &Path) -> Result<()> {
        match self {
            Change::Priority { pid, name, to, .. } => {
                let failed =
                    |errno| refused(&format!("{name} {}", settings::scheduling(*to)), errno);
                scheduling::schedule_thread(*pid, *to).map_err(failed)
            }
            Change::Affinity { pid, name, to, .. } => {
                let failed = |errno| refused(&format!("{name} CPUs {}", ranges(to)), errno);
                restrict(*pid, to).map_err(failed)
            }
            Change::Interrupt { line, to, .. } => {
                let path = root.join(format!("proc/irq/{line}/smp_affinity_list"));
                let failed =
                    |error| wrong(format!("interrupt {line} CPUs {}: {error}", ranges(to)));
                fs::write(path, ranges(to)).map_err(failed)
            }
        }
    }

    fn back(&self) -> Change {
        let mut back = self.clone();
        match &mut back {
            Change::Priority { from, to, .. } => std::mem::swap(from, to),
            Change::Affinity { from, to, .. } | Change::Interrupt { from, to, .. } => {
                std::mem::swap(from, to);
            }
        }
        back
    }

    /// Formats it as it stands in a file.
    fn text(&self) -> String {
        match self {
            Change::Priority { pid, name, to, .. } => {
                let priority = settings::scheduling(*to);
                format!(
                    "[[thread]]\nname = {}\npid = {pid}\npriority = \"{priority}\"\n",
                    quoted(name)
                )
            }
            Change::Affinity { pid, name, to, .. } => {
                let cpus = ranges(to);
                format!("[[thread]]\nname = {}\npid = {pid}\ncpus = \"{cpus}\"\n", quoted(name))
            }
            Change::Interrupt { line, to, .. } => {
                format!("[[interrupt]]\nline = {line}\ncpus = \"{}\"\n", ranges(to))
            }
        }
    }

    fn told(&self) -> String {
        match self {
            Change::Priority { pid, name, from, to } => {
                let [from, to] = [from, to].map(|one| settings::scheduling(*one));
                format!("{name} ({pid}): {from} -> {to}")
            }
            Change::Affinity { pid, name, from, to } => {
                format!("{name} ({pid}): CPUs {} -> {}", ranges(from), ranges(to))
            }
            Change::Interrupt { line, from, to } => {
                format!("interrupt {line}: CPUs {} -> {}", ranges(from), ranges(to))
            }
        }
    }
}

/// Applies a file's text, and leaves the file that undoes it; gives what was
/// changed, in words.
pub fn apply(root: &Path, text: &str, undo: &Path) -> Result<Vec<String>> {
    let changes = Wanted::parse(text)?.changes(root)?;
    if changes.is_empty() {
        return Ok(Vec::new());
    }
    write_undo(undo, &changes)?;
    for (done, change) in changes.iter().enumerate() {
        if let Err(error) = change.make(root) {
            for change in changes[..done].iter().rev() {
                change.back().make(root)?;
            }
            let _ = fs::remove_file(undo);
            return Err(error);
        }
    }
    Ok(changes.iter().map(Change::told).collect())
}

/// Writes the changes in reverse, and to the disk.
fn write_undo(path: &Path, changes: &[Change]) -> Result<()> {
    let back: Vec<String> = changes.iter().rev().map(|change| change.back().text()).collect();
    let text = format!("# irqscope threads --set {}\n\n{}", path.display(), back.join("\n"));
    let written = fs::File::create_new(path)
        .and_then(|mut file| file.write_all(text.as_bytes()).and_then(|()| file.sync_all()));
    written.map_err(|error| wrong(format!("{}: {error}", path.display())))
}

/// Formats a basic string of TOML; names may hold anything.
fn quoted(name: &str) -> String {
    let escaped: String = name
        .chars()
        .map(|letter| match letter {
            '"' | '\\' => format!("\\{letter}"),
            letter if letter.is_control() => format!("\\u{:04x}", u32::from(letter)),
            letter => letter.into(),
        })
        .collect();
    format!("\"{escaped}\"")
}

/// Names the file beside the one that is applied: `rt.toml` becomes `rt.undo.toml`.
pub fn undo_path(set: &Path) -> PathBuf {
    set.with_extension("undo.toml")
}

fn refused(what: &str, errno: Errno) -> Error {
    let why = match errno {
        Errno::EINVAL => "the kernel keeps this thread where it is",
        Errno::EPERM => "only root may",
        Errno::ESRCH => "it has ended",
        _ => errno.desc(),
    };
    wrong(format!("{what}: {why}"))
}

fn restrict(pid: u32, cpus: &[u32]) -> nix::Result<()> {
    let mut set = CpuSet::new();
    cpus.iter().try_for_each(|cpu| set.set(*cpu as usize))?;
    sched_setaffinity(Pid::from_raw(pid.cast_signed()), &set)
}

fn cpus(list: &str) -> Result<Vec<u32>> {
    let read: std::result::Result<CpuList, _> = list.parse();
    read.map(|CpuList(cpus)| cpus).map_err(|error| wrong(error.to_string()))
}

/// Parses "fifo 60", "other".
fn scheduling(text: &str) -> Result<Scheduling> {
    let no = || wrong(format!("`{text}` is no priority; write \"fifo 60\", \"rr 5\" or \"other\""));
    let (policy, priority) = text.split_once(' ').unwrap_or((text, "0"));
    let policy: Policy = policy.parse().map_err(|_| no())?;
    let range = if policy == Policy::Other { 0..=0 } else { 1..=99 };
    let priority = priority.parse().ok().filter(|priority| range.contains(priority));
    priority.map(|priority| Scheduling { policy, priority }).ok_or_else(no)
}

/// Matches a name; `*` stands for any text.
fn matches(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((before, after)) => name.strip_prefix(before).is_some_and(|rest| {
            let starts = rest.char_indices().map(|(at, _)| at).chain([rest.len()]);
            starts.into_iter().any(|at| matches(after, &rest[at..]))
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Starts a thread of this process, so that every change may be made.
    fn idle_thread(name: &str) -> (std::sync::mpsc::Sender<()>, std::thread::JoinHandle<()>) {
        let (end, ended) = std::sync::mpsc::channel();
        let (tell, told) = std::sync::mpsc::channel();
        let body = move || {
            let _ = tell.send(());
            let _ = ended.recv();
        };
        let thread = std::thread::Builder::new().name(name.into()).spawn(body).unwrap();
        told.recv().unwrap();
        (end, thread)
    }

    fn cpus_of(name: &str) -> Vec<u32> {
        let threads = scan::threads(Path::new("/"));
        threads.into_iter().find(|thread| thread.name == name).unwrap().cpus
    }

    #[test]
    fn a_change_and_its_undo_leave_everything_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let undo = folder.path().join("undo.toml");
        let (end, thread) = idle_thread("undo-me-1");
        let before = cpus_of("undo-me-1");
        let last = *before.last().unwrap();
        let text = format!("[[thread]]\nname = \"undo-me-*\"\ncpus = \"{last}\"\n");
        let told = apply(Path::new("/"), &text, &undo).unwrap();
        assert_eq!(cpus_of("undo-me-1"), [last]);
        if before.len() > 1 {
            assert_eq!(told.len(), 1);
            let back = fs::read_to_string(&undo).unwrap();
            apply(Path::new("/"), &back, &folder.path().join("redo.toml")).unwrap();
            assert_eq!(cpus_of("undo-me-1"), before);
        }
        drop(end);
        thread.join().unwrap();
    }

    #[test]
    fn what_fails_half_way_is_taken_back_and_leaves_no_undo() {
        let folder = tempfile::tempdir().unwrap();
        let undo = folder.path().join("undo.toml");
        let (end, thread) = idle_thread("set-me-2");
        let before = cpus_of("set-me-2");
        let last = *before.last().unwrap();
        let text = format!(
            "[[thread]]\nname = \"set-me-2\"\ncpus = \"{last}\"\n\
             [[thread]]\nname = \"set-me-2\"\ncpus = \"1000\"\n"
        );
        let error = apply(Path::new("/"), &text, &undo).unwrap_err();
        assert!(error.to_string().contains("1000"), "{error}");
        assert_eq!(cpus_of("set-me-2"), before);
        assert!(!undo.exists());
        drop(end);
        thread.join().unwrap();
    }

    #[test]
    fn what_matches_nothing_is_refused_before_anything_is_changed() {
        let folder = tempfile::tempdir().unwrap();
        let undo = folder.path().join("undo.toml");
        let refuse = |text: &str, what: &str| {
            let error = apply(Path::new("/"), text, &undo).unwrap_err();
            assert!(error.to_string().contains(what), "{error}");
            assert!(!undo.exists());
        };
        refuse("[[thread]]\nname = \"no such thread\"\npriority = \"fifo 1\"\n", "no thread");
        refuse("[[interrupt]]\nline = 99999\ncpus = \"0\"\n", "no interrupt");
        refuse("[[thread]]\nname = \"*\"\nprioriy = \"fifo 1\"\n", "prioriy");
        refuse("[[thread]]\nname = \"ksoftirqd/*\"\npriority = \"fifo 0\"\n", "rr 5");
    }

    #[test]
    fn an_existing_undo_is_never_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let undo = folder.path().join("undo.toml");
        fs::write(&undo, "precious").unwrap();
        let (end, thread) = idle_thread("set-me-3");
        let last = *cpus_of("set-me-3").last().unwrap();
        let text = format!("[[thread]]\nname = \"set-me-3\"\ncpus = \"{last}\"\n");
        let applied = apply(Path::new("/"), &text, &undo);
        // With one CPU there is nothing to change, and nothing to undo.
        assert!(applied.is_err() || applied.unwrap().is_empty());
        assert_eq!(fs::read_to_string(&undo).unwrap(), "precious");
        drop(end);
        thread.join().unwrap();
    }

    #[test]
    fn a_name_of_any_letters_survives_the_way_back() {
        let name = "a\"b\\c\td\u{7f}é";
        let from = Scheduling { policy: Policy::Other, priority: 0 };
        let change = Change::Priority { pid: 7, name: name.into(), from, to: from };
        let wanted = Wanted::parse(&change.text()).unwrap();
        assert_eq!((wanted.thread[0].name.as_str(), wanted.thread[0].pid), (name, Some(7)));
    }

    #[test]
    fn stars_stand_for_any_text() {
        assert!(matches("irq/24-*", "irq/24-ahci"));
        assert!(matches("*", "") && matches("a*b*c", "a-b-b-c"));
        assert!(!matches("irq/2-*", "irq/24-ahci") && !matches("a*b", "a"));
    }
}
