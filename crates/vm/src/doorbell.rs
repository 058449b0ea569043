// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The server of QEMU's ivshmem-doorbell devices, protocol version 0, for one
//! machine at a time.
//!
//! QEMU connects to a Unix socket and receives, each in a number of 64 bits (little-endian), with a
//! descriptor beside it where one is passed: the protocol's version; its own number among the peers
//! (0); −1 with the shared memory; then its own number again with an eventfd for its vector 0. A
//! signal to that eventfd raises the guest's interrupt. There are no other peers: the generator is
//! not one, since the guest has nothing to ring it for.
//!
//! The connection says nothing more and ends with the machine.

use std::io::{IoSlice, Read};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use nix::sys::eventfd::{EfdFlags, EventFd};
use nix::sys::socket::{ControlMessage, MsgFlags, sendmsg};

use crate::error::{Error, Result, Trying};
use crate::memory::Memory;

const VERSION: i64 = 0;
const MACHINE: i64 = 0;
const MEMORY: i64 = -1;

/// The eventfd that raises the guest's interrupt.
#[derive(Debug)]
pub struct Bell(EventFd);

impl Bell {
    /// Raises it. Two rings that the guest's machine takes at once are one interrupt. A bell
    /// without a machine has no effect.
    pub fn ring(&self) {
        // Fails only when 2^64 - 2 rings wait: one more makes no difference.
        let _ = self.0.write(1);
    }
}

/// The socket's name, which goes when this is dropped.
#[derive(Debug)]
#[must_use = "no machine finds the socket once it is dropped"]
pub struct Socket(PathBuf);

impl Drop for Socket {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// The server's end: which machine is connected.
#[derive(Debug)]
pub struct Doorbell {
    /// Rings the guest.
    pub bell: Bell,
    /// The memory that is shared with it.
    pub memory: Memory,
    /// Machines that have connected until now.
    machines: AtomicU32,
}

impl Doorbell {
    /// Makes the bell and its memory.
    ///
    /// # Errors
    /// As [`Memory::new`], or no eventfd.
    pub fn new(lines: u8) -> Result<Arc<Self>> {
        let flags = EfdFlags::EFD_CLOEXEC | EfdFlags::EFD_NONBLOCK;
        let eventfd = EventFd::from_flags(flags).trying("make an eventfd")?;
        let (bell, memory) = (Bell(eventfd), Memory::new(lines)?);
        Ok(Arc::new(Self { bell, memory, machines: AtomicU32::new(0) }))
    }

    /// Returns how many machines have connected until now.
    pub fn machines(&self) -> u32 {
        self.machines.load(Ordering::Acquire)
    }

    /// Lets machines in, one after the other, on a thread of its own.
    ///
    /// # Errors
    /// The socket cannot be made, or no thread.
    pub fn serve(self: &Arc<Self>, path: &Path) -> Result<Socket> {
        let listener = UnixListener::bind(path)
            .map_err(|source| Error::Socket { path: path.into(), source })?;
        let socket = Socket(path.to_owned());
        let doorbell = Arc::clone(self);
        std::thread::Builder::new()
            .name("irqscope-doorbell".into())
            .spawn(move || doorbell.accept_all(&listener))
            .trying("start a thread")?;
        Ok(socket)
    }

    /// Serves one machine after another: one that connects while another is there waits for its
    /// end.
    fn accept_all(&self, listener: &UnixListener) {
        for stream in listener.incoming() {
            let ended = stream.and_then(|stream| self.welcome(stream));
            if let Err(error) = ended {
                eprintln!("irqscope-vm: a machine's doorbell was lost: {error}");
            }
        }
    }

    /// Serves a machine until it ends.
    fn welcome(&self, mut stream: UnixStream) -> std::io::Result<()> {
        // Rings for an earlier machine are not for this one.
        let _ = self.bell.0.read();
        self.memory.disarm();
        send(&stream, VERSION, None)?;
        send(&stream, MACHINE, None)?;
        send(&stream, MEMORY, Some(self.memory.as_fd()))?;
        send(&stream, MACHINE, Some(self.bell.0.as_fd()))?;
        self.machines.fetch_add(1, Ordering::AcqRel);
        while stream.read(&mut [0; 64])? > 0 {}
        Ok(())
    }
}

fn send(stream: &UnixStream, number: i64, passed: Option<BorrowedFd<'_>>) -> std::io::Result<()> {
    let number = number.to_le_bytes();
    let descriptors = passed.map(|fd| [fd.as_raw_fd()]);
    let control: Vec<_> = descriptors.iter().map(|fds| ControlMessage::ScmRights(fds)).collect();
    let bytes = [IoSlice::new(&number)];
    sendmsg::<()>(stream.as_raw_fd(), &bytes, &control, MsgFlags::MSG_NOSIGNAL, None)?;
    Ok(())
}
