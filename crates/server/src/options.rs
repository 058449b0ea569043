// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A server's options at its start, and why it may not begin.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

use irqscope_rig::generator::Address;

use crate::{Lake, Page};

/// The options of a server.
#[derive(Debug)]
pub struct Options {
    /// Where it listens.
    pub listen: SocketAddr,
    /// Names under which this machine is reached, where it listens beyond loopback.
    /// Addresses are always good.
    pub names: Vec<String>,
    /// Generators that clients may have it connect to, beside boards that are found here.
    pub allow: Vec<Address>,
    /// The page that it serves.
    pub page: Page,
    /// The runs of months, if it shows them.
    pub lake: Option<Lake>,
}

/// Reasons for which a server cannot begin.
#[allow(missing_docs, reason = "each message names its fields")]
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    #[error(
        "cannot listen on {address}: {source}\n  remedy: name another port with --listen \
         HOST:PORT; port 0 takes any that is free"
    )]
    Listen { address: SocketAddr, source: io::Error },
    #[error(
        "this program was built without its page\n  remedy: make build, or name a directory \
         with the page: --page ui/dist"
    )]
    NoPage,
    #[error("there is no page in {}\n  remedy: build it there (scripts/build-ui)", .0.display())]
    NoPageIn(PathBuf),
    #[error("no randomness for a token: {0}")]
    NoRandomness(String),
    #[error("cannot start threads: {0}")]
    Threads(io::Error),
}
