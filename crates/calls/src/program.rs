// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Calls that are made, in their order, again and again.

use std::str::FromStr;

use nix::libc;
use syscalls::{Errno, Sysno, syscall6};

use crate::text::{Argument, Call, RESULTS};

/// Descriptors among which those of the process itself are looked for: the usual limit of how many it may have.
const DESCRIPTORS: i32 = 1024;

/// Calls that can be made.
#[derive(Debug)]
pub struct Program {
    calls: Vec<Ready>,
    results: [i64; RESULTS],
    /// The first descriptor that is a pass's.
    first: usize,
}

/// The reason why calls cannot be a load.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum PassError {
    /// This machine's kernels have no call of this name.
    #[error("{0}: this machine has no such system call")]
    Unknown(String),
    /// The memory that it points to cannot be had.
    #[error("{0}: there is no memory for what it points to")]
    NoMemory(String),
    /// It failed when it was first made.
    #[error("{text}: {error} (a `?` behind a call says that it may fail)")]
    Failed {
        /// The call.
        text: String,
        /// The kernel's answer.
        error: String,
    },
}

/// A call whose pointers point somewhere.
#[derive(Debug)]
struct Ready {
    number: Sysno,
    arguments: Vec<Value>,
    keeps: Option<usize>,
    may_fail: bool,
    text: String,
    returned: Result<usize, Errno>,
}

#[derive(Debug)]
enum Value {
    Number(i64),
    Result(usize),
    /// Words that are written before each call, and their memory.
    Words(Vec<Value>, Box<[i64]>),
    /// Memory that stays; a string with its zero.
    Text(Box<[u8]>),
}

impl Program {
    /// Makes calls ready: finds their numbers, and memory for what they point to.
    ///
    /// # Errors
    /// This machine has not such a call, or not the memory.
    pub fn new(calls: &[Call]) -> Result<Self, PassError> {
        let calls: Result<_, _> = calls.iter().map(Ready::new).collect();
        Ok(Self { calls: calls?, results: [0; RESULTS], first: first_descriptor() })
    }

    /// Makes each call once, in their order. Afterwards what they mapped, opened, and made for other
    /// processes is taken away.
    ///
    /// # Safety
    /// Calls do what they say: they may unmap or overwrite any memory of this process. It has to have one
    /// thread and to own nothing that must last.
    pub unsafe fn pass(&mut self) {
        for call in &mut self.calls {
            // SAFETY: the caller's promise.
            call.returned = unsafe { call.make(&self.results) };
            if let Some(kept) = call.keeps {
                let signed = |errno: Errno| -i64::from(errno.into_raw());
                self.results[kept] =
                    call.returned.map_or_else(signed, |value| (value as u64).cast_signed());
            }
        }
        for call in self.calls.iter().rev() {
            // SAFETY: what is taken away is what this pass has made.
            unsafe { call.take_back(&self.results) };
        }
        let all = [self.first, u32::MAX as usize, 0, 0, 0, 0];
        // SAFETY: these descriptors belong to the pass.
        let _ = unsafe { raw(Sysno::close_range, all) };
    }

    /// Checks that no call of the last pass failed that must not.
    ///
    /// # Errors
    /// The first one that did, and the kernel's answer.
    pub fn check(&self) -> Result<(), PassError> {
        let failed = |call: &Ready| match call.returned {
            Err(error) if !call.may_fail => Some((call.text.clone(), error)),
            _ => None,
        };
        match self.calls.iter().find_map(failed) {
            Some((text, error)) => {
                let name = error.name().map_or_else(|| error.into_raw().to_string(), str::to_owned);
                let words = error.description().unwrap_or("an unknown error");
                Err(PassError::Failed { text, error: format!("{name} ({words})") })
            }
            None => Ok(()),
        }
    }
}

impl Ready {
    fn new(call: &Call) -> Result<Self, PassError> {
        let unknown = |()| PassError::Unknown(call.text.clone());
        let number = Sysno::from_str(&call.name).map_err(unknown)?;
        let value =
            |argument| value(argument).ok_or_else(|| PassError::NoMemory(call.text.clone()));
        let arguments: Result<_, _> = call.arguments.iter().map(value).collect();
        Ok(Self {
            number,
            arguments: arguments?,
            keeps: call.keeps,
            may_fail: call.may_fail,
            text: call.text.clone(),
            returned: Ok(0),
        })
    }

