// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The lines that a generator prints while it starts, for the program that has started it: there is
//! no connection yet that could carry a message. Both sides take them from here.

use core::fmt;
use core::net::SocketAddr;

/// The twin's generator listens; its address follows.
pub const TWIN_LISTENS: &str = "the twin's generator listens on ";

/// The only line of a generator that is a CPU of the target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listening {
    /// Where it serves a host.
    pub address: SocketAddr,
    /// The CPU that it runs on.
    pub cpu: u32,
}

impl Listening {
    /// Parses a line; `None`: it is another one.
    #[must_use]
    pub fn parse(line: &str) -> Option<Self> {
        let (address, cpu) = line.split_once(' ')?;
        Some(Self { address: address.parse().ok()?, cpu: cpu.parse().ok()? })
    }
}

impl fmt::Display for Listening {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.address, self.cpu)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_printed_is_parsed_and_nothing_else_is() {
        let listening = Listening { address: "127.0.0.1:4000".parse().unwrap(), cpu: 3 };
        assert_eq!(Listening::parse(&listening.to_string()), Some(listening));
        assert_eq!(Listening::parse("Segmentation fault"), None);
    }
}
