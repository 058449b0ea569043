// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One connection: bytes in and out, until it ends or falls silent.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::{Duration, Instant};

use irqscope_wire::secret::Secret;
use irqscope_wire::{Frame, Message, encode};

use super::address::Address;
use super::error::{GeneratorError, Result};
use super::incoming::{Incoming, ROOM};
use super::secret;
use super::serial::Serial;
use crate::Stop;
use crate::command::TICK;

/// How long connecting and sending may each take.
const LIMIT: Duration = Duration::from_secs(5);
/// A generator says something every second; a few times that is silence.
const SILENCE: Duration = Duration::from_secs(5);
/// Read at once at most.
const READ_BYTES: usize = 1 << 16;

#[derive(Debug)]
pub struct Stream {
    pub address: String,
    pub stop: Stop,
    pub incoming: Incoming,
    pub silence: Duration,
    /// The generator's secret, if it has one.
    pub secret: Option<Secret>,
    wire: Wire,
    buffer: Vec<u8>,
    /// Frames sent on this connection.
    sent: u64,
    heard: Instant,
    /// Anything at all.
    has_heard: bool,
}

#[derive(Debug)]
enum Wire {
    Tcp(TcpStream),
    Serial(Serial),
    Closed,
}

impl Stream {
    pub fn open(address: &str, stop: &Stop, expected: Option<u64>) -> Result<Self> {
        let parsed: Address = address.parse()?;
        let secret = match &parsed {
            Address::Tcp { secret_file, .. } => secret::find(secret_file.as_deref())?,
            Address::Serial { .. } => None,
        };
        let wire = Wire::open(address, parsed)?;
        let incoming = Incoming::expecting(expected);
        let incoming = if wire.is_serial() { incoming.awaiting_hello() } else { incoming };
        Ok(Self {
            address: address.to_owned(),
            stop: stop.clone(),
            incoming,
            silence: SILENCE,
            secret,
            wire,
            buffer: vec![0; READ_BYTES],
            sent: 0,
            heard: Instant::now(),
            has_heard: false,
        })
    }

    /// Closes the stream: a line of which there can be only one is free for another connection.
    pub fn close(&mut self) {
        self.wire = Wire::Closed;
    }

    /// Makes the error for a peer that never sent a valid hello.
    pub fn no_generator(&self) -> GeneratorError {
        let (address, heard) = (self.address.clone(), self.has_heard);
        match self.wire.is_serial() {
            true => GeneratorError::NoAnswer { address, heard },
            false => GeneratorError::NoGenerator { address },
        }
    }

    /// Sends a message; returns the frame's number.
    pub fn send(&mut self, message: Message) -> Result<u64> {
        let number = self.sent;
        // Hellos and commands are small and always encodable.
        let bytes = encode(&Frame { number, message })
            .map_err(|error| self.lost(format!("frame {number} cannot be sent: {error}")))?;
        self.sent += 1;
        self.wire.send(&bytes).map_err(|error| self.lost(error.to_string()))?;
        Ok(number)
    }

    /// Reads what there is, once. False if nothing comes until the deadline.
    pub fn read(&mut self, deadline: Instant) -> Result<bool> {
        loop {
            if self.stop.requested() {
                return Err(GeneratorError::Interrupted);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            match self.read_for(left.min(TICK)) {
                Ok(0) => return Err(self.lost("it has closed the connection")),
                Ok(length) => {
                    (self.heard, self.has_heard) = (Instant::now(), true);
                    self.incoming.push(&self.buffer[..length]);
                    if self.incoming.is_full() {
                        return Err(self.flooded());
                    }
                    return Ok(true);
                }
                Err(error) if is_timeout(&error) => {}
                Err(error) => return Err(self.lost(error.to_string())),
            }
            // All that had come was read before this is said.
            if self.incoming.is_greeted() && self.heard.elapsed() > self.silence {
                let seconds = self.silence.as_secs_f64();
                return Err(self.lost(format!("it has been silent for {seconds} seconds")));
            }
            if left.is_zero() {
                return Ok(false);
            }
        }
    }

    fn flooded(&self) -> GeneratorError {
        GeneratorError::Flooded { address: self.address.clone(), mebibytes: ROOM >> 20 }
    }

    pub fn lost(&self, what: impl Into<String>) -> GeneratorError {
        GeneratorError::Lost { address: self.address.clone(), what: what.into() }
    }

    fn read_for(&mut self, time: Duration) -> io::Result<usize> {
        // Zero would mean for ever.
        let time = time.max(Duration::from_millis(1));
        match &mut self.wire {
            Wire::Tcp(stream) => {
                stream.set_read_timeout(Some(time))?;
                stream.read(&mut self.buffer)
            }
            Wire::Serial(serial) => {
                serial.beat(self.incoming.is_greeted())?;
                serial.receive(&mut self.buffer, time)
            }
            Wire::Closed => Ok(0),
        }
    }
}

impl Wire {
    fn open(address: &str, parsed: Address) -> Result<Self> {
        match parsed {
            Address::Serial { path, baud } => Serial::open(&path, baud).map(Self::Serial),
            Address::Tcp { host, .. } => connect(&host).map(Self::Tcp).map_err(|source| {
                GeneratorError::Unreachable { address: address.to_owned(), source }
            }),
        }
    }

    const fn is_serial(&self) -> bool {
        matches!(self, Self::Serial(_))
    }

    fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::Tcp(stream) => stream.write_all(bytes),
            Self::Serial(serial) => serial.send(bytes),
            Self::Closed => Err(ErrorKind::NotConnected.into()),
        }
    }
}

/// Tries every address of the name in turn; the last error counts.
fn connect(address: &str) -> io::Result<TcpStream> {
    let mut last = io::Error::new(ErrorKind::NotFound, "the name has no address");
    for resolved in address.to_socket_addrs()? {
        match TcpStream::connect_timeout(&resolved, LIMIT) {
            Ok(stream) => {
                stream.set_nodelay(true)?;
                stream.set_write_timeout(Some(LIMIT))?;
                return Ok(stream);
            }
            Err(error) => last = error,
        }
    }
    Err(last)
}

fn is_timeout(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted)
}