    unsafe fn make(&mut self, results: &[i64; RESULTS]) -> Result<usize, Errno> {
        let mut all = [0; 6];
        for (place, value) in all.iter_mut().zip(&mut self.arguments) {
            *place = value.now(results);
        }
        // SAFETY: the caller's promise.
        unsafe { raw(self.number, all) }
    }

    /// Takes away what the call has left behind: a mapping, or an object of System V's.
    unsafe fn take_back(&self, results: &[i64; RESULTS]) {
        let Ok(made) = self.returned else { return };
        let argument = |at: usize| match self.arguments.get(at) {
            Some(Value::Number(number)) => number.cast_unsigned() as usize,
            Some(Value::Result(number)) => results[*number].cast_unsigned() as usize,
            _ => 0,
        };
        let remove = libc::IPC_RMID as usize;
        let (number, all) = match self.number {
            Sysno::mremap => (Sysno::munmap, [made, argument(2), 0, 0, 0, 0]),
            Sysno::shmat => (Sysno::shmdt, [made, 0, 0, 0, 0, 0]),
            Sysno::shmget => (Sysno::shmctl, [made, remove, 0, 0, 0, 0]),
            Sysno::msgget => (Sysno::msgctl, [made, remove, 0, 0, 0, 0]),
            Sysno::semget => (Sysno::semctl, [made, 0, remove, 0, 0, 0]),
            number if is_mmap(number) => (Sysno::munmap, [made, argument(1), 0, 0, 0, 0]),
            _ => return,
        };
        // SAFETY: the pass has made it. Where its calls have taken it away already, this fails, or
        // finds a hole.
        let _ = unsafe { raw(number, all) };
    }
}

impl Value {
    /// Returns what the kernel gets.
    fn now(&mut self, results: &[i64; RESULTS]) -> usize {
        match self {
            Self::Number(number) => number.cast_unsigned() as usize,
            Self::Result(number) => results[*number].cast_unsigned() as usize,
            Self::Text(bytes) => bytes.as_ptr() as usize,
            Self::Words(values, memory) => {
                for (word, value) in memory.iter_mut().zip(values) {
                    *word = (value.now(results) as u64).cast_signed();
                }
                memory.as_mut_ptr() as usize
            }
        }
    }
}

fn value(argument: &Argument) -> Option<Value> {
    Some(match argument {
        Argument::Number(number) => Value::Number(*number),
        Argument::Result(number) => Value::Result(*number),
        Argument::Bytes(size) => Value::Number((zeros(*size)? as u64).cast_signed()),
        Argument::Text(text) => {
            Value::Text(text.bytes().chain([0]).collect::<Vec<u8>>().into_boxed_slice())
        }
        Argument::Words(words) => {
            let values: Option<Vec<Value>> = words.iter().map(value).collect();
            let values = values?;
            let memory = vec![0; values.len()].into_boxed_slice();
            Value::Words(values, memory)
        }
    })
}

/// Returns the address of new memory that is there already: a call is not to wait for its pages.
fn zeros(size: usize) -> Option<usize> {
    let protection = (libc::PROT_READ | libc::PROT_WRITE) as usize;
    let flags = (libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_POPULATE) as usize;
    let number = Sysno::iter().find(|number| is_mmap(*number))?;
    // SAFETY: new memory belongs to none.
    unsafe { raw(number, [0, size.max(1), protection, flags, usize::MAX, 0]) }.ok()
}

/// Fills the gaps between the descriptors of this process; returns the one above them, which is the next to
/// be given.
fn first_descriptor() -> usize {
    // SAFETY: asks, and changes nothing.
    let is_open = |descriptor: &i32| unsafe { libc::fcntl(*descriptor, libc::F_GETFD) } >= 0;
    let last = (0..DESCRIPTORS).rev().find(is_open).unwrap_or(-1);
    loop {
        // SAFETY: a copy of stdin's, which stays open where it fills a gap.
        let copy = unsafe { libc::dup(0) };
        if copy > last {
            // SAFETY: the copy from above.
            unsafe { libc::close(copy) };
        }
        if copy < 0 || copy > last {
            return (last + 1).cast_unsigned() as usize;
        }
    }
}

