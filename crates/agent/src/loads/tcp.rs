// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A sender and a receiver: an endless stream over loopback TCP.

use std::convert::Infallible;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};

use super::Worker;

const CHUNK_BYTES: usize = 64 << 10;

/// Fixed ports, tried in order: an ephemeral one would be random.
pub const PORTS: std::ops::Range<u16> = 47_110..47_210;

pub fn workers(sent: &'static AtomicU64) -> Result<Vec<Worker>, String> {
    let (sender, receiver) = connect().map_err(|error| format!("loopback: {error}"))?;
    Ok(stream(sender, receiver, sent))
}

/// Returns the workers at the two ends of a connection; `sent` counts bytes.
pub fn stream(sender: TcpStream, receiver: TcpStream, sent: &'static AtomicU64) -> Vec<Worker> {
    vec![
        Box::new(move || send(sender, sent).map_err(|error| format!("send: {error}"))),
        Box::new(move || receive(receiver).map_err(|error| format!("receive: {error}"))),
    ]
}

fn connect() -> io::Result<(TcpStream, TcpStream)> {
    let mut refused = io::Error::from(io::ErrorKind::AddrInUse);
    for port in PORTS {
        match TcpListener::bind((Ipv4Addr::LOCALHOST, port)) {
            Ok(listener) => {
                let sender = TcpStream::connect(listener.local_addr()?)?;
                return listener.accept().map(|(receiver, _)| (sender, receiver));
            }
            Err(error) => refused = error,
        }
    }
    Err(refused)
}

fn send(mut stream: TcpStream, sent: &AtomicU64) -> io::Result<Infallible> {
    let chunk = vec![0x55; CHUNK_BYTES];
    loop {
        stream.write_all(&chunk)?;
        sent.fetch_add(CHUNK_BYTES as u64, Ordering::Relaxed);
    }
}

fn receive(mut stream: TcpStream) -> io::Result<Infallible> {
    let mut chunk = vec![0; CHUNK_BYTES];
    loop {
        if stream.read(&mut chunk)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    }
}
