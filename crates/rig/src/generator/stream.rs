// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One connection: bytes in and out, until it ends or falls silent.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::{Duration, Instant};

use irqscope_wire::{Frame, Message, encode};

use super::client::Result;
use super::{GeneratorError, incoming::Incoming};
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
    stream: TcpStream,
    buffer: Vec<u8>,
    /// Frames sent on this connection.
    sent: u64,
    heard: Instant,
}

impl Stream {
    pub fn open(address: &str, stop: &Stop, expected: Option<u64>) -> Result<Self> {
        let stream = connect(address)
            .map_err(|source| GeneratorError::Unreachable { address: address.into(), source })?;
        Ok(Self {
            address: address.to_owned(),
            stop: stop.clone(),
            incoming: Incoming::expecting(expected),
            silence: SILENCE,
            stream,
            buffer: vec![0; READ_BYTES],
            sent: 0,
            heard: Instant::now(),
        })
    }

    /// The frame's number.
    pub fn send(&mut self, message: Message) -> Result<u64> {
        let number = self.sent;
        // Hellos and commands are small and always encodable.
        let bytes = encode(&Frame { number, message })
            .map_err(|error| self.lost(format!("frame {number} cannot be sent: {error}")))?;
        self.sent += 1;
        self.stream.write_all(&bytes).map_err(|error| self.lost(error.to_string()))?;
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
                    self.heard = Instant::now();
                    self.incoming.push(&self.buffer[..length]);
                    return Ok(true);
                }
                Err(error) if is_timeout(&error) => {}
                Err(error) => return Err(self.lost(error.to_string())),
            }
            // Whatever had come was read before this is said.
            if self.heard.elapsed() > self.silence {
                let seconds = self.silence.as_secs_f64();
                return Err(self.lost(format!("it has been silent for {seconds} seconds")));
            }
            if left.is_zero() {
                return Ok(false);
            }
        }
    }

    pub fn lost(&self, what: impl Into<String>) -> GeneratorError {
        GeneratorError::Lost { address: self.address.clone(), what: what.into() }
    }

    fn read_for(&mut self, time: Duration) -> io::Result<usize> {
        // Zero would mean for ever.
        self.stream.set_read_timeout(Some(time.max(Duration::from_millis(1))))?;
        self.stream.read(&mut self.buffer)
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
