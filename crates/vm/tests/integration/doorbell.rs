// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Goal: a machine learns from the doorbell's server what QEMU's protocol says,
//! its interrupt rings, what it stores is seen; and another machine comes after
//! it.

use std::fs::File;
use std::io::{IoSliceMut, Read};
use std::mem::{MaybeUninit, offset_of};
use std::os::fd::OwnedFd;
use std::os::unix::fs::FileExt;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use irqscope_vm::doorbell::{Doorbell, Socket};
use irqscope_vm::memory::{Layout, MAGIC};
use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recvmsg};

/// A machine that the server cannot distinguish from QEMU.
struct Machine {
    memory: File,
    interrupt: File,
    _stream: UnixStream,
}

/// Returns the next number, and the descriptor that came with it.
fn receive(stream: &UnixStream) -> (i64, Option<OwnedFd>) {
    let mut number = [0; 8];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(4))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let mut bytes = [IoSliceMut::new(&mut number)];
    let received = recvmsg(stream, &mut bytes, &mut control, RecvFlags::empty()).unwrap();
    assert_eq!(received.bytes, 8);
    let passed = control.drain().find_map(|message| match message {
        RecvAncillaryMessage::ScmRights(mut descriptors) => descriptors.next(),
        _ => None,
    });
    (i64::from_le_bytes(number), passed)
}

fn connect(path: &Path) -> Machine {
    let stream = UnixStream::connect(path).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    let received: Vec<_> = (0..4).map(|_| receive(&stream)).collect();
    let numbers: Vec<i64> = received.iter().map(|(number, _)| *number).collect();
    assert_eq!(numbers, [0, 0, -1, 0], "version, own number, memory, own vector");
    let mut passed = received.into_iter().filter_map(|(_, passed)| passed).map(File::from);
    let (memory, interrupt) = (passed.next().unwrap(), passed.next().unwrap());
    assert!(passed.next().is_none());
    Machine { memory, interrupt, _stream: stream }
}

impl Machine {
    fn store(&self, at: usize, value: u32) {
        self.memory.write_all_at(&value.to_ne_bytes(), at as u64).unwrap();
    }

    /// Returns how often it was rung since the last call.
    fn rung(&self) -> u64 {
        let mut count = [0; 8];
        match (&self.interrupt).read(&mut count) {
            Ok(8) => u64::from_ne_bytes(count),
            _ => 0,
        }
    }
}

fn doorbell(path: &Path) -> (Arc<Doorbell>, Socket) {
    let doorbell = Doorbell::new(2).unwrap();
    let socket = doorbell.serve(path).unwrap();
    (doorbell, socket)
}

fn await_machines(doorbell: &Doorbell, count: u32) {
    let deadline = Instant::now() + Duration::from_secs(30);
    while doorbell.machines() < count {
        assert!(Instant::now() < deadline, "no machine");
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn a_machine_gets_memory_and_an_interrupt() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bell");
    let (doorbell, socket) = doorbell(&path);
    let machine = connect(&path);
    let mut magic = [0; 4];
    machine.memory.read_exact_at(&mut magic, 0).unwrap();
    assert_eq!(magic, MAGIC.to_ne_bytes());
    assert_eq!(machine.rung(), 0);
    doorbell.bell.ring();
    doorbell.bell.ring();
    assert_eq!(machine.rung(), 2);
    machine.store(offset_of!(Layout, words) + 64, 5);
    machine.store(offset_of!(Layout, armed), 1);
    assert!(doorbell.memory.armed());
    assert_eq!(doorbell.memory.words()[1].count(), 5);
    drop(socket);
    assert!(!path.exists());
}

#[test]
fn the_next_machine_comes_when_the_first_has_ended_and_inherits_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bell");
    let (doorbell, _socket) = doorbell(&path);
    let first = connect(&path);
    await_machines(&doorbell, 1);
    first.store(offset_of!(Layout, armed), 1);
    doorbell.bell.ring();
    drop(first);
    let second = connect(&path);
    await_machines(&doorbell, 2);
    assert!(!doorbell.memory.armed());
    assert_eq!(second.rung(), 0);
}
