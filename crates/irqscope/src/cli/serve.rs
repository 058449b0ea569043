// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `irqscope serve`.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use clap::Args;

use super::candidates::{RUNS, kernels, scenarios};

/// The dashboard's port where nothing else is said.
const PORT: u16 = 7770;

/// Show live figures, generators, scenarios and finished runs in a browser.
///
/// Prints the address to open. Only this machine can reach it, unless --listen says otherwise; then
/// the printed link has a token, without which no request is served. Ctrl-C ends it; a measurement
/// that is under way ends as with `irqscope run`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  irqscope serve                         finished runs, and what is started from the page
  irqscope serve demo                    start a scenario and look on
  irqscope serve --connect board:7000    a live generator
  irqscope serve --listen 0.0.0.0:7770 --name scope.lan")]
pub struct Serve {
    /// A scenario to start at once: a bundled one's name, or a path that ends in
    /// .toml.
    #[arg(add = scenarios())]
    pub scenario: Option<String>,
    /// Connect to this generator at once.
    #[arg(long, value_name = "ADDRESS", conflicts_with = "scenario")]
    pub connect: Option<String>,
    /// A generator that may be connected to from the page, beside boards on this machine's USB
    /// and, without --listen, all on the network; may be repeated.
    #[arg(long, value_name = "ADDRESS")]
    pub allow: Vec<String>,
    /// A kernel for the guest instead of the scenario's; may be repeated.
    #[arg(long, value_name = "NAME", requires = "scenario", add = kernels())]
    pub kernel: Vec<String>,
    /// Where runs lie and are made.
    #[arg(long, value_name = "DIR", default_value = RUNS)]
    pub runs: PathBuf,
    /// The port on this machine; 0 takes any that is free.
    #[arg(long, value_name = "N", default_value_t = PORT, conflicts_with = "listen")]
    pub port: u16,
    /// Listen on this address instead of this machine's loopback.
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub listen: Option<SocketAddr>,
    /// A name under which browsers may ask for this machine, beyond its addresses;
    /// may be repeated.
    #[arg(long, value_name = "HOST", requires = "listen")]
    pub name: Vec<String>,
    /// Show the runs of a lake over time: a directory, or s3://BUCKET/PATH; docs/lake.md.
    #[arg(long, value_name = "URL")]
    pub lake: Option<String>,
    /// Serve the page from this directory instead of the built-in one.
    #[arg(long, value_name = "DIR")]
    pub page: Option<PathBuf>,
}

impl Serve {
    pub fn address(&self) -> SocketAddr {
        let loopback = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), self.port);
        self.listen.unwrap_or(loopback)
    }
}
