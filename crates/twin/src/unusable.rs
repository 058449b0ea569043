// SPDX-License-Identifier: GPL-2.0-or-later
//! The reasons for which the generator does not begin, as QEMU's user and as a host read them.

use std::fmt;

use irqscope_wire::{Failure, Message, Refusal, Reply, TWIN_UNUSABLE};

/// Why the generator cannot work.
pub enum Unusable {
    /// This QEMU, this machine or this place does not allow it.
    Here(String),
    /// It can, but not with these settings.
    Settings(Refusal),
}

impl fmt::Display for Unusable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Here(what) => write!(f, "{TWIN_UNUSABLE}{what}"),
            Self::Settings(refusal) => {
                write!(f, "the twin's generator refuses its settings: {refusal}")
            }
        }
    }
}

/// The only frame of a generator that does not begin: there is no hello before it.
impl From<Unusable> for Message {
    fn from(unusable: Unusable) -> Self {
        match unusable {
            Unusable::Here(what) => {
                Self::Failed(Failure { what, remedy: String::new(), invalid: false })
            }
            Unusable::Settings(refusal) => Self::Reply(Reply { to: None, result: Err(refusal) }),
        }
    }
}

impl From<String> for Unusable {
    fn from(what: String) -> Self {
        Self::Here(what)
    }
}