/// Returns whether a call maps memory; on 32-bit machines it has another name.
fn is_mmap(number: Sysno) -> bool {
    matches!(number.name(), "mmap" | "mmap2")
}

unsafe fn raw(number: Sysno, [a, b, c, d, e, f]: [usize; 6]) -> Result<usize, Errno> {
    // SAFETY: the caller's promise.
    unsafe { syscall6(number, a, b, c, d, e, f) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::calls;

    /// Makes calls in a process of their own, in this number of passes; returns the outcome of the last.
    fn made(texts: &[&str], passes: usize) -> Result<(), String> {
        let calls = calls(texts.iter().copied()).unwrap();
        let (mut reader, mut writer) = std::io::pipe().unwrap();
        // SAFETY: the child makes the calls, writes, and ends without returning.
        let child = unsafe { libc::fork() };
        if child == 0 {
            // A gap below the pipe, as a worker may have.
            // SAFETY: this process does not use it.
            unsafe { libc::dup2(0, 900) };
            let mut program = Program::new(&calls).unwrap();
            // SAFETY: one thread, which owns nothing else.
            (0..passes).for_each(|_| unsafe { program.pass() });
            let said = program.check().err().map(|error| error.to_string()).unwrap_or_default();
            let code = if said.is_empty() { 0 } else { 1 };
            let _ = std::io::Write::write_all(&mut writer, said.as_bytes());
            // SAFETY: ends this process at once.
            unsafe { libc::_exit(code) };
        }
        drop(writer);
        let mut said = String::new();
        std::io::Read::read_to_string(&mut reader, &mut said).unwrap();
        let mut status = 0;
        // SAFETY: the child of above.
        unsafe { libc::waitpid(child, &raw mut status, 0) };
        match libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 0 {
            true => Ok(()),
            false => Err(format!("status {status:#x} {said}")),
        }
    }

    #[test]
    fn what_a_pass_makes_is_taken_away() {
        // Far more than the limits of descriptors, of identifiers, and of a process's mappings.
        let map = "r0 = mmap(0, 1G, PROT_READ, MAP_PRIVATE|MAP_ANONYMOUS|MAP_NORESERVE, -1, 0)";
        made(&[map, "r1 = mremap(r0, 1G, 2G, MREMAP_MAYMOVE)"], 200_000).unwrap();
        made(&["eventfd2(0, 0)", "memfd_create(\"x\", 0)"], 20_000).unwrap();
        made(&["r0 = shmget(IPC_PRIVATE, 4K, 0x1c0)", "shmat(r0, 0, 0)"], 20_000).unwrap();
        made(&["semget(IPC_PRIVATE, 8, 0x1c0)", "msgget(IPC_PRIVATE, 0x1c0)"], 40_000).unwrap();
    }

    #[test]
    fn results_words_and_buffers_reach_the_kernel() {
        let file = "r0 = memfd_create(\"x\", 0)";
        let write = "r1 = writev(r0, [&4K, 4K, &1K, 1K], 2)";
        // SEEK_DATA (3) fails at the end of what was written, and not before it.
        made(&[file, write, "lseek(r0, r1, 3)?", "ftruncate(r0, r1)"], 1).unwrap();
        let past = made(&[file, write, "lseek(r0, r1, 3)"], 1).unwrap_err();
        assert!(past.contains("lseek(r0, r1, 3)") && past.contains("ENXIO"), "{past}");
        made(&[file, write, "lseek(r0, 5119, 3)"], 1).unwrap();
    }

    #[test]
    fn a_call_that_this_machine_has_not_is_named() {
        let error = Program::new(&calls(["teleport()"]).unwrap()).unwrap_err();
        assert_eq!(error, PassError::Unknown("teleport()".into()));
    }
}
