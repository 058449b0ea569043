// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A sender and a receiver on the two network cards of a guest: an endless stream over TCP.

use std::io;
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::AtomicU64;

use super::Worker;
use super::tcp::{PORTS, stream};
use crate::network::{THERE, enter, enter_peer};

/// Returns the two ends of a stream from `eth0` to the card in namespace `peer`.
pub fn workers(sent: &'static AtomicU64) -> Result<Vec<Worker>, String> {
    let (sender, receiver) = connect().map_err(|error| error.to_string())?;
    Ok(stream(sender, receiver, sent))
}

fn connect() -> io::Result<(TcpStream, TcpStream)> {
    // The supervisor has one thread, and goes back to where it came from.
    let ours = enter_peer()?;
    let listener = TcpListener::bind((THERE, PORTS.start));
    enter(&ours)?;
    let listener = listener?;
    let sender = TcpStream::connect(listener.local_addr()?)?;
    listener.accept().map(|(receiver, _)| (sender, receiver))
}
