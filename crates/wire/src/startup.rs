// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The lines that a generator prints while it starts, for the program that has started it: there is
//! no connection yet that could carry a message. Both sides take them from here.

use alloc::borrow::ToOwned;
use alloc::string::String;
use core::fmt;
use core::net::SocketAddr;

/// The twin's generator listens; its address follows.
pub const TWIN_LISTENS: &str = "the twin's generator listens on ";

/// The twin's plugin does not work here; the reason follows.
pub const TWIN_UNUSABLE: &str = "the twin's generator cannot be used: ";

/// The only line of a generator that is a CPU of the target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listening {
    /// Where it serves a host.
    pub address: SocketAddr,
    /// The CPU that it runs on.
    pub cpu: u32,
    /// The secret that it has drawn: for the program that has started it.
    pub secret: Option<String>,
}

impl Listening {
    /// Parses a line; `None`: it is another one.
    #[must_use]
    pub fn parse(line: &str) -> Option<Self> {
        let mut words = line.split(' ');
        let (address, cpu) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
        let secret = words.next().map(str::to_owned);
        words.next().is_none().then_some(Self { address, cpu, secret })
    }
}

impl fmt::Display for Listening {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.address, self.cpu)?;
        self.secret.as_ref().map_or(Ok(()), |secret| write!(f, " {secret}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_printed_is_parsed_and_nothing_else_is() {
        for secret in [None, Some("0123456789abcdef".to_owned())] {
            let listening =
                Listening { address: "127.0.0.1:4000".parse().unwrap(), cpu: 3, secret };
            assert_eq!(Listening::parse(&listening.to_string()), Some(listening));
        }
        assert_eq!(Listening::parse("127.0.0.1:4000 3 secret and more"), None);
        assert_eq!(Listening::parse("Segmentation fault"), None);
    }
}
