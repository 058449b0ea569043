// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Calls as they are written, and the faults of a text that is no call.

use crate::constants;
use crate::parse::{self, Word};

/// Results that calls can keep: `r0` to `r15`.
pub const RESULTS: usize = 16;

/// Arguments that the kernel takes (syscall(2)).
const ARGUMENTS: usize = 6;

/// Calls that do not come back to the one that made them, come back twice, or take away what the load itself
/// runs on.
const REFUSED: [&str; 14] = [
    "arch_prctl",
    "brk",
    "clone",
    "clone3",
    "execve",
    "execveat",
    "exit",
    "exit_group",
    "fork",
    "restart_syscall",
    "rt_sigreturn",
    "set_thread_area",
    "sigreturn",
    "vfork",
];

/// A system call with its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The number of the result that keeps what it returns.
    pub keeps: Option<usize>,
    /// Its name, as in `asm/unistd.h` without the prefix.
    pub name: String,
    /// Up to six arguments.
    pub arguments: Vec<Argument>,
    /// Whether it may fail when it is first made.
    pub may_fail: bool,
    /// The text that it was read from.
    pub text: String,
}

/// An argument of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Argument {
    /// A number, or constants joined with `|`.
    Number(i64),
    /// The value that an earlier call returned: an error is `-errno`.
    Result(usize),
    /// A pointer to bytes of zeros, this number of them; they stay as calls leave them.
    Bytes(usize),
    /// A pointer to a string that ends with a zero.
    Text(String),
    /// A pointer to 64-bit words.
    Words(Vec<Argument>),
}

/// The reason why a text is no call.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    /// It cannot be read.
    #[error(
        "`{text}` is no call, from `{rest}` on; one is `munmap(r0, 64M)`, or `r0 = openat(-100, \"/tmp/file\", O_RDWR)`"
    )]
    Syntax {
        /// The call.
        text: String,
        /// The text after the part that was read.
        rest: String,
    },
    /// There is no such constant.
    #[error("`{text}`: no constant {name} is known; its number always works")]
    Constant {
        /// The call.
        text: String,
        /// The constant.
        name: String,
    },
    /// An argument is no result yet.
    #[error("`{text}`: no call before it keeps r{number}")]
    NoResult {
        /// The call.
        text: String,
        /// The number of the result.
        number: usize,
    },
    /// There are too many of something.
    #[error("`{0}`: a call has up to {ARGUMENTS} arguments, and results are r0 to r{last}", last = RESULTS - 1)]
    TooMany(String),
    /// It would end the load, or begin a second one.
    #[error(
        "`{text}`: {name} does not come back here as other calls do; a program of your own can make it"
    )]
    Refused {
        /// The call.
        text: String,
        /// Its name.
        name: String,
    },
}

/// Reads calls, each a text of its own.
///
/// # Errors
/// The first text that is no call, or whose meaning is not known.
pub fn calls<'a>(texts: impl IntoIterator<Item = &'a str>) -> Result<Vec<Call>, CallError> {
    let mut kept = [false; RESULTS];
    let one = |text| call(text, &mut kept);
    texts.into_iter().map(one).collect()
}

fn call(text: &str, kept: &mut [bool; RESULTS]) -> Result<Call, CallError> {
    let own = || text.to_owned();
    let read = parse::call(text).map_err(|rest| CallError::Syntax { text: own(), rest })?;
    if REFUSED.contains(&read.name) {
        return Err(CallError::Refused { text: own(), name: read.name.to_owned() });
    }
    let arguments: Result<Vec<Argument>, CallError> =
        read.arguments.iter().map(|word| argument(word, text, kept)).collect();
    let arguments = arguments?;
    let too_many =
        arguments.len() > ARGUMENTS || read.keeps.is_some_and(|number| number >= RESULTS);
    if too_many {
        return Err(CallError::TooMany(own()));
    }
    if let Some(number) = read.keeps {
        kept[number] = true;
    }
    let (name, may_fail) = (read.name.to_owned(), read.may_fail);
    Ok(Call { keeps: read.keeps, name, arguments, may_fail, text: own() })
}

