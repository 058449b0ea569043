// SPDX-License-Identifier: GPL-2.0-or-later
//! `out=PATH`: every frame, in order, without a loss. Writing may wait for the
//! reader; the virtual clock stands still meanwhile.

use std::fs::File;
use std::io::Write;
use std::os::unix::fs::FileTypeExt;
use std::os::unix::net::UnixStream;
use std::path::Path;

use irqscope_generator::Source;
use irqscope_wire::{Frame, Message, encode};

/// Opens a new file, or a socket with a listener.
pub fn open(path: &Path) -> Result<Box<dyn Write + Send>, String> {
    let is_socket = std::fs::metadata(path).is_ok_and(|facts| facts.file_type().is_socket());
    let opened: std::io::Result<Box<dyn Write + Send>> = if is_socket {
        UnixStream::connect(path).map(|stream| Box::new(stream) as _)
    } else {
        File::create(path).map(|file| Box::new(file) as _)
    };
    opened.map_err(|error| format!("cannot write to {}: {error}", path.display()))
}

/// Writes one message, with which a stream begins and ends.
pub fn only(message: Message, output: &mut dyn Write) {
    let frame = Frame { number: 0, message };
    if let Ok(encoded) = encode(&frame) {
        // Standard error has it, too.
        let _ = output.write_all(&encoded);
    }
}

/// Frames that come one by one, without a generator that counts them.
pub struct Stream {
    /// `None` once its reader has gone.
    output: Option<Box<dyn Write + Send>>,
    frames: u64,
}

impl Stream {
    /// Opens one as [`open`] does.
    pub fn open(path: &Path) -> Result<Self, String> {
        Ok(Self { output: Some(open(path)?), frames: 0 })
    }

    /// Writes a message.
    pub fn write(&mut self, message: Message) {
        let Some(output) = &mut self.output else { return };
        let frame = Frame { number: self.frames, message };
        self.frames += 1;
        let written = match encode(&frame) {
            Ok(encoded) => output.write_all(&encoded).map_err(|error| error.to_string()),
            Err(error) => Err(error.to_string()),
        };
        if let Err(error) = written {
            eprintln!("irqscope: frame {} was not sent: {error}", frame.number);
            self.output = None;
        }
    }
}

/// Writes all that waits. False once the reader has gone.
pub fn drain(source: &mut Source, output: &mut (dyn Write + Send)) -> bool {
    let mut bytes = Vec::new();
    source.pump();
    while let Some(frame) = source.outbox.next() {
        // Packets are bounded far below a frame's limit; only a bug comes here.
        match encode(&frame) {
            Ok(encoded) => bytes.extend(encoded),
            Err(error) => eprintln!("irqscope: frame {} was not sent: {error}", frame.number),
        }
    }
    if bytes.is_empty() {
        return true;
    }
    if let Err(error) = output.write_all(&bytes) {
        eprintln!("irqscope: the frames' reader has gone: {error}");
        return false;
    }
    true
}
