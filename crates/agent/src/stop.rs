// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Sleeping that ends early when the run is to be stopped, or when the host has
//! something to say.

use std::cell::Cell;
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd};
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{SigSet, Signal};
use nix::sys::signalfd::{SfdFlags, SignalFd};

use irqscope_wire::HostByte;

use crate::error::{Error, Result};

/// Events that may stop a run from outside.
#[derive(Debug, Default)]
pub struct Stop {
    signals: Option<SignalFd>,
    /// The end of stdin counts, and the host's word on it.
    stdin: bool,
    /// A stdout that has lost its reader counts.
    stdout: bool,
    /// A guest's port, on which the host speaks in single bytes; its end counts.
    host: Option<File>,
    /// The host has said so.
    triggers_ended: Cell<bool>,
}

impl Stop {
    /// Returns a stop that never comes: nothing stops PID 1.
    pub fn never() -> Stop {
        Stop::default()
    }

    /// Signals do, from here on, in this thread and those that it starts.
    ///
    /// # Errors
    /// Signals cannot be blocked.
    pub fn on_signals() -> Result<Stop> {
        let mut set = SigSet::empty();
        for signal in [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP] {
            set.add(signal);
        }
        let flags = SfdFlags::SFD_CLOEXEC | SfdFlags::SFD_NONBLOCK;
        set.thread_block().map_err(Error::system("block signals"))?;
        let signals = SignalFd::with_flags(&set, flags).map_err(Error::system("await signals"))?;
        Ok(Stop { signals: Some(signals), ..Stop::default() })
    }

    /// Stops at the end of stdin as well, if it is watched.
    pub fn or_on_eof(self, stdin: bool) -> Stop {
        Stop { stdin, ..self }
    }

    /// Stops when stdout has lost its reader as well.
    pub fn or_on_broken_pipe(self) -> Stop {
        Stop { stdout: true, ..self }
    }

    /// Stops at the host's word as well, which comes by this port.
    pub fn or_on_hosts_end(self, host: File) -> Stop {
        Stop { host: Some(host), ..self }
    }

    /// Returns whether the host has said, while something slept here, that no trigger will come any
    /// more.
    pub fn have_triggers_ended(&self) -> bool {
        self.triggers_ended.get()
    }

    /// Waits for the host's word that it has all. Its end is as good.
    pub fn await_farewell(&self) {
        while self.host.is_some() && !matches!(self.hear(), Ok(HostByte::HasAll) | Err(_)) {}
    }

    /// Sleeps for the whole time, unless stopped.
    ///
    /// # Errors
    /// Stopped, and why.
    pub fn sleep(&self, duration: Duration) -> Result<()> {
        let begin = Instant::now();
        loop {
            let left = duration.saturating_sub(begin.elapsed());
            if left.is_zero() {
                return Ok(());
            }
            self.nap(left, None)?;
        }
    }

    /// Sleeps for at most this time, or until `also` is readable.
    ///
    /// # Errors
    /// Stopped, and why.
    pub fn nap(&self, duration: Duration, also: Option<BorrowedFd<'_>>) -> Result<()> {
        let (stdin, stdout) = (io::stdin(), io::stdout());
        let watched = [
            self.signals.as_ref().map(|fd| (fd.as_fd(), PollFlags::POLLIN)),
            self.stdin.then(|| (stdin.as_fd(), PollFlags::POLLIN)),
            self.stdout.then(|| (stdout.as_fd(), PollFlags::empty())),
            self.host.as_ref().map(|fd| (fd.as_fd(), PollFlags::POLLIN)),
            also.map(|fd| (fd, PollFlags::POLLIN)),
        ];
        let mut fds: Vec<_> =
            watched.into_iter().flatten().map(|(fd, flags)| PollFd::new(fd, flags)).collect();
        match poll(&mut fds, timeout(duration)) {
            Ok(0) | Err(Errno::EINTR) => Ok(()),
            Ok(_) => self.look(),
            Err(errno) => Err(Error::system("wait")(errno)),
        }
    }

