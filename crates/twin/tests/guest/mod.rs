// SPDX-License-Identifier: GPL-2.0-or-later
//! A real QEMU with the plugin and a few bytes of a guest: what the tests of the plugin share.
//!
//! The guest is ROM in place of the BIOS and no boot disk, because reading one ends in host time:
//! booted from an image, 4 runs of 12 began at another virtual instant, from ROM none of 40.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command as Process, Stdio};
use std::time::{Duration, Instant};

use irqscope_wire::{Changes, Decoder, Frame, Message, Nanoseconds, RunState, Totals};

/// At the CPU's first instruction, 16 bytes below the end: jmp to the start.
const RESET: [u8; 3] = [0xe9, 0x0d, 0x00];
const ROM_BYTES: usize = 65536;
pub struct Qemu {
    pub child: Child,
    _image: tempfile::NamedTempFile,
}

impl Drop for Qemu {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Starts QEMU with the plugin and a guest's code in place of the BIOS.
///
/// `preload` is a library that QEMU loads first.
pub fn start(guest: &[u8], plugin_args: &str, more: &[&str], preload: Option<&Path>) -> Qemu {
    let mut image = tempfile::NamedTempFile::new().unwrap();
    let mut rom = vec![0u8; ROM_BYTES];
    rom[..guest.len()].copy_from_slice(guest);
    rom[ROM_BYTES - 16..][..RESET.len()].copy_from_slice(&RESET);
    image.write_all(&rom).unwrap();
    let child = Process::new("qemu-system-x86_64")
        .envs(preload.map(|library| ("LD_PRELOAD", library)))
        .args(["-nodefaults", "-no-user-config", "-display", "none", "-machine", "pc"])
        .args(["-accel", "tcg", "-icount", "shift=1,sleep=off", "-m", "16"])
        .args(["-rtc", "base=2026-01-01,clock=vm"])
        .arg("-bios")
        .arg(image.path())
        .args(more)
        .arg("-plugin")
        .arg(format!("{},{plugin_args}", plugin().display()))
        .stdin(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| {
            panic!("cannot run qemu-system-x86_64: {error}; scripts/bootstrap --test installs it")
        });
    Qemu { child, _image: image }
}

pub const PARPORT: [&str; 4] = ["-chardev", "null,id=lpt", "-device", "isa-parallel,chardev=lpt"];

/// Returns the plugin's path: cargo puts it beside this test.
pub fn plugin() -> PathBuf {
    std::env::current_exe().unwrap().with_file_name("libirqscope_twin.so")
}

pub fn frames(bytes: &[u8]) -> Vec<Frame> {
    let mut frames = Vec::new();
    Decoder::default().push(bytes, |_, frame| frames.push(frame.unwrap()));
    frames
}

fn is_end(frame: &Frame) -> bool {
    match &frame.message {
        Message::Status(status) => status.state == RunState::Done,
        message => matches!(message, Message::Failed(_)),
    }
}

/// Returns the plugin's argument for these settings.
pub fn encoded(settings: Changes<Nanoseconds>) -> String {
    format!("settings={}", settings.to_hex())
}

/// Records what the plugin writes until its run is done.
pub fn record(guest: &[u8], plugin_args: &str, more: &[&str], preload: Option<&Path>) -> Vec<u8> {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("frames");
    let mut qemu = start(guest, &format!("out={},{plugin_args}", out.display()), more, preload);
    let deadline = Instant::now() + Duration::from_secs(60);
    loop {
        let bytes = std::fs::read(&out).unwrap_or_default();
        if frames(&bytes).last().is_some_and(is_end) {
            return bytes;
        }
        if let Some(status) = qemu.child.try_wait().unwrap() {
            panic!("QEMU ended with {status}: {}", said(&mut qemu));
        }
        assert!(Instant::now() < deadline, "no end in {:?}", frames(&bytes).last());
        std::thread::sleep(Duration::from_millis(20));
    }
}

pub fn said(qemu: &mut Qemu) -> String {
    let mut text = String::new();
    qemu.child.stderr.take().unwrap().read_to_string(&mut text).unwrap();
    text
}

/// Returns the counts with which a run ended.
pub fn last_totals(frames: &[Frame]) -> Totals {
    match &frames.last().unwrap().message {
        Message::Status(status) => status.totals,
        message => panic!("{message:?}"),
    }
}
