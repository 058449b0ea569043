// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Names for numbers and addresses.

use std::collections::HashMap;
use std::fmt;
use std::fs;
use std::path::Path;

use super::cpu::Running;
use crate::event::{Comm, LOCAL, VECTORS, text};
use crate::interrupts::lines;

/// Turns an address into a function's name.
pub type Functions = Box<dyn Fn(u64) -> Option<String>>;

/// The names of what ran.
pub struct Names {
    interrupts: HashMap<u32, String>,
    threads: HashMap<u32, String>,
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
                threads.insert(pid, comm.trim_end().to_owned());
            }
        }
        Names { interrupts, threads, functions }
    }

    pub(super) fn learn(&mut self, pid: u32, name: &Comm) {
        let known = self.threads.entry(pid).or_default();
        let same = known.as_bytes() == name.split(|byte| *byte == 0).next().unwrap_or_default();
        if !same {
            *known = text(name);
        }
    }

    pub(super) fn function(&self, address: u64) -> Option<String> {
        (self.functions)(address)
    }

    pub(super) fn thread(&self, pid: u32) -> String {
        self.threads.get(&pid).cloned().unwrap_or_else(|| format!("thread {pid}"))
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
            Running::Thread(pid) => format!("thread {}", self.thread(pid)),
            Running::Unknown => "not recorded".into(),
        }
    }
}
