// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Where frames go: numbered, then kept or sent at once.

use std::fs::File;
use std::io::Write;
use std::mem;

use irqscope_wire::{Frame, Message, encode};

use crate::error::{Error, Result};

#[derive(Debug)]
enum Output {
    /// The twin's: nothing leaves while virtual time matters.
    Memory(Vec<u8>),
    /// The real machine's: what was sent survives the agent.
    Stream(File),
}

/// The way of the agent's frames to the host.
#[derive(Debug)]
pub struct Sink {
    next: u64,
    output: Output,
}

impl Sink {
    /// Makes a sink that keeps frames until the end: the twin's.
    pub fn memory() -> Sink {
        Sink { next: 0, output: Output::Memory(Vec::new()) }
    }

    /// Makes a sink that sends frames at once: a real machine's.
    pub fn stream(file: File) -> Sink {
        Sink { next: 0, output: Output::Stream(file) }
    }

    /// Returns whether frames leave at once.
    pub fn is_live(&self) -> bool {
        matches!(self.output, Output::Stream(_))
    }

    /// Sends a message, or keeps it.
    ///
    /// # Errors
    /// It is too long for a frame, or the way is broken.
    pub fn send(&mut self, message: Message) -> Result<()> {
        let bytes = encode(&Frame { number: self.next, message })?;
        match &mut self.output {
            Output::Memory(kept) => kept.extend_from_slice(&bytes),
            Output::Stream(file) => file.write_all(&bytes).map_err(Error::Output)?,
        }
        self.next += 1;
        Ok(())
    }

    /// Takes what was kept; a stream keeps nothing.
    pub fn take(&mut self) -> Vec<u8> {
        match &mut self.output {
            Output::Memory(kept) => mem::take(kept),
            Output::Stream(_) => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use irqscope_wire::{Decoder, Note, Severity};

    fn note(text: &str) -> Message {
        Message::Note(Note { severity: Severity::Info, text: text.into() })
    }

    #[test]
    fn frames_are_numbered_without_gaps_even_after_taking() {
        let mut sink = Sink::memory();
        sink.send(note("a")).unwrap();
        let mut bytes = sink.take();
        sink.send(note("b")).unwrap();
        bytes.extend(sink.take());
        let mut numbers = Vec::new();
        Decoder::default().push(&bytes, |_, frame| numbers.push(frame.unwrap().number));
        assert_eq!(numbers, [0, 1]);
    }

    #[test]
    fn a_stream_gets_each_frame_at_once() {
        let file = tempfile::tempfile().unwrap();
        let mut sink = Sink::stream(file.try_clone().unwrap());
        sink.send(note("a")).unwrap();
        assert!(file.metadata().unwrap().len() > 0);
    }
}
