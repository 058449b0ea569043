// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Names for numbers and addresses.

use std::fmt;
use std::fs;
use std::path::Path;

use hashbrown::HashMap;

use super::cpu::Running;
use crate::event::{Comm, LOCAL, VECTORS, text};
use crate::interrupts::lines;

/// Turns an address into a function's name.
pub type Functions = Box<dyn Fn(u64) -> Option<String>>;

/// The names of what ran.
pub struct Names {
    interrupts: HashMap<u32, String>,
    threads: HashMap<u32, Comm>,
    functions: Functions,
}

impl fmt::Debug for Names {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Names").field("interrupts", &self.interrupts).finish_non_exhaustive()
    }
}

impl Names {
    /// Reads what the machine at `root` has now; `functions` knows the kernel's addresses.
    pub fn read(root: &Path, functions: Functions) -> Names {
        let interrupts = lines(root).into_iter().map(|line| (line.number, line.name)).collect();
        let mut threads = HashMap::new();
        for entry in fs::read_dir(root.join("proc")).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let Some(pid) = name.to_str().and_then(|name| name.parse::<u32>().ok()) else {
                continue;
            };
            if let Ok(comm) = fs::read_to_string(entry.path().join("comm")) {
                threads.insert(pid, named(comm.trim_end()));
            }
        }
        Names { interrupts, threads, functions }
    }

    pub(super) fn learn(&mut self, pid: u32, name: &Comm) {
        self.threads.insert(pid, *name);
    }

    pub(super) fn function(&self, address: u64) -> Option<String> {
        (self.functions)(address)
    }

    pub(super) fn thread(&self, pid: u32) -> Comm {
        self.threads.get(&pid).copied().unwrap_or_else(|| named(&format!("thread {pid}")))
    }

    pub(super) fn of(&self, running: Running) -> String {
        match running {
            Running::Interrupt(number) => match self.interrupts.get(&number) {
                Some(name) => format!("interrupt {number} {name}"),
                None => format!("interrupt {number}"),
            },
            Running::Softirq(vector) => {
                format!("softirq {}", VECTORS.get(usize::from(vector)).unwrap_or(&"?"))
            }
            Running::Local(vector) => {
                (*LOCAL.get(usize::from(vector)).unwrap_or(&"interrupt")).to_owned()
            }
            Running::Work(address) => match self.function(address) {
                Some(name) => format!("work {name}"),
                None => "a work".into(),
            },
            Running::Timer(address) => match self.function(address) {
                Some(name) => format!("timer {name}"),
                None => "a timer's callback".into(),
            },
            Running::Thread(0) => "idle".into(),
            Running::Thread(pid) => format!("thread {}", text(&self.thread(pid))),
            Running::Unknown => "not recorded".into(),
        }
    }
}

/// Returns a name as the kernel keeps it: its first 15 bytes, and zeros.
fn named(name: &str) -> Comm {
    let mut comm = Comm::default();
    comm.iter_mut().zip(name.bytes().take(15)).for_each(|(to, byte)| *to = byte);
    comm
}