/// Gives a word its meaning.
fn argument(word: &Word<'_>, text: &str, kept: &[bool; RESULTS]) -> Result<Argument, CallError> {
    let constant = |name: &&str| {
        let unknown = || CallError::Constant { text: text.to_owned(), name: (*name).to_owned() };
        constants::value(name).ok_or_else(unknown)
    };
    Ok(match word {
        Word::Joined(numbers, names) => {
            let values: Result<Vec<i64>, CallError> = names.iter().map(constant).collect();
            Argument::Number(values?.iter().chain(numbers).fold(0, |sum, value| sum | value))
        }
        Word::Result(number) if kept.get(*number) == Some(&true) => Argument::Result(*number),
        Word::Result(number) => {
            return Err(CallError::NoResult { text: text.to_owned(), number: *number });
        }
        Word::Bytes(size) => Argument::Bytes(*size),
        Word::Text(chars) => Argument::Text(chars.clone()),
        Word::Words(words) => {
            let inner: Result<_, _> = words.iter().map(|word| argument(word, text, kept)).collect();
            Argument::Words(inner?)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn one(text: &str) -> Result<Call, CallError> {
        calls([text]).map(|mut all| all.remove(0))
    }

    #[test]
    fn a_call_is_read_with_its_arguments() {
        let call = one("r3 = mmap(0, 64M, PROT_READ | PROT_WRITE, 0x22, -1, 0)?").unwrap();
        assert_eq!((call.keeps, call.name.as_str(), call.may_fail), (Some(3), "mmap", true));
        let numbers = [0, 64 << 20, 3, 0x22, -1, 0].map(Argument::Number);
        assert_eq!(call.arguments, numbers);
        let call = one(r#"openat(AT_FDCWD, "/tmp/\"a\"", 2)"#).unwrap();
        assert_eq!(call.arguments[1], Argument::Text("/tmp/\"a\"".into()));
        let call = one("writev(1, [&4K, 4K, &1, 1], 2)").unwrap();
        let words = vec![
            Argument::Bytes(4096),
            Argument::Number(4096),
            Argument::Bytes(1),
            Argument::Number(1),
        ];
        assert_eq!(call.arguments[1], Argument::Words(words));
        assert_eq!(one("sync()").unwrap().arguments, []);
    }

    #[test]
    fn results_are_those_of_earlier_calls() {
        let both = calls(["r0 = eventfd2(0, 0)", "close(r0)"]).unwrap();
        assert_eq!(both[1].arguments, [Argument::Result(0)]);
        let error = calls(["close(r0)", "r0 = eventfd2(0, 0)"]).unwrap_err();
        assert_eq!(error, CallError::NoResult { text: "close(r0)".into(), number: 0 });
        assert!(matches!(one("r16 = sync()"), Err(CallError::TooMany(_))));
    }

    #[test]
    fn what_is_no_call_is_said_with_the_place() {
        let said = |text| one(text).unwrap_err().to_string();
        assert!(said("mmap(0, 64Q)").contains("from `Q)` on"));
        assert!(said("openat(AT_FDCW)").contains("no constant AT_FDCW"));
        assert!(said("x(1, 2, 3, 4, 5, 6, 7)").contains("up to 6"));
        assert!(said("fork()").contains("does not come back"));
        for text in ["", "sync", "sync(", "sync()x", "mmap(,)", "a(99999999999999999999)", "b(&-1)"]
        {
            assert!(matches!(one(text), Err(CallError::Syntax { .. })), "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_a_call_or_none(text in "[ -~]{0,80}|[a-z0-9]{1,6}\\([-0-9a-zA-Z&\", \\[\\]|]{0,60}\\)") {
            let _ = one(&text);
        }

        #[test]
        fn any_number_is_read(number in any::<i64>()) {
            for text in [format!("x({number})"), format!("x({number:#x})")] {
                prop_assert_eq!(one(&text).unwrap().arguments, [Argument::Number(number)]);
            }
        }
    }
}
