// SPDX-License-Identifier: Apache-2.0 OR MIT
//! System calls as a load: text as strace writes it, and its execution.
//!
//! `r0 = mmap(0, 64M, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS|MAP_POPULATE, -1, 0)` is a call.
//! Its arguments are numbers (`64M` is 64 * 2^20), constants of the kernel's headers joined with `|`,
//! results of earlier calls (`r0`), and pointers: `&4K` to 4,096 bytes of zeros, `"text"` to a
//! string, `[&4K, 4K]` to 64-bit words (an `iovec`, a `timespec`).

mod constants;
mod parse;
mod program;
mod text;

pub use program::{PassError, Program};
pub use text::{Argument, Call, CallError, RESULTS, calls};

/// The name that takes the place of a command's program where the words after it are calls: a load has one list of
/// words, in a plan as in a report.
const PROGRAM: &str = "irqscope-calls";

/// Returns the command of a load that makes these calls.
pub fn command(calls: &[String]) -> Vec<String> {
    [PROGRAM.to_owned()].into_iter().chain(calls.iter().cloned()).collect()
}

/// Returns the calls of a command; `None`: it is that of a program.
pub fn of_command(words: &[String]) -> Option<&[String]> {
    words.split_first().filter(|(name, _)| *name == PROGRAM).map(|(_, calls)| calls)
}
