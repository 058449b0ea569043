// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A serial line: the same frames as over TCP, on a device that does not say when either side comes
//! or goes (docs/board.md). Hence a host sends a wake-up sequence, and a zero in every second while
//! it is there.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::{Duration, Instant};

use nix::fcntl::{Flock, FlockArg, OFlag};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::termios::{
    BaudRate, ControlFlags, FlushArg, SetArg, Termios, cfmakeraw, cfsetspeed, tcflush, tcgetattr,
    tcsetattr,
};

use super::error::GeneratorError;

const KNOCK: [u8; 4] = [0; 4];
/// How often the sequence is repeated for a generator that does not answer, and a sign of life is
/// sent to one that does.
const BEAT: Duration = Duration::from_secs(1);
/// How long what is sent may wait for the line.
const LIMIT: Duration = Duration::from_secs(5);

/// The speeds that every Linux has a name for.
const SPEEDS: [(u32, BaudRate); 16] = [
    (9_600, BaudRate::B9600),
    (19_200, BaudRate::B19200),
    (38_400, BaudRate::B38400),
    (57_600, BaudRate::B57600),
    (115_200, BaudRate::B115200),
    (230_400, BaudRate::B230400),
    (460_800, BaudRate::B460800),
    (500_000, BaudRate::B500000),
    (921_600, BaudRate::B921600),
    (1_000_000, BaudRate::B1000000),
    (1_500_000, BaudRate::B1500000),
    (2_000_000, BaudRate::B2000000),
    (2_500_000, BaudRate::B2500000),
    (3_000_000, BaudRate::B3000000),
    (3_500_000, BaudRate::B3500000),
    (4_000_000, BaudRate::B4000000),
];

/// An open line, of which there can be no other holder. Its settings are put back when it is
/// dropped.
#[derive(Debug)]
pub struct Serial {
    line: Flock<File>,
    before: Termios,
    beaten: Instant,
}

impl Serial {
    /// Opens a terminal device, throws away what waits there, and sends the wake-up sequence.
    pub fn open(path: &Path, baud: u32) -> Result<Self, GeneratorError> {
        let speed = speed(baud)?;
        let unusable = |source| GeneratorError::unusable(path, source);
        let flags = OFlag::O_NOCTTY | OFlag::O_NONBLOCK;
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .custom_flags(flags.bits())
            .open(path)
            .map_err(unusable)?;
        let before = tcgetattr(&file).map_err(|error| unusable(error.into()))?;
        let line = Flock::lock(file, FlockArg::LockExclusiveNonblock)
            .map_err(|_| GeneratorError::Busy { address: path.display().to_string() })?;
        let mut serial = Self { line, before, beaten: Instant::now() };
        serial.set(speed).and_then(|()| serial.knock()).map_err(unusable)?;
        Ok(serial)
    }

    fn set(&self, speed: BaudRate) -> io::Result<()> {
        let mut raw = self.before.clone();
        cfmakeraw(&mut raw);
        // The other side does not drive modem lines.
        raw.control_flags |= ControlFlags::CLOCAL | ControlFlags::CREAD;
        raw.control_flags &= !ControlFlags::CRTSCTS;
        cfsetspeed(&mut raw, speed)?;
        tcsetattr(&*self.line, SetArg::TCSANOW, &raw)?;
        Ok(tcflush(&*self.line, FlushArg::TCIOFLUSH)?)
    }

    fn knock(&mut self) -> io::Result<()> {
        self.beaten = Instant::now();
        self.send(&KNOCK)
    }

    /// Sends what is due in between: another wake-up sequence until there is an answer, then a sign
    /// of life.
    pub fn beat(&mut self, answered: bool) -> io::Result<()> {
        if self.beaten.elapsed() < BEAT {
            return Ok(());
        }
        if !answered {
            return self.knock();
        }
        self.beaten = Instant::now();
        self.send(&[0])
    }

    /// Returns what there is, or [`ErrorKind::WouldBlock`] if nothing comes in time. 0: the line
    /// has gone.
    pub fn receive(&mut self, buffer: &mut [u8], time: Duration) -> io::Result<usize> {
        self.wait(PollFlags::POLLIN, time)?;
        self.line.read(buffer)
    }

    /// Sends all of it, however slow the line is.
    pub fn send(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        let deadline = Instant::now() + LIMIT;
        while !bytes.is_empty() {
            match self.line.write(bytes) {
                Ok(length) => bytes = &bytes[length..],
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    let left = deadline.saturating_duration_since(Instant::now());
                    if left.is_zero() {
                        return Err(ErrorKind::TimedOut.into());
                    }
                    self.wait(PollFlags::POLLOUT, left)?;
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn wait(&self, what: PollFlags, time: Duration) -> io::Result<()> {
        let timeout = PollTimeout::try_from(time).unwrap_or(PollTimeout::MAX);
        poll(&mut [PollFd::new(self.line.as_fd(), what)], timeout)?;
        Ok(())
    }
}

impl Drop for Serial {
    fn drop(&mut self) {
        let _ = tcsetattr(&*self.line, SetArg::TCSANOW, &self.before);
    }
}

fn speed(baud: u32) -> Result<BaudRate, GeneratorError> {
    let known = SPEEDS.iter().find(|(number, _)| *number == baud);
    known.map(|(_, speed)| *speed).ok_or_else(|| {
        let known: Vec<String> = SPEEDS.iter().map(|(number, _)| number.to_string()).collect();
        GeneratorError::Speed { baud, known: known.join(", ") }
    })
}