    fn look(&self) -> Result<()> {
        if let Some(Ok(Some(_))) = self.signals.as_ref().map(SignalFd::read_signal) {
            return Err(Error::Stopped("by a signal"));
        }
        if self.stdin && is_ready(io::stdin().as_fd(), PollFlags::POLLIN) {
            self.hear_on(&mut io::stdin().lock())?;
        }
        if self.stdout && is_ready(io::stdout().as_fd(), PollFlags::empty()) {
            return Err(Error::Stopped("stdout has no reader any more"));
        }
        let host = self.host.as_ref().map(File::as_fd);
        if host.is_some_and(|host| is_ready(host, PollFlags::POLLIN)) {
            self.hear().map_err(|_| Error::Stopped("the host has gone"))?;
        }
        Ok(())
    }

    /// Reads what has come in on stdin; unknown words are passed over.
    fn hear_on(&self, stdin: &mut dyn Read) -> Result<()> {
        let mut bytes = [0; 256];
        match stdin.read(&mut bytes) {
            Ok(0) | Err(_) => Err(Error::Stopped("stdin ended")),
            Ok(length) => {
                let ended = bytes[..length].contains(&(HostByte::TriggersEnded as u8));
                self.triggers_ended.set(self.triggers_ended.get() | ended);
                Ok(())
            }
        }
    }

    /// Waits for the host's next word and returns it.
    fn hear(&self) -> io::Result<HostByte> {
        let mut byte = [0];
        loop {
            let Some(mut host) = self.host.as_ref() else {
                return Err(io::ErrorKind::NotConnected.into());
            };
            host.read_exact(&mut byte)?;
            match HostByte::from_byte(byte[0]) {
                Some(HostByte::TriggersEnded) => {
                    self.triggers_ended.set(true);
                    return Ok(HostByte::TriggersEnded);
                }
                Some(word) => return Ok(word),
                None => {} // of a later version
            }
        }
    }
}

/// Converts a duration, rounded up, so that no sleep is cut into slices of nothing.
fn timeout(duration: Duration) -> PollTimeout {
    let millis = duration.as_nanos().div_ceil(1_000_000);
    PollTimeout::try_from(millis).unwrap_or(PollTimeout::MAX)
}

fn is_ready(fd: BorrowedFd<'_>, flags: PollFlags) -> bool {
    let mut fds = [PollFd::new(fd, flags)];
    poll(&mut fds, PollTimeout::ZERO).is_ok_and(|ready| ready > 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn a_sleep_is_never_shorter_than_asked_for() {
        let begin = Instant::now();
        Stop::never().sleep(Duration::from_micros(2_500)).unwrap();
        assert!(begin.elapsed() >= Duration::from_micros(2_500));
    }

    #[test]
    fn the_host_ends_triggers_with_a_byte_and_the_run_by_going() {
        let (host, port) = std::os::unix::net::UnixStream::pair().unwrap();
        let stop = Stop::never().or_on_hosts_end(File::from(std::os::fd::OwnedFd::from(port)));
        let minute = Duration::from_secs(60);
        assert!(!stop.have_triggers_ended());
        (&host).write_all(&[HostByte::TriggersEnded as u8]).unwrap();
        stop.nap(minute, None).unwrap();
        assert!(stop.have_triggers_ended());
        (&host).write_all(&[HostByte::TriggersEnded as u8, HostByte::HasAll as u8]).unwrap();
        stop.await_farewell();
        drop(host);
        assert!(matches!(stop.nap(minute, None), Err(Error::Stopped(_))));
        stop.await_farewell();
    }

    #[test]
    fn triggers_end_by_a_word_on_stdin_too_and_its_end_stops() {
        let stop = Stop::default();
        stop.hear_on(&mut [0x20, 0x7f].as_slice()).unwrap();
        assert!(!stop.have_triggers_ended());
        stop.hear_on(&mut [0, HostByte::TriggersEnded as u8].as_slice()).unwrap();
        assert!(stop.have_triggers_ended());
        assert!(stop.hear_on(&mut [].as_slice()).is_err() && stop.have_triggers_ended());
    }

    #[test]
    fn a_readable_descriptor_ends_a_nap() {
        let (reader, writer) = io::pipe().unwrap();
        drop(writer);
        let begin = Instant::now();
        Stop::never().nap(Duration::from_secs(60), Some(reader.as_fd())).unwrap();
        assert!(begin.elapsed() < Duration::from_secs(30));
    }
}
